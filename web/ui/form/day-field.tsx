interface DayFieldProps {
  label: string;
  /** Such as 2026-11-17; empty for none. */
  value: string;
  min?: string;
  max?: string;
  onChange: (day: string) => void;
}

/** A day, with its label inside the field. */
export function DayField({ label, value, min, max, onChange }: DayFieldProps) {
  return (
    <label className="h-9 rounded-md border border-line-strong bg-surface text-lg text-ink transition-colors hover:border-ink-faint focus-visible:outline-offset-0 sm:text-base flex items-center gap-2 pl-3">
      <span className="text-sm text-ink-muted">{label}</span>
      <input
        type="date"
        value={value}
        min={min || undefined}
        max={max || undefined}
        onChange={(event) => onChange(event.target.value)}
        className="h-full rounded-r-md bg-transparent pr-2 text-sm text-ink outline-none focus-visible:outline-2"
      />
    </label>
  );
}
