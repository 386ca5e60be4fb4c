import { useMemo, useState } from "react";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { nodeLooks, nodeStateOf } from "../../../panels/runs/run-looks.ts";
import { LookIcon } from "../../../panels/runs/run-mark.tsx";
import { StepList } from "../../../ui/layout/step-list.tsx";
import { RunOutputs } from "../../../panels/runs/run-outputs.tsx";
import { useBothRuns } from "./use-other-run.ts";

/** What a node showed in both runs, side by side. */
export function ComparedOutputs() {
  const both = useBothRuns();
  const [chosen, setChosen] = useState<string>();
  const nodes = useMemo(() => both?.after.run_nodes ?? [], [both?.after.run_nodes]);
  if (!both) return null;
  const shown = nodes.find(({ wob_key }) => `${wob_key}` === chosen) ?? nodes[0];
  if (!shown) return <p className="grid flex-1 place-items-center p-8 text-ink-muted">No node ran.</p>;
  return (
    <div className="flex min-h-0 flex-1 max-md:flex-col">
      <StepList
        label="Nodes"
        items={nodes}
        itemKey={({ wob_key }) => `${wob_key}`}
        chosen={`${shown.wob_key}`}
        onChoose={({ wob_key }) => setChosen(`${wob_key}`)}
        rowHeight={36}
        className="w-64 shrink-0 border-r border-line bg-surface p-1.5 max-md:max-h-48 max-md:w-full max-md:border-r-0 max-md:border-b"
        renderItem={(node) => (
          <span className="flex items-center gap-2">
            <LookIcon look={nodeLooks[nodeStateOf(node)]} className="size-3.5" withWord />
            <span dir="auto" className="min-w-0 truncate">
              {node.name}
            </span>
          </span>
        )}
      />
      <div className="grid min-h-0 flex-1 grid-cols-2 overflow-y-auto bg-canvas max-sm:grid-cols-1">
        <Side label="Before" run={both.before} node={shown.wob_key} />
        <Side label="After" run={both.after} node={shown.wob_key} />
      </div>
    </div>
  );
}

function Side({ label, run, node }: { label: string; run: RunDetails; node: number }) {
  const found = run.run_nodes.find(({ wob_key }) => wob_key === node);
  return (
    <section aria-label={label} className="min-w-0 border-r border-line p-4 last:border-r-0">
      <h2 className="mb-3 text-sm font-semibold">{label}</h2>
      {found ? (
        <RunOutputs key={`${run.id} ${node}`} run={run} node={found} />
      ) : (
        <p className="text-sm text-ink-muted">The node was not part of this run.</p>
      )}
    </section>
  );
}
