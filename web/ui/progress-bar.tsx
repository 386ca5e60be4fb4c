import { classes } from "./classes.ts";
import { formatNumber } from "./output/number-format.ts";
import { oneLine } from "./text/drawable-text.ts";

interface Bar {
  label: string;
  done: number;
  /** Null when it is not known. */
  total: number | null;
}

/** The bar alone. Without a total it shows no end. */
export function BarLine({ bar, className }: { bar: Bar; className: string }) {
  const share = shareOf(bar);
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- each browser draws <progress> differently
      role="progressbar"
      aria-label={oneLine(bar.label) || "Progress"}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
      aria-valuetext={formatProgress(bar)}
      className={classes("overflow-hidden bg-hover", className)}
    >
      <div
        className={classes(
          "h-full rounded-[inherit] bg-info transition-[width] duration-150",
          share === undefined ? "w-1/3 animate-pulse" : null,
        )}
        style={share === undefined ? undefined : { width: `${share * 100}%` }}
      />
    </div>
  );
}

/** "3 of 10", or only the amount when the total is unknown. */
export function formatProgress({ done, total }: Bar): string {
  return total === null ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`;
}

function shareOf({ done, total }: Bar): number | undefined {
  if (total === null) return undefined;
  return total > 0 ? Math.min(1, done / total) : 1;
}
