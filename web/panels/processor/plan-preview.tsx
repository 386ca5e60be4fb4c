import { useSession } from "../../providers/object-provider.tsx";
import { UnsavedCodeNote } from "./include-unsaved-code.tsx";
import { type RunChoice, usePlan } from "./use-plan.ts";

const maxShown = 8;

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
  const skipped = plan.filter(({ run }) => !run);
  return (
    <div className="flex flex-col gap-1 text-xs" data-testid="plan">
      <p className="font-medium">
        {running.length === 0 ? "Nothing would run." : `${running.length} of ${plan.length} nodes would run.`}
      </p>
      <div className="flex flex-col gap-0.5">
        {running.slice(0, maxShown).map(({ wob_key, reason }) => (
          <p key={wob_key} className="flex gap-1.5">
            <span className="max-w-28 truncate font-medium">{nodes[wob_key]?.name ?? `Node ${wob_key}`}</span>
            <span className="opacity-70">{reason}</span>
          </p>
        ))}
      </div>
      {running.length > maxShown ? <p className="opacity-70">and {running.length - maxShown} more.</p> : null}
      {skipped.length > 0 && skipped.length <= 3 ? (
        <p className="opacity-70">
          Not: {skipped.map(({ wob_key }) => nodes[wob_key]?.name ?? `Node ${wob_key}`).join(", ")}.
        </p>
      ) : null}
      <UnsavedCodeNote />
    </div>
  );
}
