import { type ReactNode, useId } from "react";

interface SwitchFieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled: boolean;
}

/** Yes or no. The whole row can be pressed. */
export function SwitchField({ label, hint, error, checked, onChange, disabled }: SwitchFieldProps) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label className="flex min-h-9 items-center justify-between gap-4 max-sm:min-h-11">
        <span dir="auto" className="min-w-0 text-sm font-medium wrap-anywhere">
          {label}
        </span>
        <input
          type="checkbox"
          checked={checked}
          disabled={disabled}
          aria-describedby={`${id}-hint`}
          aria-invalid={error ? true : undefined}
          onChange={(event) => onChange(event.target.checked)}
          className="peer sr-only"
        />
        <span
          aria-hidden="true"
          className="relative h-6 w-10 shrink-0 rounded-full bg-line-strong outline-offset-2 outline-(--ring) transition-colors peer-checked:bg-accent peer-focus-visible:outline-2 peer-disabled:opacity-60 after:absolute after:top-0.5 after:left-0.5 after:size-5 after:rounded-full after:bg-surface after:shadow-low after:transition-transform peer-checked:after:translate-x-4"
        />
      </label>
      <div id={`${id}-hint`} className="text-xs text-ink-faint empty:hidden">
        {hint}
        {error ? <span className="block text-danger-text">{error}</span> : null}
      </div>
    </div>
  );
}
