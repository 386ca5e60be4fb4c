import { durationText, runningDurationText } from "@miranda/contract/words/duration-text.ts";

import { fullName } from "../../format/person-names.ts";

import type { Run, RunNode } from "@miranda/contract/schemas/runs.ts";

import { nodeStateOf } from "./run-looks.ts";

type Timed = Pick<Run, "time_began" | "time_ended" | "times">;

const modes: Readonly<Record<string, string>> = {
  changed: "Only what changed",
  all: "Everything",
  one: "One node",
  to: "Up to a node",
  from: "From a node",
  start: "Everything",
  call: "A call",
};

const targeted: Readonly<Record<string, (name: string) => string>> = {
  one: (name) => `Only ${name}`,
  to: (name) => `Up to ${name}`,
  from: (name) => `From ${name}`,
};

/** What was asked for: "Up to Train". */
export function modeWords({ mode, target }: Pick<Run, "mode" | "target">): string {
  const ofNode = target && targeted[mode];
  return ofNode ? ofNode(target.name) : (modes[mode] ?? mode);
}

export function sourceWords({ source }: Pick<Run, "source">): string {
  return { person: "", deployment: "By a deployment", schedule: "By a schedule" }[source];
}

/** "8 ran, 2 skipped, 1 failed". Each node is counted once, when it has ended. */
export function nodeCountWords({ nodes, time_ended }: Pick<Run, "nodes" | "time_ended">): string {
  const { run, skipped, kept, failed } = nodes;
  const parts: [number, string][] = [
    [run - failed, "ran"],
    [skipped - kept, "skipped"],
    [kept, "kept"],
    [failed, "failed"],
  ];
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${count.toLocaleString("en")} ${word}`);
  if (said.length > 0) return said.join(", ");
  return time_ended === null ? "None ended yet" : "No nodes";
}

/** The reason was written before the run, so some words of it are wrong afterwards. */
const afterwards: Readonly<Record<string, string>> = { "It has not run yet.": "It had not run before." };

/** Why a node runs, ran or did not. */
export function reasonWords(node: Pick<RunNode, "planned" | "status" | "result" | "reason">) {
  const state = nodeStateOf(node);
  if (state === "idle") return { title: "Why it did not run", words: "The run ended before its turn." };
  const words = afterwards[node.reason] ?? node.reason;
  if (state === "waiting" || state === "running") return { title: "Why it runs", words };
  return { title: node.planned ? "Why it ran" : "Why it did not run", words };
}

export function personName(by: Run["by"]): string {
  return by ? fullName(by) : "Deleted account";
}

/** How long a run has taken until now, or took: that is for the server to say. */
export function runSeconds({ time_began, time_ended, times }: Timed, now: number): number {
  return time_ended === null ? Math.max(0, (now - Date.parse(time_began)) / 1_000) : times.took;
}

export function durationWords(run: Timed, now: number): string {
  const seconds = runSeconds(run, now);
  return run.time_ended === null ? runningDurationText(seconds) : durationText(seconds);
}

/** "Installed packages for 30.2 s, ran for 23.2 s." Empty when it did nothing else than run. */
export function partsWords({ times: { waiting, installing, running } }: Pick<Run, "times">): string {
  const waited = waiting > 0 ? `Waited ${durationText(waiting)} for its session. ` : "";
  const parts = `Installed packages for ${durationText(installing)}, ran for ${durationText(running)}.`;
  return `${waited}${installing > 0 ? parts : ""}`.trim();
}

export function versionWords(version: Run["version"], revision: number): string {
  if (!version) return `Revision ${revision}`;
  const number = version.number === null ? "" : `#${version.number}`;
  return [version.name, number].filter(Boolean).join(" ") || `Revision ${revision}`;
}

export const isLive = ({ time_ended }: Pick<Run, "time_ended">): boolean => time_ended === null;
