import type { ReactNode } from "react";

import type { HealthPart } from "@miranda/contract/schemas/operations/health.ts";

import { Badge } from "../../../ui/badge.tsx";

const states = {
  ok: { tone: "success", word: "OK" },
  warning: { tone: "warning", word: "Warning" },
  failed: { tone: "danger", word: "Failed" },
  off: { tone: "neutral", word: "Off" },
} as const;

interface HealthRowProps {
  label: string;
  part: HealthPart;
  children?: ReactNode;
}

/** One part of the installation: its state as a word, and what that means. */
export function HealthRow({ label, part, children }: HealthRowProps) {
  const { tone, word } = states[part.state];
  return (
    <li className="flex items-start justify-between gap-4 py-3">
      <div className="min-w-0 text-sm">
        <div className="font-medium">{label}</div>
        <div className="text-ink-muted text-pretty wrap-anywhere">{part.words}</div>
        {children ? <div className="text-ink-faint tabular-nums">{children}</div> : null}
      </div>
      <Badge tone={tone}>{word}</Badge>
    </li>
  );
}
