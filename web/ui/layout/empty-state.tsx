import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="grid place-items-center overflow-hidden rounded-xl border border-line bg-surface dot-grid px-6 py-16 sm:py-24">
      <div className="flex max-w-sm flex-col items-center rounded-lg bg-surface px-4 text-center shadow-[0_0_2rem_2rem_var(--surface)]">
        <span className="grid size-11 place-items-center rounded-lg border border-line bg-surface text-accent-text shadow-low">
          <Icon className="size-5" strokeWidth={1.75} aria-hidden="true" />
        </span>
        <h2 className="mt-4 text-lg font-semibold">{title}</h2>
        {children ? <div className="mt-1 text-ink-muted text-pretty">{children}</div> : null}
        {action ? <div className="mt-5">{action}</div> : null}
      </div>
    </div>
  );
}
