export type StatusTone = "none" | "waiting" | "running" | "done" | "failed";

interface StatusLook {
  tone: StatusTone;
  label: string;
}

const tones: readonly (readonly [RegExp, StatusTone])[] = [
  // A stopped or skipped node has no result.
  [/^(idle|stopped)$/i, "none"],
  [/fail|error|exception|crash/i, "failed"],
  [/run|start|busy|active/i, "running"],
  [/queue|wait|pend|stale|ready/i, "waiting"],
  [/done|success|succeed|complete|finish|ok|ran|cached|exited/i, "done"],
];

/** The processor sends status words; the ring of a card has four colours. */
export function statusLook(status: string | null): StatusLook {
  if (!status) return { tone: "none", label: "" };
  const tone = tones.find(([pattern]) => pattern.test(status))?.[1] ?? "waiting";
  return { tone, label: status };
}
