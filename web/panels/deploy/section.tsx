import { ChevronRight } from "lucide-react";
import { type ReactNode, useId } from "react";

interface SectionProps {
  title: string;
  text?: string;
  children: ReactNode;
}

export function Section({ title, text, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <div>
        <h3 id={id} className="font-semibold">
          {title}
        </h3>
        {text ? <p className="text-sm text-ink-muted">{text}</p> : null}
      </div>
      {children}
    </section>
  );
}

/** A section that most people leave as it is. Its inputs belong to the form also while it is closed. */
export function Fold({ title, text, children }: SectionProps) {
  return (
    <details className="group min-w-0 rounded-lg border border-line">
      <summary className="flex cursor-default items-center gap-2.5 rounded-lg px-3 py-2.5 hover:bg-hover">
        <ChevronRight
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
          aria-hidden="true"
        />
        <span className="min-w-0">
          <span className="block font-semibold">{title}</span>
          {text ? <span className="block text-sm text-ink-muted">{text}</span> : null}
        </span>
      </summary>
      <div className="border-t border-line p-4">{children}</div>
    </details>
  );
}
