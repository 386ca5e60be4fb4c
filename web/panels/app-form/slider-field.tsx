import type { Control } from "@miranda/contract/schemas/attributes.ts";

import { Field, type FieldWords } from "../../ui/form/field.tsx";
import type { AppField } from "./form-values.ts";

interface SliderFieldProps {
  field: AppField;
  words: FieldWords;
  control: Control & { type: "slider" };
  value: unknown;
  onChange: (value: unknown) => void;
  disabled: boolean;
}

/** A slider, and its value to type. */
export function SliderField({ field, words, control, value, onChange, disabled }: SliderFieldProps) {
  const [min, max] = [field.min ?? control.min, field.max ?? control.max];
  const isWhole = field.kind === "int" || field.kind === "integer";
  const step = control.step ?? (isWhole ? 1 : (max - min) / 100);
  const text = typeof value === "string" ? value : "";
  const at = text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : min;
  return (
    <Field {...words}>
      {(wiring) => (
        <div className="flex items-center gap-3">
          <span aria-hidden="true" className="text-xs text-ink-faint tabular-nums">
            {min}
          </span>
          <input
            {...wiring}
            type="range"
            min={min}
            max={max}
            step={step}
            value={at}
            disabled={disabled}
            onChange={(event) => onChange(event.target.value)}
            className="h-9 min-w-0 flex-1 accent-accent max-sm:h-11"
          />
          <span aria-hidden="true" className="text-xs text-ink-faint tabular-nums">
            {max}
          </span>
          <input
            value={text}
            disabled={disabled}
            inputMode="decimal"
            autoComplete="off"
            aria-label={`${field.label}, as a number`}
            onChange={(event) => onChange(event.target.value)}
            className="h-9 w-20 rounded-md border border-line-strong bg-surface px-2 text-right text-lg tabular-nums transition-colors hover:border-ink-faint focus-visible:outline-offset-0 max-sm:h-11 sm:text-base"
          />
        </div>
      )}
    </Field>
  );
}
