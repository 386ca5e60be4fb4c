import { classes } from "../classes.ts";

interface SpinnerProps {
  /** What is loading; screen readers announce it even when it is not shown. */
  label?: string;
  showLabel?: boolean;
  className?: string;
}

export function Spinner({ label = "Loading", showLabel = false, className }: SpinnerProps) {
  return (
    <output className={classes("inline-flex items-center gap-2 text-ink-muted", className)}>
      <SpinnerIcon />
      <span className={showLabel ? "text-sm" : "sr-only"}>{label}</span>
    </output>
  );
}

export function SpinnerIcon({ className = "size-4" }: { className?: string }) {
  return (
    <svg viewBox="0 0 16 16" fill="none" aria-hidden="true" className={classes("shrink-0 animate-spin", className)}>
      <circle cx="8" cy="8" r="6.25" stroke="currentColor" strokeOpacity="0.22" strokeWidth="1.75" />
      <path d="M14.25 8A6.25 6.25 0 0 0 8 1.75" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
    </svg>
  );
}

/** Fills its space. Appears late, so that a quick answer causes no flicker. */
export function LoadingArea({ label = "Loading" }: { label?: string }) {
  return (
    <div className="grid min-h-64 flex-1 animate-late place-items-center p-8">
      <Spinner label={label} showLabel />
    </div>
  );
}
