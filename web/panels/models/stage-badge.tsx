import { Badge } from "../../ui/badge.tsx";

const tones: Readonly<Record<string, "success" | "info">> = { Production: "success", Staging: "info" };

/** The stage of a version. Most have none. */
export function StageBadge({ stage }: { stage: string }) {
  if (stage === "" || stage === "None") return <span className="text-ink-faint">–</span>;
  return <Badge tone={tones[stage] ?? "neutral"}>{stage}</Badge>;
}
