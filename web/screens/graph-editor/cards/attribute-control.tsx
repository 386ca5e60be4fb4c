import { type KeyboardEvent, type ReactNode, useId } from "react";

import { readAttributeValue } from "@miranda/contract/graph/attributes/attribute-value.ts";
import { fieldProblem, problemOfText } from "@miranda/contract/graph/attributes/field-problem.ts";
import { readUnfitText, unfitText } from "@miranda/contract/graph/attributes/unfit-text.ts";
import { debounce } from "../../../limits.ts";
import type { Attribute, Control as ControlOf } from "@miranda/contract/schemas/attributes.ts";

import { classes } from "../../../ui/classes.ts";
import { areaText, oneLine } from "../../../ui/text/drawable-text.ts";
import { useDraft } from "../../../ui/form/use-draft.ts";
import { FileControl } from "./file-control.tsx";

interface ControlProps {
  nodeId: number;
  attribute: Attribute;
  disabled: boolean;
  onCommit: (value: unknown) => void;
  /** The accessible name, where no label element is tied to the control. */
  label: string;
}

interface DescribedProps extends ControlProps {
  /** The id of the sentence that says what is wrong. */
  describedBy?: string | undefined;
}

const box =
  "nodrag w-full min-w-0 rounded-sm border border-line bg-sunken px-1.5 text-xs text-ink transition-colors " +
  "enabled:hover:border-line-strong focus-visible:outline-offset-0 aria-invalid:border-danger disabled:opacity-60";

/** The control of a field, on its node and in the inspector. Below it: what is wrong with what is typed or stored. */
export function AttributeControl(props: ControlProps) {
  const { control } = props.attribute;
  const isTyped = control?.type === "text" || control?.type === "number" || control?.type === "json";
  if (isTyped || control?.type === "code") return <Control {...props} />;
  const problem = fieldProblem(props.attribute);
  return (
    <WithProblem problem={problem}>{(id) => <Control {...props} describedBy={problem ? id : undefined} />}</WithProblem>
  );
}

interface WithProblemProps {
  problem: string | undefined;
  children: (id: string) => ReactNode;
}

/** The same elements with and without a problem: otherwise the field would lose the focus while somebody types. */
function WithProblem({ problem, children }: WithProblemProps) {
  const id = useId();
  return (
    <span className="field-with-problem">
      {children(id)}
      {problem === undefined ? null : (
        <span id={id} role="alert" className="field-problem nodrag">
          {oneLine(problem)}
        </span>
      )}
    </span>
  );
}

function Control(props: DescribedProps) {
  const { control } = props.attribute;
  switch (control?.type) {
    case undefined:
      return (
        <output className="block truncate text-xs text-ink-muted">{oneLine(storedText(props.attribute.value))}</output>
      );
    case "toggle":
      return <ToggleControl {...props} />;
    case "select":
      return <SelectControl {...props} control={control} />;
    case "slider":
      return <SliderControl {...props} control={control} />;
    case "json":
    case "code":
      return <TypedControl {...props} tall />;
    case "file":
      return <FileControl {...props} accept={control.accept} />;
    case "text":
      return <TypedControl {...props} tall={control.multiline === true} placeholder={control.placeholder} />;
    case "number":
      return <TypedControl {...props} numeric />;
    case "secret":
      return <SecretControl {...props} />;
  }
}

interface TypedProps extends ControlProps {
  tall?: boolean;
  numeric?: boolean;
  placeholder?: string | undefined;
}

/** A text field for a typed value. What cannot be read is stored as it was typed, so that nobody runs the value before it. */
function TypedControl({
  attribute,
  disabled,
  onCommit,
  label,
  tall = false,
  numeric = false,
  placeholder,
}: TypedProps) {
  const isJson = attribute.control?.type === "json";
  const stored = readUnfitText(attribute.value) ?? (isJson ? asJson(attribute.value) : asText(attribute.value));
  const draft = useDraft(
    stored,
    (text: string) => {
      if (text === stored) return;
      const read = readAttributeValue(attribute, text);
      onCommit("value" in read ? read.value : unfitText(text));
    },
    debounce.default,
  );
  const problem = draft.value === stored ? fieldProblem(attribute) : problemOfText(attribute, draft.value);
  const { value, wrap } = areaText(draft.value);
  const shared = {
    value,
    disabled,
    placeholder,
    spellCheck: false,
    "aria-label": label,
    "aria-invalid": problem ? (true as const) : undefined,
    onBlur: draft.flush,
  };
  const isCode = isJson || attribute.control?.type === "code";
  return (
    <WithProblem problem={problem}>
      {(id) =>
        tall ? (
          <textarea
            {...shared}
            aria-describedby={problem ? id : undefined}
            wrap={wrap}
            onChange={(event) => draft.change(event.target.value)}
            onKeyDown={(event) => leaveOnEscape(event, draft.cancel)}
            className={classes(box, "nowheel h-16 resize-none py-1", isCode ? "font-mono text-2xs" : null)}
          />
        ) : (
          <input
            {...shared}
            aria-describedby={problem ? id : undefined}
            inputMode={numeric ? "decimal" : undefined}
            onChange={(event) => draft.change(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") draft.flush();
              leaveOnEscape(event, draft.cancel);
            }}
            className={classes(box, "h-6.5", numeric ? "text-right tabular-nums" : null)}
          />
        )
      }
    </WithProblem>
  );
}

