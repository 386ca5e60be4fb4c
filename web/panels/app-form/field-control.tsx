import { Suspense } from "react";

import type { Control } from "@miranda/contract/schemas/attributes.ts";

import { fileSize } from "../../format/file-size.ts";
import { lazyPart } from "../../load-part.ts";
import { Field, type FieldWords, SelectField, TextAreaField, TextField } from "../../ui/form/field.tsx";
import { FileDrop } from "../../ui/form/file-drop.tsx";
import { Skeleton } from "../../ui/layout/skeleton.tsx";
import { acceptWords } from "./accept-words.ts";
import { type AppField, isBoolean, isFileValue, isNumeric } from "./form-values.ts";
import { SliderField } from "./slider-field.tsx";
import { SwitchField } from "./switch-field.tsx";

const CodeField = lazyPart(() =>
  import("../../ui/code-editor/code-field.tsx").then((module) => ({ default: module.CodeField })),
);

interface ControlProps {
  field: AppField;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string;
  disabled: boolean;
}

/** One field of a form, with the control that its node declares. */
export function FieldControl(props: ControlProps) {
  const { field, value, onChange, disabled } = props;
  const { control } = field;
  const words = wordsOf(props);
  switch (control?.type) {
    case "toggle":
      return <SwitchField {...words} checked={value === true} onChange={onChange} disabled={disabled} />;
    case "select":
      return <OptionField {...props} control={control} />;
    case "slider":
      return <SliderField {...props} words={words} control={control} />;
    case "file":
      return <FileField {...props} control={control} />;
    case "json":
    case "code":
      return (
        <Field {...words}>
          {() => (
            <Suspense fallback={<Skeleton className="h-24" />}>
              <div className="overflow-hidden rounded-md border border-line-strong bg-surface has-focus-visible:outline-2 has-focus-visible:outline-(--ring)">
                <CodeField
                  value={textOf(value)}
                  label={field.label}
                  {...(disabled ? {} : { onChange })}
                  isPart={control.type === "json"}
                />
              </div>
            </Suspense>
          )}
        </Field>
      );
    case "secret":
    case "text":
    case "number":
    case undefined:
      return isBoolean(field.kind) && typeof value === "boolean" ? (
        <SwitchField {...words} checked={value} onChange={onChange} disabled={disabled} />
      ) : (
        <LineField {...props} />
      );
  }
}

/** Text or a number. What is typed is never changed or lost, also when it is wrong. */
function LineField(props: ControlProps) {
  const { field, value, onChange, disabled } = props;
  const { control, kind } = field;
  const words = wordsOf(props);
  const shared = { value: textOf(value), disabled, required: field.required };
  const placeholder = control?.type === "text" ? control.placeholder : undefined;
  if (control?.type === "text" && control.multiline === true)
    return (
      <TextAreaField
        {...words}
        {...shared}
        rows={5}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  const isNumber = isNumeric(kind, control);
  const isWhole = kind === "int" || kind === "integer";
  return (
    <TextField
      {...words}
      {...shared}
      // Not of type "number": the browser would hide what is wrong with a typed text.
      inputMode={isNumber ? (isWhole && (field.min ?? -1) >= 0 ? "numeric" : "decimal") : undefined}
      placeholder={isNumber && typeof field.default === "number" ? `${field.default}` : placeholder}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
      className={isNumber ? "max-sm:h-11 sm:max-w-56" : "max-sm:h-11"}
    />
  );
}

function OptionField(props: ControlProps & { control: Control & { type: "select" } }) {
  const { field, value, onChange, disabled, control } = props;
  const chosen = control.options.indexOf(value as string);
  const isOpen = chosen < 0 || !field.required;
  return (
    <SelectField
      {...wordsOf(props)}
      value={chosen < 0 ? "" : `${chosen}`}
      disabled={disabled}
      onChange={(event) =>
        onChange(event.target.value === "" ? undefined : control.options[Number(event.target.value)])
      }
      className="max-sm:h-11"
    >
      {isOpen ? (
        <option value="">{chosen >= 0 ? "Nothing" : value === undefined ? "Choose…" : textOf(value)}</option>
      ) : null}
      {control.options.map((option, at) => (
        <option key={String(option)} value={`${at}`}>
          {typeof option === "boolean" ? (option ? "Yes" : "No") : String(option)}
        </option>
      ))}
    </SelectField>
  );
}

function FileField(props: ControlProps & { control: Control & { type: "file" } }) {
  const { field, value, onChange, disabled, control } = props;
  const { label, error, optional } = wordsOf(props);
  const accept = control.accept ?? "";
  const file = value instanceof File || isFileValue(value) ? value : null;
  return (
    <FileDrop
      label={label}
      prompt="Choose a file or drop it here"
      hint={[acceptWords(accept), field.max === null ? "" : `up to ${fileSize(field.max)}`].filter(Boolean).join(", ")}
      accept={accept}
      file={file}
      onFile={onChange}
      disabled={disabled}
      help={field.help === "" ? undefined : field.help}
      error={error}
      optional={optional}
      camera={/image\/|\.(?:jpe?g|png|heic|webp)/i.test(accept)}
    />
  );
}

function wordsOf({ field, error }: ControlProps): FieldWords & { optional: boolean } {
  const limits = limitWords(field);
  return {
    label: field.label,
    hint: [field.help, limits].filter(Boolean).join(" ") || undefined,
    error: error === "" ? undefined : error,
    optional: isOptional(field),
  };
}

/** Where something is filled in already, nobody needs to be told that it may stay empty. */
function isOptional({ required, control, default: given }: AppField): boolean {
  if (required || control?.type === "toggle" || control?.type === "slider") return false;
  return given === undefined || given === null || given === "";
}

/** The limits of a field in words. A slider shows its own. */
function limitWords({ kind, control, min, max }: AppField): string {
  if (control?.type === "slider" || control?.type === "file") return "";
  const isNumber = isNumeric(kind, control);
  if (!isNumber) return max === null ? "" : `Up to ${max.toLocaleString("en")} characters.`;
  const own = control?.type === "number" ? control : undefined;
  const [least, most] = [min ?? own?.min, max ?? own?.max];
  if (least !== undefined && most !== undefined) return `From ${least} to ${most}.`;
  if (least !== undefined) return `At least ${least}.`;
  return most === undefined ? "" : `At most ${most}.`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}
