import { ChevronsUpDown } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";

import { classes } from "../classes.ts";

interface PickerProps {
  label: string;
  /** Shown while nothing is chosen. */
  placeholder: string;
  /** The name of the chosen item. */
  value: string | undefined;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
}

/**
 * Chooses one of many. The panel opens in place: inside a dialog, a floating panel would be clipped on small screens.
 */
export function Picker({ label, placeholder, value, open, onOpenChange, children }: PickerProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The focused element is gone with the panel.
    if (wasOpen.current && !open) button.current?.focus();
    wasOpen.current = open;
  }, [open]);

  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open || !panel.current) return;
    // The panel and its results may be below the edge of a small screen.
    const observer = new ResizeObserver(([entry]) => entry?.target.scrollIntoView({ block: "nearest" }));
    observer.observe(panel.current);
    return () => observer.disconnect();
  }, [open]);

  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <span id={`${id}-label`} className="text-sm font-medium">
        {label}
      </span>
      <button
        ref={button}
        id={id}
        type="button"
        aria-labelledby={`${id}-label ${id}`}
        aria-expanded={open}
        aria-controls={open ? `${id}-panel` : undefined}
        onClick={() => onOpenChange(!open)}
        className="flex h-9 w-full items-center gap-2 rounded-md border border-line-strong bg-surface px-3 text-left text-lg transition-colors hover:border-ink-faint focus-visible:outline-offset-0 sm:text-base"
      >
        <span dir="auto" className={classes("min-w-0 flex-1 truncate", value === undefined ? "text-ink-faint" : null)}>
          {value ?? placeholder}
        </span>
        <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
      </button>
      {open ? (
        <div ref={panel} id={`${id}-panel`} className="animate-appear rounded-md border border-line bg-canvas p-2">
          {children}
        </div>
      ) : null}
    </div>
  );
}
