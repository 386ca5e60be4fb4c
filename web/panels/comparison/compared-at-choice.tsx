import type { ComparedAt } from "../../api/models/compare.ts";
import { classes } from "../../ui/classes.ts";

interface ComparedAtChoiceProps {
  chosen: ComparedAt;
  /** From the first to the last step of any metric. Null: no metric has steps. */
  steps: { from: number; to: number } | null;
  onChoose: (chosen: ComparedAt) => void;
}

const labels = { last: "Last value", best: "Best value", step: "At a step" } as const;

/** Which value of each metric is compared. */
export function ComparedAtChoice({ chosen, steps, onChoose }: ComparedAtChoiceProps) {
  const offered = steps && steps.to > steps.from ? (["last", "best", "step"] as const) : (["last", "best"] as const);
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm">
      <fieldset className="flex items-center rounded-md border border-line p-0.5">
        <legend className="sr-only">Which value of each metric</legend>
        {offered.map((at) => (
          <button
            key={at}
            type="button"
            aria-pressed={chosen.at === at}
            onClick={() => onChoose(at === "step" ? { at, step: steps?.to ?? 0 } : { at })}
            className={classes(
              "h-7 rounded-sm px-2.5 font-medium",
              chosen.at === at ? "bg-accent-soft text-accent-text" : "text-ink-muted hover:text-ink",
            )}
          >
            {labels[at]}
          </button>
        ))}
      </fieldset>
      {chosen.at === "step" && steps ? (
        <label className="flex items-center gap-2 text-ink-muted">
          Step
          <input
            type="range"
            min={steps.from}
            max={steps.to}
            step={Number.isInteger(steps.from) && Number.isInteger(steps.to) ? 1 : "any"}
            value={chosen.step}
            onChange={({ target }) => onChoose({ at: "step", step: target.valueAsNumber })}
            className="w-40 accent-(--accent)"
          />
          <span className="min-w-12 text-ink tabular-nums">{chosen.step.toLocaleString("en")}</span>
        </label>
      ) : null}
    </div>
  );
}
