import { useQuery } from "@tanstack/react-query";

import { sampleArgs } from "@miranda/contract/command-args.ts";
import { isAlive } from "@miranda/contract/processor.ts";
import type { Edge } from "@miranda/contract/schemas/nodes.ts";
import type { RunDetails, RunNode } from "@miranda/contract/schemas/runs.ts";

import { readProcessor, sendProcessorCommand } from "../../../api/jobs/processors.ts";
import { runGraphQuery } from "../../../api/runs/runs.ts";
import { jsonViewer } from "../../../limits.ts";
import { awaitAnswer } from "../../../providers/processor/answers.ts";
import { useRealtime } from "../../../providers/realtime-provider.tsx";
import { valueOutput } from "../../../ui/output/output-kind.ts";
import { OutputView } from "../../../ui/output/output-view.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";

/** The values that a node received last. Only the session has them, and only while it lives. */
export function NodeInputs({ run, node }: { run: RunDetails; node: RunNode }) {
  const { data: graph } = useQuery({ ...runGraphQuery(run.id), enabled: run.version !== null });
  const { data: job } = useQuery({
    queryKey: ["runs", "processor", run.graph.id],
    queryFn: async () => (await readProcessor(run.graph.id)) ?? null,
  });
  const isOpen = job?.id === run.session.id && isAlive(job.workflow_state);
  const edges = graph?.edges.filter((edge) => edge.destination_wob_key === node.wob_key && edge.is_field === 0) ?? [];
  if (!graph || edges.length === 0) return <p className="text-sm text-ink-muted">It has no inputs.</p>;
  if (!isOpen) return <p className="text-sm text-ink-muted">The session has ended, and its values are gone with it.</p>;
  return (
    <div className="flex flex-col gap-4">
      {edges.map((edge) => (
        <Sample
          key={`${edge.source_wob_key} ${edge.source_transmitter_key} ${edge.destination_receiver_key}`}
          run={run}
          edge={edge}
          from={graph.nodes[edge.source_wob_key]?.name ?? "a node"}
        />
      ))}
    </div>
  );
}

function Sample({ run, edge, from }: { run: RunDetails; edge: Edge; from: string }) {
  const realtime = useRealtime();
  const { source_wob_key: node, source_transmitter_key: transmitter } = edge;
  const { data, error } = useQuery({
    queryKey: ["sample", run.graph.id, run.session.id, run.revision, node, transmitter],
    queryFn: async () => {
      const { answer, stop } = awaitAnswer(
        realtime,
        "sample",
        run.session.id,
        (event) => event.wob_key === node && event.transmitter === transmitter,
      );
      try {
        await sendProcessorCommand(run.graph.id, "sample", sampleArgs({ node, transmitter }));
      } catch (cause) {
        stop();
        throw cause;
      }
      return answer;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    retry: false,
  });
  return (
    <section className="flex min-w-0 flex-col gap-1" data-testid="input-sample">
      <h4 dir="auto" className="truncate text-sm">
        <span className="font-medium">{edge.destination_receiver_key}</span>
        <span className="text-ink-muted">
          {" "}
          from {from}
          {data?.kind ? `, ${[data.kind, data.size].filter(Boolean).join(" · ")}` : ""}
        </span>
      </h4>
      {error ? <p className="text-sm text-danger-text">{error.message}</p> : null}
      {data ? (
        data.kind === null ? (
          <p className="text-sm text-ink-muted">No value has passed through it in this session.</p>
        ) : (
          <OutputView
            output={valueOutput(data.value)}
            label={edge.destination_receiver_key}
            limits={jsonViewer}
            small
          />
        )
      ) : error ? null : (
        <Spinner label="Asking the session" />
      )}
    </section>
  );
}
