import type { ComponentProps } from "react";

import { classes } from "./classes.ts";
import { SpinnerIcon } from "./layout/spinner.tsx";

const variants = {
  primary: "bg-accent text-accent-ink hover:bg-accent-hover shadow-low",
  secondary: "border border-ink/15 bg-raised text-ink hover:bg-hover shadow-low",
  ghost: "text-ink-muted hover:bg-hover hover:text-ink",
  danger: "bg-danger text-danger-ink hover:bg-danger-hover shadow-low",
} as const;

const sizes = {
  sm: "h-7 px-2.5 text-sm gap-1.5",
  md: "h-9 px-3.5 text-base gap-2",
  lg: "h-10 px-4 text-base gap-2",
  icon: "size-8",
} as const;

export interface ButtonLook {
  variant?: keyof typeof variants | undefined;
  size?: keyof typeof sizes | undefined;
}

/** For links that look like buttons. */
export function buttonClasses({ variant = "secondary", size = "md" }: ButtonLook = {}, className?: string): string {
  return classes(
    "inline-flex shrink-0 select-none items-center justify-center rounded-md font-medium whitespace-nowrap transition-colors",
    "disabled:pointer-events-none disabled:opacity-55",
    variants[variant],
    sizes[size],
    className,
  );
}

interface ButtonProps extends ComponentProps<"button">, ButtonLook {
  /** Shows that a call is pending, and ignores further clicks. */
  busy?: boolean;
}

export function Button({ variant, size, busy = false, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={buttonClasses({ variant, size }, className)}
    >
      {busy ? <SpinnerIcon /> : null}
      {children}
    </button>
  );
}
