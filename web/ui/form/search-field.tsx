import { Search } from "lucide-react";
import type { ComponentProps } from "react";

import { classes } from "../classes.ts";
import { Spinner } from "../layout/spinner.tsx";

interface SearchFieldProps extends Omit<ComponentProps<"input">, "type"> {
  /** The placeholder and the accessible name. */
  label: string;
  busy?: boolean;
}

export function SearchField({ label, busy = false, className, ...input }: SearchFieldProps) {
  return (
    <div className={classes("relative", className)}>
      <span className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-ink-faint">
        {busy ? <Spinner label="Searching" /> : <Search className="size-4" aria-hidden="true" />}
      </span>
      <input
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        placeholder={label}
        aria-label={label}
        {...input}
        type="search"
        className="h-9 w-full appearance-none rounded-md border border-line-strong bg-surface pr-3 pl-9 text-lg transition-colors [&::-webkit-search-cancel-button]:opacity-60 [&::-webkit-search-cancel-button]:grayscale hover:border-ink-faint focus-visible:outline-offset-0 sm:text-base"
      />
    </div>
  );
}