function leaveOnEscape(event: KeyboardEvent<HTMLElement>, cancel: () => void): void {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  cancel();
  event.currentTarget.blur();
}

function SliderControl({
  attribute,
  disabled,
  onCommit,
  label,
  control,
  describedBy,
}: DescribedProps & { control: ControlOf & { type: "slider" } }) {
  const stored = typeof attribute.value === "number" ? attribute.value : control.min;
  const draft = useDraft(stored, (value: number) => value !== stored && onCommit(value), debounce.default);
  const whole = attribute.kind === "int" || attribute.kind === "integer";
  const step = control.step ?? (whole ? 1 : (control.max - control.min) / 100);
  return (
    <span className="nodrag flex items-center gap-2">
      <input
        type="range"
        min={control.min}
        max={control.max}
        step={step}
        value={draft.value}
        disabled={disabled}
        aria-label={label}
        aria-describedby={describedBy}
        onChange={(event) => draft.change(Number(event.target.value))}
        onPointerUp={draft.flush}
        onBlur={draft.flush}
        className="h-4 min-w-0 flex-1 accent-accent"
      />
      <span className="w-9 shrink-0 text-right text-xs tabular-nums">{Number(draft.value.toFixed(4))}</span>
    </span>
  );
}

function SelectControl({
  attribute,
  disabled,
  onCommit,
  label,
  control,
  describedBy,
}: DescribedProps & { control: ControlOf & { type: "select" } }) {
  const at = control.options.findIndex((option) => option === attribute.value);
  return (
    <select
      value={at}
      disabled={disabled}
      aria-label={label}
      aria-invalid={describedBy ? true : undefined}
      aria-describedby={describedBy}
      onChange={(event) => onCommit(control.options[Number(event.target.value)])}
      className={classes(box, "h-6.5 pr-1")}
    >
      {at === -1 ? <option value={-1}>{storedText(attribute.value) || "Choose…"}</option> : null}
      {control.options.map((option, index) => (
        <option key={String(option)} value={index}>
          {String(option)}
        </option>
      ))}
    </select>
  );
}

function ToggleControl({ attribute, disabled, onCommit, label }: ControlProps) {
  return (
    <Switch
      checked={attribute.value === true}
      disabled={disabled}
      label={label}
      onChange={(checked) => onCommit(checked)}
    />
  );
}

interface SwitchProps {
  checked: boolean;
  disabled?: boolean;
  label: string;
  onChange: (checked: boolean) => void;
}

export function Switch({ checked, disabled = false, label, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      className={classes(
        "nodrag relative h-4.5 w-8 shrink-0 rounded-full transition-colors disabled:opacity-60",
        checked ? "bg-accent" : "bg-line-strong",
      )}
    >
      <span
        className={classes(
          "absolute top-0.5 left-0.5 size-3.5 rounded-full bg-surface shadow-low transition-transform",
          checked ? "translate-x-3.5" : null,
        )}
      />
    </button>
  );
}

function SecretControl({ attribute, disabled, onCommit, label }: ControlProps) {
  const id = useId();
  const isSet = typeof attribute.value === "string" && attribute.value !== "";
  const draft = useDraft<string>("", (text) => text !== "" && onCommit(text), debounce.default);
  return (
    <input
      type="password"
      id={id}
      value={draft.value}
      disabled={disabled}
      autoComplete="new-password"
      placeholder={isSet ? "••••••••" : "Not set"}
      aria-label={label}
      onChange={(event) => draft.change(event.target.value)}
      onBlur={draft.flush}
      className={classes(box, "h-6.5")}
    />
  );
}

function storedText(value: unknown): string {
  return readUnfitText(value) ?? asText(value);
}

/** A text in quotes: without them it would not be JSON. */
function asJson(value: unknown): string {
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
