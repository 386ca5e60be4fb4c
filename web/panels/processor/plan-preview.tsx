import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { PlanEvent } from "@miranda/contract/schemas/processors.ts";

import { useSession } from "../../providers/object-provider.tsx";
import { UnsavedCodeNote } from "./include-unsaved-code.tsx";
import { type RunChoice, usePlan } from "./use-plan.ts";

const maxShown = 8;
/** How the worker begins to say why a result is not kept: runtime/miranda/execution/plan.py. */
const unkeptReason = "Nothing changed. It is not kept";

/**
 * Which nodes a run would run and why. Paragraphs, not a list: it is also used in a menu, which may not contain a list.
 */
export function PlanPreview({ choice }: { choice: RunChoice | undefined }) {
  const { store } = useSession();
  const { plan, reason } = usePlan(choice);
  if (!plan)
    return (
      <div className="flex flex-col gap-1 text-xs">
        <p className="opacity-70">{reason ?? "Asking the processor…"}</p>
        <UnsavedCodeNote />
      </div>
    );
  const { nodes } = store.view().resolved;
  const running = plan.filter(({ run }) => run);
  const kept = plan.filter(({ result }) => result !== null);
  const skipped = plan.filter(({ run, result }) => !run && result === null);
  const unkept = skipped.filter(({ reason }) => reason.startsWith(unkeptReason));
  return (
    <div className="flex flex-col gap-1 text-xs" data-testid="plan">
      <p className="font-medium">
        {running.length === 0 ? "Nothing would run." : `${running.length} of ${plan.length} nodes would run.`}
      </p>
      <Reasons of={running} nodes={nodes} />
      {kept.length > 0 ? (
        <>
          <p className="font-medium">{kept.length === 1 ? "1 node is kept." : `${kept.length} nodes are kept.`}</p>
          <Reasons of={kept} nodes={nodes} />
        </>
      ) : null}
      <Reasons of={unkept} nodes={nodes} />
      {skipped.length > 0 && skipped.length <= 3 ? (
        <p className="opacity-70">
          Not: {skipped.map(({ wob_key }) => nodes[wob_key]?.name ?? `Node ${wob_key}`).join(", ")}.
        </p>
      ) : null}
      <UnsavedCodeNote />
    </div>
  );
}

interface ReasonsProps {
  of: PlanEvent["plan"];
  nodes: Readonly<Record<string, Node>>;
}

function Reasons({ of, nodes }: ReasonsProps) {
  return (
    <>
      <div className="flex flex-col gap-0.5 empty:hidden">
        {of.slice(0, maxShown).map(({ wob_key, reason }) => (
          <p key={wob_key} className="flex gap-1.5">
            <span className="max-w-28 shrink-0 truncate font-medium">{nodes[wob_key]?.name ?? `Node ${wob_key}`}</span>
            <span className="min-w-0 opacity-70">{reason}</span>
          </p>
        ))}
      </div>
      {of.length > maxShown ? <p className="opacity-70">and {of.length - maxShown} more.</p> : null}
    </>
  );
}
