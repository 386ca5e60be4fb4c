import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";

import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { RunDetails } from "@miranda/contract/schemas/runs.ts";
import type { TemplateOffer } from "@miranda/contract/schemas/library/templates.ts";

import { runAddress, runQuery, trialQuery } from "../../../api/runs/runs.ts";
import { nodeLooks, nodeStateOf, runLooks } from "../../../panels/runs/run-looks.ts";
import { RunOutputs } from "../../../panels/runs/run-outputs.tsx";
import { useProcessor, useProcessorState } from "../../../providers/processor/processor-provider.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { Spinner } from "../../../ui/layout/spinner.tsx";

import { canCreate } from "@miranda/contract/processor.ts";

interface TrialProps {
  node: Node;
  graphId: string;
  offer: TemplateOffer;
}

/**
 * Runs the newer code once, with what the nodes before it sent last. Shows its outputs beside those of the present code.
 * The workflow keeps its code.
 */
export function Trial({ node, graphId, offer }: TrialProps) {
  const [isOn, setOn] = useState(false);
  const client = useQueryClient();
  const { actions } = useProcessor();
  const mayRun = useProcessorState(
    ({ shown, waitingOnTag }) => waitingOnTag === null && (shown === "READY" || canCreate(shown)),
  );
  const trial = trialQuery(graphId, node.metadata_id, offer.version);
  const form = useForm(async () => {
    await actions.run({ mode: "to", node: node.metadata_id, resume: true, trial: offer.version }, false);
    setOn(true);
    await client.invalidateQueries({ queryKey: trial.queryKey });
  });
  return (
    <section aria-label="Trial" className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <form onSubmit={form.onSubmit} className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button type="submit" size="sm" busy={form.busy} disabled={!mayRun}>
          Try it
        </Button>
        <p className="min-w-0 flex-1 text-sm text-ink-muted">
          Runs the newer code once with what the node was given last. Your workflow stays as it is.
        </p>
        <FormAlert message={form.error} />
      </form>
      {isOn ? <Results node={node} graphId={graphId} offer={offer} /> : null}
    </section>
  );
}

function Results({ node, graphId, offer }: TrialProps) {
  const { data: tried } = useQuery(trialQuery(graphId, node.metadata_id, offer.version));
  const { data: last } = useQuery({ ...runQuery(offer.last_run ?? ""), enabled: offer.last_run !== null });
  if (!tried?.time_ended) return <Spinner label="Trying the newer code" showLabel />;
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Side label="Now" run={last} node={node} none="The node has not run yet." />
        <Side label={`Version ${offer.version}`} run={tried} node={node} none="The node did not run." />
      </div>
      <p className="flex gap-4 text-sm">
        <Link to={runAddress(tried.id)} className="text-accent-text hover:underline">
          Open the trial run
        </Link>
        {last ? (
          <Link to={runAddress(last.id, `compare/${tried.id}/outputs`)} className="text-accent-text hover:underline">
            Compare both runs
          </Link>
        ) : null}
      </p>
    </>
  );
}

interface SideProps {
  label: string;
  run: RunDetails | undefined;
  node: Node;
  none: string;
}

function Side({ label, run, node, none }: SideProps) {
  const found = run?.run_nodes.find(({ wob_key }) => wob_key === node.metadata_id);
  const exception = run?.exceptions.find(({ wob_key }) => wob_key === node.metadata_id);
  return (
    <section aria-label={label} className="min-w-0 rounded-md bg-canvas p-3">
      <h3 className="mb-2 flex justify-between gap-2 text-sm font-semibold">
        {label}
        {found ? <span className="font-normal text-ink-muted">{nodeLooks[nodeStateOf(found)].word}</span> : null}
      </h3>
      {exception ? (
        <pre className="mb-2 max-h-32 overflow-auto text-xs whitespace-pre-wrap text-danger-text">
          {exception.traceback}
        </pre>
      ) : null}
      {run && found ? <RunOutputs run={run} node={found} /> : null}
      {run && !found ? <p className="text-sm text-ink-muted">{run.reason || runLooks[run.state].word}</p> : null}
      {run ? null : <p className="text-sm text-ink-muted">{none}</p>}
    </section>
  );
}
