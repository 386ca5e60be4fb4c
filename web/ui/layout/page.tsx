import type { ReactNode } from "react";

import { classes } from "../classes.ts";

interface PageProps {
  title: string;
  description?: ReactNode;
  /** Buttons or links beside the title. */
  actions?: ReactNode;
  /** Wide enough for three columns. */
  wide?: boolean;
  children: ReactNode;
}

/** The frame of a reading page: one width, one spacing, one heading. */
export function Page({ title, description, actions, wide = false, children }: PageProps) {
  return (
    <div
      className={classes(
        "mx-auto flex w-full flex-col gap-8 px-4 py-8 sm:px-6 sm:py-10",
        wide ? "max-w-6xl" : "max-w-5xl",
      )}
    >
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 dir="auto" title={title} className="text-2xl font-semibold max-sm:line-clamp-4">
            {title}
          </h1>
          {description ? <p className="mt-1 text-ink-muted">{description}</p> : null}
        </div>
        {actions}
      </header>
      {children}
    </div>
  );
}
