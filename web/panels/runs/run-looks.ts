import {
  Archive,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CirclePause,
  CircleStop,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  Unplug,
  Zap,
} from "lucide-react";

import type { RunNode, RunState } from "@miranda/contract/schemas/runs.ts";

/** Each state has a word and a shape of its own: its colour alone tells some people nothing. */
export interface Look {
  word: string;
  icon: LucideIcon;
  tone: "neutral" | "success" | "warning" | "danger" | "info";
  /** For drawings. */
  colour: string;
  /** For small texts beside drawings. */
  sign: string;
  spins?: true;
}

export const runLooks: Readonly<Record<RunState, Look>> = {
  running: {
    word: "Running",
    icon: LoaderCircle,
    tone: "info",
    colour: "var(--info)",
    sign: "▶",
    spins: true,
  },
  paused: { word: "Paused", icon: CirclePause, tone: "warning", colour: "var(--warning)", sign: "‖" },
  done: { word: "Done", icon: CircleCheck, tone: "success", colour: "var(--success)", sign: "✓" },
  failed: { word: "Failed", icon: CircleX, tone: "danger", colour: "var(--danger)", sign: "✕" },
  stopped: { word: "Stopped", icon: CircleStop, tone: "neutral", colour: "var(--ink-faint)", sign: "■" },
  crashed: { word: "Crashed", icon: Zap, tone: "danger", colour: "var(--danger)", sign: "✕" },
  lost: { word: "Lost", icon: Unplug, tone: "danger", colour: "var(--danger)", sign: "✕" },
};

export const nodeStates = ["running", "error", "stopped", "waiting", "done", "kept", "skipped", "idle"] as const;
/** What became of a node in a run. */
export type NodeState = (typeof nodeStates)[number];

export const nodeLooks: Readonly<Record<NodeState, Look>> = {
  running: {
    word: "Running",
    icon: LoaderCircle,
    tone: "info",
    colour: "var(--info)",
    sign: "▶",
    spins: true,
  },
  error: { word: "Failed", icon: CircleX, tone: "danger", colour: "var(--danger)", sign: "✕" },
  stopped: { word: "Stopped", icon: CircleStop, tone: "neutral", colour: "var(--ink-faint)", sign: "■" },
  waiting: { word: "Waiting", icon: Clock, tone: "neutral", colour: "var(--ink-faint)", sign: "…" },
  done: { word: "Ran", icon: CircleCheck, tone: "success", colour: "var(--success)", sign: "✓" },
  kept: { word: "Kept result", icon: Archive, tone: "neutral", colour: "var(--accent)", sign: "⤓" },
  skipped: { word: "Skipped", icon: CircleMinus, tone: "neutral", colour: "var(--line-strong)", sign: "–" },
  idle: { word: "Not reached", icon: CircleDashed, tone: "neutral", colour: "var(--line-strong)", sign: "–" },
};

export function nodeStateOf({ planned, status, result }: Pick<RunNode, "planned" | "status" | "result">): NodeState {
  if (!planned) return result === null ? "skipped" : "kept";
  return nodeStates.find((state) => state === status) ?? "idle";
}
