import { type ReactNode, useId } from "react";

import { Card } from "../layout/card.tsx";

interface SettingsSectionProps {
  title: string;
  description: string;
  /** For links to this section. */
  id?: string;
  children: ReactNode;
}

/** A title and description on the left, controls on the right; below each other where it is narrow. */
export function SettingsSection({ title, description, id: anchor, children }: SettingsSectionProps) {
  const id = useId();
  return (
    <section id={anchor} aria-labelledby={id} className="grid gap-x-10 gap-y-4 md:grid-cols-[15rem_minmax(0,1fr)]">
      <div>
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        <p className="mt-1 text-sm text-ink-muted text-pretty">{description}</p>
      </div>
      <Card className="min-w-0 p-4 sm:p-5">{children}</Card>
    </section>
  );
}
