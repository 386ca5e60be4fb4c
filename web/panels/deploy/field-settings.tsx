import { typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import { deployment as limits } from "@miranda/contract/limits.ts";

import { CheckboxField } from "../../ui/form/checkbox-field.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { FieldControl } from "../app-form/field-control.tsx";
import { isFileValue, startValues } from "../app-form/form-values.ts";
import { defaultField, defaultProblem, type DraftField, withDefault } from "./release-draft.ts";

interface FieldSettingsProps {
  field: DraftField;
  onChange: (changes: Partial<DraftField>) => void;
}

const megabyte = 1024 ** 2;

/** What callers read about a field, what it begins with, and what they may enter. */
export function FieldSettings({ field, onChange }: FieldSettingsProps) {
  return (
    <div className="flex flex-col gap-4">
      <TextField
        label="Help"
        optional
        dir="auto"
        value={field.help}
        maxLength={limits.helpMax}
        placeholder="A sentence below the field"
        onChange={(event) => onChange({ help: event.target.value })}
      />
      <Default field={field} onChange={onChange} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Limits field={field} onChange={onChange} />
        <TextField
          label="Name in the API"
          value={field.name}
          spellCheck={false}
          autoComplete="off"
          maxLength={60}
          pattern="[a-z][a-z0-9_]{0,59}"
          title="Small letters, digits and _, beginning with a letter."
          className="font-mono text-sm"
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </div>
      <CheckboxField
        label="Required"
        checked={field.required}
        onChange={(event) => onChange({ required: event.target.checked })}
      />
    </div>
  );
}

/** The control that callers get, to enter what it begins with. What was typed stays, also while it is half a number. */
function Default({ field, onChange }: FieldSettingsProps) {
  if (field.control?.type === "file") {
    if (!isFileValue(field.default)) return null;
    return (
      <CheckboxField
        label={`Use the file ${field.default.name} by default`}
        defaultChecked
        onChange={(event) => onChange({ default: event.target.checked ? field.default : null })}
      />
    );
  }
  return (
    <FieldControl
      field={defaultField(field)}
      value={field.entered === undefined ? startValues([field])[field.name] : field.entered}
      onChange={(entered) => onChange(withDefault(field, entered ?? null))}
      error={defaultProblem(field)}
      disabled={false}
    />
  );
}

/** The least and the most, in words that fit what the field holds. */
function Limits({ field, onChange }: FieldSettingsProps) {
  const type = typeOfField(field);
  if (type === "file")
    return (
      <NumberField
        label="Largest file, in MB"
        value={field.max === null ? null : field.max / megabyte}
        onChange={(max) => onChange({ max: max === null ? null : Math.round(max * megabyte) })}
      />
    );
  if (type === "text")
    return <NumberField label="Longest text, in characters" value={field.max} onChange={(max) => onChange({ max })} />;
  if (type !== "number" && type !== "integer") return null;
  const own = field.control?.type === "number" || field.control?.type === "slider" ? field.control : undefined;
  return (
    <div className="grid grid-cols-2 gap-2">
      <NumberField label="Minimum" placeholder={own?.min} value={field.min} onChange={(min) => onChange({ min })} />
      <NumberField label="Maximum" placeholder={own?.max} value={field.max} onChange={(max) => onChange({ max })} />
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  value: number | null;
  placeholder?: number | undefined;
  onChange: (value: number | null) => void;
}

function NumberField({ label, value, placeholder, onChange }: NumberFieldProps) {
  return (
    <TextField
      label={label}
      optional
      type="number"
      step="any"
      defaultValue={value ?? ""}
      placeholder={placeholder === undefined ? "" : `${placeholder}`}
      onChange={(event) => {
        const { valueAsNumber } = event.target;
        onChange(Number.isFinite(valueAsNumber) ? valueAsNumber : null);
      }}
    />
  );
}
