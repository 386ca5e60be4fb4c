import { Badge } from "../../ui/badge.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { OutputList } from "./output-list.tsx";
import { ProgressBars } from "./progress-bars.tsx";
import { useNodeOutputs } from "./use-node-outputs.ts";

interface NodeOutputsProps {
  node: number;
  name: string;
}

/** All outputs of a node, oldest first, and its progress while it runs. */
export function NodeOutputs({ node, name }: NodeOutputsProps) {
  const { outputs, last, isOld, error, isFetching, refetch } = useNodeOutputs(node);
  return (
    <div className="flex min-w-0 flex-col gap-4" data-testid="node-outputs">
      <ProgressBars node={node} />
      {isOld ? <OldMark /> : null}
      {error && outputs.length === 0 ? (
        <LoadFailure
          title="The output could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {last && outputs.length === 0 && !error ? <Spinner label="Loading the output" /> : null}
      {last ? null : <p className="text-sm text-ink-muted">{name} has shown nothing in this session.</p>}
      <OutputList outputs={outputs} name={name} />
    </div>
  );
}

/** Marks outputs of an earlier run: the node has run since without showing anything yet. */
export function OldMark() {
  return (
    <Badge tone="warning" className="self-start">
      From the previous run
    </Badge>
  );
}
