import type { InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";

import { FieldControl } from "./field-control.tsx";
import type { AppField, FormValues } from "./form-values.ts";

interface AppFieldsProps {
  fields: readonly AppField[];
  values: FormValues;
  onChange: (name: string, value: unknown) => void;
  /** What is wrong, shown at its field. */
  problems?: readonly InputProblem[];
  disabled?: boolean;
}

const none: readonly InputProblem[] = [];

/** The fields of an app in the order of its release. They keep no state: whoever shows them keeps the values. */
export function AppFields({ fields, values, onChange, problems = none, disabled = false }: AppFieldsProps) {
  return (
    <div className="flex min-w-0 flex-col gap-5" data-testid="app-fields">
      {fields.map((field) => (
        <div key={field.name} data-field={field.name} className="min-w-0">
          <FieldControl
            field={field}
            value={values[field.name]}
            onChange={(value) => onChange(field.name, value)}
            error={problems
              .filter((problem) => problem.field === field.name)
              .map(({ message }) => message)
              .join(" ")}
            disabled={disabled}
          />
        </div>
      ))}
    </div>
  );
}

/** Puts the focus into the first field that something is wrong with. */
export function focusFirstProblem(
  form: HTMLElement,
  fields: readonly AppField[],
  problems: readonly InputProblem[],
): void {
  const first = fields.find(({ name }) => problems.some(({ field }) => field === name));
  if (!first) return;
  const place = form.querySelector<HTMLElement>(`[data-field="${CSS.escape(first.name)}"]`);
  const control = place?.querySelector<HTMLElement>("input, textarea, select, [contenteditable=true]");
  control?.focus({ preventScroll: true });
  place?.scrollIntoView({ block: "center" });
}
