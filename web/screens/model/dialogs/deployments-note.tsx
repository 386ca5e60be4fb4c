import type { ModelDetails } from "@miranda/contract/schemas/models/versions.ts";

interface DeploymentsNoteProps {
  deployments: ModelDetails["deployments"];
  /** What they use. */
  what: string;
}

/** Names the deployments that stop working. */
export function DeploymentsNote({ deployments, what }: DeploymentsNoteProps) {
  const count = deployments.length;
  if (count === 0) return null;
  return (
    <p className="text-sm wrap-anywhere text-warning-text">
      {count === 1 ? "One deployment uses" : `${count} deployments use`} {what}:{" "}
      {deployments.map(({ title }) => title).join(", ")}.
    </p>
  );
}
