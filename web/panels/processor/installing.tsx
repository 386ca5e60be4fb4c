import { useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { classes } from "../../ui/classes.ts";
import { counted } from "../../ui/counted.ts";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";

/** Progress of installing the packages of a run, before it begins. */
export function Installing() {
  const installing = useProcessorState(({ job, shown }) => (shown === "RUNNING" ? job?.installing : undefined));
  if (!installing || installing.total === 0) return null;
  const { total, done, what } = installing;
  const text = `Installing ${counted(total, "package")}…`;
  return (
    <Tooltip side="bottom" text={what === "" ? `${done} of ${total}` : `${done} of ${total} · ${what}`}>
      <span className="flex min-w-0 items-center gap-2 px-1.5 text-sm text-ink-muted" data-testid="installing">
        <output className="min-w-0 truncate">{text}</output>
        <span
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the progress element cannot be given these colours
          role="progressbar"
          aria-label="Packages installed"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={done}
          className="h-1.5 w-16 shrink-0 overflow-hidden rounded-full bg-line max-sm:w-8"
        >
          <span
            className={classes("block h-full rounded-full bg-accent transition-[width]", done === 0 && "animate-pulse")}
            // Before the first package is done, show a little progress.
            style={{ width: `${done === 0 ? 20 : (100 * done) / total}%` }}
          />
        </span>
      </span>
    </Tooltip>
  );
}
