import { useMemo } from "react";

import { durationText } from "@miranda/contract/words/duration-text.ts";
import { Money, MoneyShown } from "../../../panels/money.tsx";
import { nodeLooks } from "../../../panels/runs/run-looks.ts";
import { LookIcon } from "../../../panels/runs/run-mark.tsx";
import { classes } from "../../../ui/classes.ts";
import { VirtualList } from "../../../ui/layout/virtual-list.tsx";
import { type ComparedNode, comparedNodes, type ComparedSide, nodeChangeWords } from "./compared-nodes.ts";
import { useBothRuns } from "./use-other-run.ts";

const columns = "grid grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_minmax(0,1fr)_9rem] gap-x-4 max-sm:grid-cols-2";

/** How long each node took in both runs, those that changed most first. */
export function Timings() {
  const both = useBothRuns();
  const nodes = useMemo(() => (both ? comparedNodes(both.before, both.after) : []), [both]);
  if (!both) return null;
  const longest = nodes.reduce(
    (most, { before, after }) => Math.max(most, before?.seconds ?? 0, after?.seconds ?? 0),
    0,
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-surface">
      <div
        aria-hidden="true"
        className={classes(
          columns,
          "border-b border-line bg-sunken px-6 py-2 text-sm font-medium text-ink-muted max-sm:hidden",
        )}
      >
        <span>Node</span>
        <span>Before</span>
        <span>After</span>
        <span>Change</span>
      </div>
      <VirtualList
        label="Timings"
        className="min-h-0 flex-1 overflow-y-auto"
        rowHeight={45}
        items={nodes}
        itemKey={({ key }) => `${key}`}
        renderItem={(node) => <Row node={node} longest={longest} />}
        reading
      />
    </div>
  );
}

function Row({ node, longest }: { node: ComparedNode; longest: number }) {
  const { name, before, after } = node;
  return (
    <div
      data-testid="compared-node"
      className={classes(columns, "items-center border-b border-line px-6 py-2 text-sm max-sm:px-4")}
    >
      <span dir="auto" className="truncate font-medium max-sm:col-span-2">
        {name}
      </span>
      <Side label="Before" side={before} longest={longest} />
      <Side label="After" side={after} longest={longest} />
      <span className="text-ink-muted max-sm:col-span-2">{nodeChangeWords(node)}</span>
    </div>
  );
}

function Side({ label, side, longest }: { label: string; side: ComparedSide | undefined; longest: number }) {
  if (!side) return <span className="text-ink-faint">–</span>;
  const look = nodeLooks[side.state];
  return (
    <span className="flex min-w-0 flex-col gap-1">
      <span className="flex items-center gap-1.5">
        <span className="sr-only">{label}: </span>
        <LookIcon look={look} className="size-3.5" withWord />
        <span className="tabular-nums">{side.seconds > 0 ? durationText(side.seconds) : look.word}</span>
        {side.cost > 0 ? (
          <MoneyShown>
            <span className="text-xs text-ink-muted tabular-nums">
              <Money amount={side.cost} />
            </span>
          </MoneyShown>
        ) : null}
      </span>
      <span aria-hidden="true" className="h-1 rounded-full bg-sunken">
        <span
          className="block h-full rounded-full"
          style={{
            width: `${longest > 0 ? (side.seconds / longest) * 100 : 0}%`,
            backgroundColor: look.colour,
          }}
        />
      </span>
    </span>
  );
}
