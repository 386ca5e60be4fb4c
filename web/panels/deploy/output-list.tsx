import { deployment as limits } from "@miranda/contract/limits.ts";

import { oneLine } from "../../ui/text/drawable-text.ts";
import { changed, type DraftOutput, type DraftStep, ticked } from "./release-draft.ts";

const inline =
  "h-8 min-w-0 flex-1 rounded-md border border-transparent bg-transparent px-2 text-lg font-medium hover:border-line-strong focus-visible:border-line-strong sm:text-base";

interface OutputListProps {
  outputs: readonly DraftOutput[];
  onChange: (outputs: DraftOutput[]) => void;
}

/** What callers see when the call is done. */
export function OutputList({ outputs, onChange }: OutputListProps) {
  if (outputs.length === 0)
    return <p className="text-sm text-ink-muted">No node of this version shows or sends anything.</p>;
  return (
    <ul aria-label="Outputs" className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
      {outputs.map((output, at) => {
        const what = output.transmitter === null ? "what it shows" : output.transmitter;
        const where = `${output.node_name} · ${what}`;
        return (
          <li
            key={`${output.wob_key} ${output.transmitter}`}
            data-testid="deploy-output"
            data-name={output.name}
            className="flex min-h-11 items-center gap-2 px-2.5 py-1"
          >
            <input
              type="checkbox"
              checked={output.ticked}
              aria-label={`Show ${output.label}`}
              onChange={(event) => onChange(ticked(outputs, at, event.target.checked))}
              className="size-4 shrink-0 accent-accent"
            />
            {output.ticked ? (
              <input
                value={output.label}
                aria-label={`Label of the output ${output.name}`}
                required
                dir="auto"
                maxLength={limits.labelMax}
                onChange={(event) => onChange(changed(outputs, at, { label: event.target.value }))}
                className={inline}
              />
            ) : (
              <span dir="auto" className="min-w-0 flex-1 truncate px-1 text-ink-muted">
                {oneLine(output.label)}
              </span>
            )}
            <span dir="auto" className="max-w-44 min-w-0 truncate text-xs text-ink-faint max-sm:hidden" title={where}>
              {oneLine(where)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

interface StepListProps {
  steps: readonly DraftStep[];
  nameOf: (node: number) => string;
  onChange: (steps: DraftStep[]) => void;
}

/** The words that callers read while a node runs. */
export function StepList({ steps, nameOf, onChange }: StepListProps) {
  return (
    <ul aria-label="Steps" className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
      {steps.map((step, at) => (
        <li key={step.wob_key} className="flex min-h-11 items-center gap-3 px-2.5 py-1">
          <span dir="auto" className="w-32 shrink-0 truncate text-sm text-ink-muted" title={nameOf(step.wob_key)}>
            {oneLine(nameOf(step.wob_key))}
          </span>
          <input
            value={step.label}
            aria-label={`Words for ${nameOf(step.wob_key)}`}
            placeholder="Not shown to callers"
            dir="auto"
            maxLength={limits.labelMax}
            onChange={(event) => onChange(changed(steps, at, { label: event.target.value }))}
            className={inline}
          />
        </li>
      ))}
    </ul>
  );
}
