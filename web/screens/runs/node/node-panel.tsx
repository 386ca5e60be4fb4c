import { X } from "lucide-react";
import { type ReactNode, type RefObject, useId } from "react";
import { Link } from "react-router";

import type { RunNode } from "@miranda/contract/schemas/runs.ts";

import { Money, MoneyShown } from "../../../panels/money.tsx";
import { graphAddress } from "../../../api/graphs.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { formatShare } from "../../../format/share.ts";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { nodeStateOf } from "../../../panels/runs/run-looks.ts";
import { NodeBadge } from "../../../panels/runs/run-mark.tsx";
import { reasonWords } from "../../../panels/runs/run-words.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { drawableText } from "../../../ui/text/drawable-text.ts";
import { NodeException } from "./node-exception.tsx";
import { NodeInputs } from "./node-inputs.tsx";
import { RunLog } from "./run-log.tsx";
import { RunOutputs } from "../../../panels/runs/run-outputs.tsx";

interface NodePanelProps {
  node: RunNode;
  onClose: () => void;
  ref?: RefObject<HTMLElement | null>;
}

/** Everything about one node of the run. */
export function NodePanel({ node, onClose, ref }: NodePanelProps) {
  const { run, mayWrite } = useOpenRun();
  const reason = reasonWords(node);
  const exceptions = run.exceptions.filter(({ wob_key }) => wob_key === node.wob_key);
  const waited = node.spans.reduce((sum, [ready, began]) => sum + Math.max(0, began - ready), 0);
  const all = run.run_nodes.reduce((sum, { seconds }) => sum + seconds, 0);
  return (
    <aside
      ref={ref}
      tabIndex={-1}
      aria-label={node.name}
      data-testid="node-panel"
      className="flex min-h-0 w-[28rem] shrink-0 flex-col border-l border-line bg-surface focus:outline-none max-lg:absolute max-lg:inset-0 max-lg:z-20 max-lg:w-full max-lg:border-l-0"
    >
      <header className="flex min-h-13 shrink-0 items-center gap-2 border-b border-line py-1.5 pr-2 pl-4">
        <h2 dir="auto" className="min-w-0 flex-1 truncate font-semibold">
          {node.name}
        </h2>
        <NodeBadge state={nodeStateOf(node)} />
        <IconButton icon={X} label="Close" onClick={onClose} />
      </header>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <dl className="grid grid-cols-2 gap-x-4 gap-y-1 px-4 pt-3 pb-2 text-sm">
          <Figure label="Ran">{node.seconds > 0 ? durationText(node.seconds) : "–"}</Figure>
          <Figure label="Waited">{waited > 0 ? durationText(waited) : "–"}</Figure>
          <Figure label="Times">{node.fires > 0 ? node.fires.toLocaleString("en") : "–"}</Figure>
          <MoneyShown>
            <Figure label="Cost">
              <Money amount={node.cost} />
              {all > 0 && node.seconds > 0 ? (
                <span className="text-ink-muted"> ({formatShare(node.seconds / all)})</span>
              ) : null}
            </Figure>
          </MoneyShown>
          {node.seed === null ? null : (
            <div className="col-span-2">
              <dt className="text-ink-muted">Seed of random numbers</dt>
              <dd className="tabular-nums">{node.seed}</dd>
            </div>
          )}
          {reason.words === "" ? null : (
            <div className="col-span-2 mt-1">
              <dt className="text-ink-muted">{reason.title}</dt>
              <dd dir="auto" className="break-words" data-testid="node-reason">
                {drawableText(reason.words)}
              </dd>
            </div>
          )}
        </dl>
        <Link
          to={`${graphAddress(run.graph.project_id, run.graph.id)}/code/${node.wob_key}`}
          className="border-b border-line px-4 pb-3 text-sm text-accent-text hover:underline"
        >
          Code of the node as it is now
        </Link>
        {exceptions.length === 0 ? null : (
          <Part title="Exception">
            {exceptions.map((exception) => (
              <NodeException key={exception.number} run={run} exception={exception} />
            ))}
          </Part>
        )}
        <Part title="Output">
          <RunOutputs key={node.wob_key} run={run} node={node} />
        </Part>
        {mayWrite ? (
          <Part title="Inputs">
            <NodeInputs key={node.wob_key} run={run} node={node} />
          </Part>
        ) : null}
        <section aria-label="Log of the node" className="flex h-96 shrink-0 flex-col">
          <RunLog key={node.wob_key} run={run} node={node.wob_key} />
        </section>
      </div>
    </aside>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 border-b border-line px-4 py-3">
      <h3 id={id} className="text-sm font-semibold">
        {title}
      </h3>
      {children}
    </section>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-2">
      <dt className="text-ink-muted">{label}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
