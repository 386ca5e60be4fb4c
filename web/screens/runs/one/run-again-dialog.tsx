import { useState } from "react";
import { useNavigate } from "react-router";

import type { RunArgs } from "@miranda/contract/command-args.ts";
import { canCreate } from "@miranda/contract/processor.ts";
import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { findRepetition, runAddress } from "../../../api/runs/runs.ts";
import { useCurrency } from "../../../api/settings.ts";
import { costWords, durationWords, modeWords, versionWords } from "../../../panels/runs/run-words.ts";
import { useProcessor, useProcessorState } from "../../../providers/processor/processor-provider.tsx";
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

const modes = ["changed", "all", "one", "to", "from"] as const;

function argsOf({ id, mode, target }: RunDetails): RunArgs {
  const known = modes.find((one) => one === mode) ?? "changed";
  return { mode: known, ...(target && { node: target.wob_key }), repeats: id };
}

function RunAgain({ run, onClose }: RunAgainDialogProps) {
  const { actions } = useProcessor();
  const navigate = useNavigate();
  const currency = useCurrency();
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const isNew = canCreate(shown);
  const isReady = !isWaiting && (isNew || shown === "READY");

  async function start(): Promise<void> {
    setBusy(true);
    setFailure(null);
    try {
      await actions.run(argsOf(run), false);
      const made = await findRepetition(run);
      if (made) await navigate(runAddress(made.id));
      onClose();
    } catch (cause) {
      setFailure(cause instanceof Error ? cause.message : String(cause));
      setBusy(false);
    }
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
          <Button variant="primary" busy={busy} disabled={!isReady} onClick={() => void start()}>
            Run
          </Button>
        </>
      }
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm">
        {/* In a session where nothing has changed, nothing would run. */}
        <li>What runs: {run.mode === "changed" ? "everything" : modeWords(run)}.</li>
        <li>Secrets are those of now.</li>
        <li>
          {busy || isReady
            ? isNew
              ? "A new session starts."
              : "It runs in the session that is open."
            : "The processor is busy. Wait until it is ready."}
        </li>
        <li>
          You pay for it. This run took {durationWords(run, Date.parse(run.time_began))} and cost{" "}
          {costWords(currency, run.cost)}.
        </li>
      </ul>
      <div className="mt-3 empty:hidden">
        <FormAlert message={failure} takesFocus />
      </div>
    </Dialog>
  );
}
