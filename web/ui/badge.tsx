import type { ReactNode } from "react";

import { classes } from "./classes.ts";

const tones = {
  neutral: "bg-sunken text-ink-muted border-line",
  accent: "bg-accent-soft text-accent-text border-transparent",
  success: "bg-success-soft text-success-text border-transparent",
  warning: "bg-warning-soft text-warning-text border-transparent",
  danger: "bg-danger-soft text-danger-text border-transparent",
  info: "bg-info-soft text-info-text border-transparent",
} as const;

interface BadgeProps {
  tone?: keyof typeof tones;
  className?: string;
  children: ReactNode;
}

export function Badge({ tone = "neutral", className, children }: BadgeProps) {
  return (
    <span
      className={classes(
        "inline-flex h-5 shrink-0 items-center gap-1 rounded-full border px-2 text-xs font-medium whitespace-nowrap tabular-nums",
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
