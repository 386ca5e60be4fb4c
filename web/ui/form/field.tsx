import { ChevronDown } from "lucide-react";
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from "react";

import { classes } from "../classes.ts";
import { areaText } from "../text/drawable-text.ts";

// 16 px on phones: with less, iOS zooms into the page when the field gets the focus.
const control =
  "w-full rounded-md border border-line-strong bg-surface px-3 text-lg text-ink transition-colors sm:text-base " +
  "hover:border-ink-faint focus-visible:outline-offset-0 aria-invalid:border-danger " +
  "[&[readonly]]:border-line [&[readonly]]:bg-sunken [&[readonly]]:text-ink-muted disabled:opacity-60";

export interface FieldWords {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
}

interface FieldFrameProps extends FieldWords {
  children: (wiring: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": true | undefined;
  }) => ReactNode;
}

/** A label above, a hint and an error below, all tied to the control for screen readers. */
export function Field({ label, hint, error, optional = false, children }: FieldFrameProps) {
  const id = useId();
  const described = [error ? `${id}-error` : "", hint ? `${id}-hint` : ""].filter(Boolean).join(" ");
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-2">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {optional ? <span className="text-xs text-ink-faint">Optional</span> : null}
      </div>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error ? true : undefined })}
      {hint ? (
        <div id={`${id}-hint`} className="text-xs text-ink-faint">
          {hint}
        </div>
      ) : null}
      {error ? (
        <div id={`${id}-error`} className="text-xs text-danger-text">
          {error}
        </div>
      ) : null}
    </div>
  );
}

type TextFieldProps = FieldWords & ComponentProps<"input"> & { trailing?: ReactNode };

export function TextField({ label, hint, error, optional, trailing, className, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional ?? false}>
      {(wiring) => (
        <div className="relative">
          <input {...input} {...wiring} className={classes(control, "h-9", trailing ? "pr-10" : null, className)} />
          {trailing ? <div className="absolute inset-y-0 right-1 flex items-center">{trailing}</div> : null}
        </div>
      )}
    </Field>
  );
}

type TextAreaFieldProps = FieldWords & ComponentProps<"textarea">;

export function TextAreaField({ label, hint, error, optional, className, ...area }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional ?? false}>
      {(wiring) => (
        <textarea rows={3} {...area} {...drawable(area)} {...wiring} className={classes(control, "py-2", className)} />
      )}
    </Field>
  );
}

/** The field's text, changed so that the browser can draw it: anybody may have written it. */
function drawable({ value, defaultValue }: ComponentProps<"textarea">): ComponentProps<"textarea"> {
  if (typeof value === "string") return areaText(value);
  const { value: text, ...look } = areaText(typeof defaultValue === "string" ? defaultValue : "");
  return { defaultValue: text, ...look };
}

type SelectFieldProps = FieldWords & ComponentProps<"select">;

export function SelectField({ label, hint, error, optional, className, children, ...select }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional ?? false}>
      {(wiring) => (
        <div className="relative">
          <select {...select} {...wiring} className={classes(control, "h-9 appearance-none pr-9", className)}>
            {children}
          </select>
          <ChevronDown
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-ink-muted"
          />
        </div>
      )}
    </Field>
  );
}

interface FormAlertProps {
  message: string | null | undefined;
  /** After a submit the disabled button has lost the focus, and the error is what to read next. */
  takesFocus?: boolean;
}

export function FormAlert({ message, takesFocus = false }: FormAlertProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (message && takesFocus) element.current?.focus();
  }, [message, takesFocus]);

  if (!message) return null;
  return (
    <div
      ref={element}
      role="alert"
      tabIndex={-1}
      className="rounded-md border border-danger/25 bg-danger-soft px-3 py-2 text-sm whitespace-pre-wrap text-danger-text"
    >
      {message}
    </div>
  );
}
