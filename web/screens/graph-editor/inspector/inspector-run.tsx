import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { nodeModelsQuery } from "../../../api/models/lineage.ts";
import { MadeModels } from "../../../panels/models/made-models.tsx";
import { ProgressBars } from "../../../panels/outputs/progress-bars.tsx";
import { usePlan } from "../../../panels/processor/use-plan.ts";
import { useProcessor } from "../../../providers/processor/processor-provider.tsx";
import { Row } from "../panel.tsx";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { formatShare } from "../../../format/share.ts";

/** How the node's last run went, and what the next run would do with it. */
export function InspectorRun({ node }: { node: Node }) {
  const { runs } = useProcessor();
  const run = useSyncExternalStore(runs.watch, () => runs.runOf(node.metadata_id));
  const { plan } = usePlan({ mode: "changed" });
  const next = plan?.find(({ wob_key }) => wob_key === node.metadata_id);
  const { data: models } = useQuery(nodeModelsQuery(node.metadata_id));
  return (
    <>
      <ProgressBars node={node.metadata_id} />
      {run && run.seconds > 0 ? (
        <Row label="Last run">
          <span className="text-sm tabular-nums">
            {durationText(run.seconds)}
            {run.share === undefined ? "" : ` · ${formatShare(run.share)} of the run`}
          </span>
        </Row>
      ) : null}
      {next ? (
        <Row label={next.run ? "Would run" : "Would not run"}>
          <span className="text-right text-sm text-ink-muted" data-testid="why-run">
            {next.reason}
          </span>
        </Row>
      ) : null}
      {models && models.length > 0 ? (
        <Row label="Models">
          <MadeModels models={models} />
        </Row>
      ) : null}
    </>
  );
}
