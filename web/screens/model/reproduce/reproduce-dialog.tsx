import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useNavigate } from "react-router";

import type { Reproductions } from "@miranda/contract/schemas/models/lineage.ts";
import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { useMoneyShown } from "../../../api/billing/money-shown.ts";
import { useMoney } from "../../../api/settings.ts";
import { reproductionsQuery } from "../../../api/models/lineage.ts";
import { modelKeys } from "../../../api/models/model.ts";
import { runAddress, runQuery } from "../../../api/runs/runs.ts";
import { usePayer } from "../../../panels/processor/limits/use-payer.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { modeWords, versionWords } from "../../../panels/runs/run-words.ts";
import { useRunAgain } from "../../../panels/runs/use-run-again.ts";
import { WorkflowProviders } from "../../../providers/workflow-providers.tsx";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { comparedVersionsAddress } from "../../../api/models/compared-versions.ts";
import { useOpenModel } from "../open-model.tsx";
import { isOver } from "./reproduction-words.ts";

interface ReproduceDialogProps {
  version: number;
  plan: Reproductions;
  onClose: () => void;
}

/** Says what will happen, runs the workflow as it was, and leads to the comparison with the original. */
export function ReproduceDialog({ version, plan, onClose }: ReproduceDialogProps) {
  const run = useQuery({ ...runQuery(plan.run_id ?? ""), enabled: plan.run_id !== null });
  const title = `Reproduce version ${version}`;
  if (!plan.graph || !run.data)
    return (
      <Dialog open onOpenChange={onClose} title={title} footer={<Button onClick={onClose}>Close</Button>}>
        {run.error ? <FormAlert message={run.error.message} /> : <Spinner label="Loading its run" showLabel />}
      </Dialog>
    );
  return (
    <WorkflowProviders projectId={plan.graph.project_id} graphId={plan.graph.id}>
      <Asked version={version} plan={plan} run={run.data} onClose={onClose} />
    </WorkflowProviders>
  );
}

function Asked({ version, plan, run, onClose }: ReproduceDialogProps & { run: RunDetails }) {
  const payer = usePayer();
  const money = useMoney();
  const isShown = useMoneyShown();
  const { start, busy, failure, isReady, words } = useRunAgain(run);
  // The runs that repeated it before, so that the new one can be told apart.
  const [earlier, setEarlier] = useState<readonly string[]>();

  async function begin(): Promise<void> {
    const known = plan.made.map(({ run_id }) => run_id);
    if (await start()) setEarlier(known);
  }

  if (earlier) return <Awaited version={version} run={run} earlier={earlier} onClose={onClose} />;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Reproduce version ${version}`}
      description="Runs the workflow as it was when this version was made, and compares the result with it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} disabled={!isReady} onClick={() => void begin()}>
            Run and compare
          </Button>
        </>
      }
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm" data-testid="reproduce-plan">
        <li>
          The workflow as it was: {versionWords(run.version, run.graph_revision)} of {run.graph.name}. The workflow as
          it is now does not change.
        </li>
        <li>What runs: {run.mode === "changed" ? "everything" : modeWords(run)}.</li>
        {plan.packages === 0 ? null : (
          <li>
            The same {counted(plan.packages, "package")}, each in the version of then. If they are no longer to be had,
            those of now are installed, and the log says so.
          </li>
        )}
        {plan.python === "" ? null : <li>Python is that of now. It was {plan.python}.</li>}
        <li>Secrets are those of now. {words}</li>
        <li>
          {payer === undefined ? null : `${payer} for it.`}
          {plan.seconds === null ? null : ` The last time it took ${durationText(plan.seconds)}`}
          {plan.seconds === null || plan.cost === null || !isShown ? null : ` and cost ${money(plan.cost)}`}
          {plan.seconds === null ? null : "."}
        </li>
        <li>If the run logs this model again, that becomes a new version.</li>
      </ul>
      <div className="mt-3 empty:hidden">
        <FormAlert message={failure} takesFocus />
      </div>
    </Dialog>
  );
}

interface AwaitedProps {
  version: number;
  run: RunDetails;
  earlier: readonly string[];
  onClose: () => void;
}

/** Waits for the version that the new run makes, then opens the comparison. */
function Awaited({ version, run, earlier, onClose }: AwaitedProps) {
  const { model } = useOpenModel();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data } = useQuery(reproductionsQuery(model.id, version, true));
  const made = data?.made.find(({ run_id }) => !earlier.includes(run_id));
  const number = made?.number ?? null;
  const hasEnded = made !== undefined && isOver(made.state);

  useEffect(() => {
    if (number === null || !hasEnded) return;
    void client.invalidateQueries({ queryKey: modelKeys.of(model.id) });
    void navigate(comparedVersionsAddress(model.id, [version, number]));
  }, [client, hasEnded, model.id, navigate, number, version]);

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Reproduce version ${version}`}
      footer={
        <>
          {made ? (
            <Link to={runAddress(made.run_id)} className={buttonClasses()}>
              Open the run
            </Link>
          ) : null}
          {made && hasEnded ? (
            <Link to={runAddress(made.run_id, `compare/${run.id}`)} className={buttonClasses({ variant: "primary" })}>
              Compare the runs
            </Link>
          ) : (
            <Button onClick={onClose}>Close</Button>
          )}
        </>
      }
    >
      <div className="text-sm" aria-live="polite" data-testid="reproduce-state">
        {made && hasEnded && number === null ? (
          <p>
            {made.state === "done"
              ? "The run has ended, and made no version of this model. Its outputs can be compared."
              : "The run has ended before it made a version of this model."}
          </p>
        ) : (
          <div className="flex flex-col gap-2">
            <Spinner label={made ? "It runs" : "It starts"} showLabel />
            <p className="text-ink-muted">
              When it has ended, the comparison opens. You may close this: the result is listed below the lineage.
            </p>
          </div>
        )}
      </div>
    </Dialog>
  );
}
