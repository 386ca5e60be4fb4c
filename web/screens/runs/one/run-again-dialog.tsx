import { useNavigate } from "react-router";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { Money, MoneyShown } from "../../../panels/money.tsx";
import { runAddress } from "../../../api/runs/runs.ts";
import { usePayer } from "../../../panels/processor/limits/use-payer.ts";
import { durationWords, modeWords, versionWords } from "../../../panels/runs/run-words.ts";
import { useRunAgain } from "../../../panels/runs/use-run-again.ts";
import { WorkflowProviders } from "../../../providers/workflow-providers.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";

interface RunAgainDialogProps {
  run: RunDetails;
  onClose: () => void;
}

/** Says what will happen, starts a session if there is none, and opens the new run. */
export function RunAgainDialog(props: RunAgainDialogProps) {
  const { graph } = props.run;
  return (
    <WorkflowProviders projectId={graph.project_id} graphId={graph.id}>
      <RunAgain {...props} />
    </WorkflowProviders>
  );
}

function RunAgain({ run, onClose }: RunAgainDialogProps) {
  const navigate = useNavigate();
  const payer = usePayer();
  const { start, busy, failure, isReady, words } = useRunAgain(run);

  async function runAgain(): Promise<void> {
    const started = await start();
    if (!started) return;
    if (started.made) await navigate(runAddress(started.made.id));
    onClose();
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Run again exactly so"
      description={`Runs the workflow as it was: ${versionWords(run.version, run.graph_revision)}. The workflow as it is now does not change.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} disabled={!isReady} onClick={() => void runAgain()}>
            Run
          </Button>
        </>
      }
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm">
        {/* In a session where nothing has changed, nothing would run. */}
        <li>What runs: {run.mode === "changed" ? "everything" : modeWords(run)}.</li>
        <li>Secrets are those of now.</li>
        <li>{words}</li>
        <li>
          <MoneyShown>{payer === undefined ? null : `${payer} for it. `}</MoneyShown>This run took{" "}
          {durationWords(run, Date.parse(run.time_began))}
          <MoneyShown>
            {" "}
            and cost <Money amount={run.cost} />
          </MoneyShown>
          .
        </li>
      </ul>
      <div className="mt-3 empty:hidden">
        <FormAlert message={failure} takesFocus />
      </div>
    </Dialog>
  );
}
