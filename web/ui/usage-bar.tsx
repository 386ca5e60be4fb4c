const fills = { green: "bg-success", orange: "bg-warning", red: "bg-danger" } as const;

interface UsageBarProps {
  label: string;
  /** The used amount, as text. */
  value: string;
  /** 0 to 100. */
  percent: number;
  colour: keyof typeof fills;
}

export function UsageBar({ label, value, percent, colour }: UsageBarProps) {
  return (
    <div>
      <div className="flex items-baseline justify-between gap-3 text-sm">
        <span className="text-ink-muted">{label}</span>
        <span className="tabular-nums">{value}</span>
      </div>
      <div
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the meter element cannot be given these colours
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
        aria-valuetext={value}
        className="mt-1 h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div
          data-testid="usage-bar-fill"
          data-colour={colour}
          className={`h-full rounded-full transition-[width,background-color] duration-500 ${fills[colour]}`}
          style={{ width: `${percent}%` }}
        />
      </div>
    </div>
  );
}
