import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";

import { classes } from "../classes.ts";

interface PlainSelectProps {
  /** The accessible name; what is chosen says enough to those who see it. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
  className?: string;
}

/** A choice in a toolbar, without a label of its own. */
export function PlainSelect({ label, value, onChange, children, className }: PlainSelectProps) {
  return (
    <span className={classes("relative min-w-0", className)}>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-9 max-w-48 appearance-none truncate rounded-md border border-line-strong bg-surface pr-8 pl-3 text-lg text-ink transition-colors hover:border-ink-faint focus-visible:outline-offset-0 sm:text-base"
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-2.5 my-auto size-4 text-ink-muted"
      />
    </span>
  );
}
