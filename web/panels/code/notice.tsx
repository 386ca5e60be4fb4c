import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

import { classes } from "../../ui/classes.ts";

interface NoticeProps {
  icon: LucideIcon;
  tone?: "neutral" | "danger" | "warning";
  testId: string;
  action?: ReactNode;
  children: ReactNode;
}

const tones = {
  neutral: "bg-sunken text-ink-muted",
  danger: "bg-danger-soft text-danger-text",
  warning: "bg-warning-soft text-warning-text",
} as const;

/** One line above the code. */
export function Notice({ icon: Icon, tone = "neutral", testId, action, children }: NoticeProps) {
  return (
    <output
      data-testid={testId}
      className={classes(
        "flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-3 py-1.5 text-sm",
        tones[tone],
      )}
    >
      <Icon className="size-4 shrink-0" aria-hidden="true" />
      <span className="min-w-0 flex-1">{children}</span>
      {action ? <span className="flex shrink-0 gap-1.5">{action}</span> : null}
    </output>
  );
}
