import { Move } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import type { BriefComparison, VersionGraph } from "@miranda/contract/schemas/versions.ts";

import { classes } from "../../../ui/classes.ts";
import { StepList } from "../../../ui/layout/step-list.tsx";
import { useMedia } from "../../../ui/layout/use-media.ts";
import { PastCanvas, type PastCanvasHandle } from "../canvas/past-canvas.tsx";
import type { Mark } from "../canvas/past-view.ts";
import { type Change, changesOf, countMarks, countMoves, marksOf } from "./changes.ts";
import { comparedGraph } from "./compared-graph.ts";
import { DifferenceDetails } from "./difference-details.tsx";
import { MarkBadge } from "./mark-badge.tsx";

export interface ComparisonProps {
  graphId: string;
  /** The side that the differences start from, as the canvas shows it. */
  before: VersionGraph;
  differences: BriefComparison;
  /** Above the list: a form, which has the first focus. */
  heading?: ReactNode;
  /** Below the list. */
  footing?: ReactNode;
  /** Below the name of a listed difference. */
  renderNote?: (change: Change) => ReactNode;
  /** Beside the name of the difference that is shown in full. */
  renderAction?: (change: Change) => ReactNode;
  /** A tick box for each difference. Undefined for one without. */
  isTicked?: (change: Change) => boolean | undefined;
  onTick?: (change: Change) => void;
  /** What to say when nothing differs. */
  nothing: string;
  /** Leaves out the canvas, where one node alone is compared. */
  withoutCanvas?: boolean;
}

/**
 * What differs between two sides: on the canvas, as a list to step through, and one by one in full. For versions,
 * workflows, merges, template updates and what is about to be published.
 */
export function Comparison(props: ComparisonProps) {
  const {
    graphId,
    before,
    differences,
    heading,
    footing,
    renderNote,
    renderAction,
    isTicked,
    onTick,
    nothing,
    withoutCanvas = false,
  } = props;
  const [withMoves, setWithMoves] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const canvas = useRef<PastCanvasHandle>(null);
  const isNarrow = useMedia("(max-width: 639px)");

  const compared = useMemo(() => comparedGraph(before, differences), [before, differences]);
  const changes = useMemo(() => changesOf(differences, compared, withMoves), [differences, compared, withMoves]);
  const past = useMemo(() => marksOf(changes, compared), [changes, compared]);
  const moves = useMemo(() => countMoves(differences), [differences]);
  const shown = changes.find(({ key }) => key === chosen) ?? changes[0];
  const nameOf = (lineage: string) => compared.graph.nodes[compared.numbers.get(lineage) ?? ""]?.name ?? "a node";

  // The canvas begins with a view of everything, in which the first difference is selected.
  const first = changes[0];
  useEffect(() => {
    if (first && chosen === undefined) canvas.current?.select(first.nodes);
  }, [first, chosen]);

  function choose(change: Change): void {
    setChosen(change.key);
    canvas.current?.show(change.nodes);
  }

  const isOne = withoutCanvas && changes.length === 1;
  const hasForm = heading !== undefined;
  const hasCanvas = !withoutCanvas && !(isNarrow && hasForm);
  return (
    <div
      className={classes(
        "flex min-h-0 min-w-0 flex-1 max-lg:flex-col",
        // A small screen has no room for a form beside the rest, so all of it scrolls.
        hasForm ? "max-lg:overflow-y-auto" : null,
      )}
      data-testid="comparison"
    >
      {isOne ? null : (
        <section
          aria-label="Differences"
          className={classes(
            "flex min-h-0 w-80 shrink-0 flex-col border-r border-line bg-surface max-lg:w-full max-lg:border-r-0 max-lg:border-b",
            hasForm ? null : "max-lg:max-h-[34%]",
          )}
        >
          {heading}
          <Summary changes={changes} moves={moves} withMoves={withMoves} onMoves={setWithMoves} />
          {changes.length === 0 ? (
            <p className="p-6 text-center text-ink-muted text-pretty" data-testid="no-differences">
              {nothing}
              {moves > 0 ? " Only positions differ." : ""}
            </p>
          ) : (
            <StepList
              label="Differences"
              items={changes}
              itemKey={({ key }) => key}
              chosen={shown?.key}
              onChoose={choose}
              rowHeight={renderNote ? 68 : 52}
              className={hasForm ? "flex-1 p-1.5 max-lg:max-h-72 max-lg:flex-none" : "flex-1 p-1.5"}
              focusOnOpen={!hasForm}
              renderItem={(change) => (
                <>
                  <span className="flex items-center gap-2">
                    <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
                      {change.name}
                    </span>
                    <MarkBadge mark={change.mark} />
                  </span>
                  {change.about ? (
                    <span dir="auto" className="block truncate text-xs text-ink-muted">
                      {change.about}
                    </span>
                  ) : null}
                  {renderNote?.(change)}
                </>
              )}
              {...(isTicked && { isTicked })}
              {...(onTick && { onTick })}
            />
          )}
          {footing}
        </section>
      )}
      <div
        className={classes("flex min-h-0 min-w-0 flex-1 flex-col", hasForm ? "max-lg:h-112 max-lg:flex-none" : null)}
      >
        {hasCanvas ? (
          <PastCanvas ref={canvas} graphId={graphId} graph={compared.graph} past={past} place={null} compares />
        ) : null}
        {shown ? (
          <div
            className={
              hasCanvas
                ? "flex h-[42%] min-h-0 shrink-0 flex-col border-t border-line bg-surface max-lg:h-1/2"
                : "flex min-h-0 flex-1 flex-col bg-surface"
            }
          >
            <DifferenceDetails
              key={shown.key}
              change={shown}
              nameOf={nameOf}
              withMoves={withMoves}
              action={renderAction?.(shown)}
            />
          </div>
        ) : null}
      </div>
    </div>
  );
}

interface SummaryProps {
  changes: readonly Change[];
  moves: number;
  withMoves: boolean;
  onMoves: (withMoves: boolean) => void;
}

const marks: readonly Mark[] = ["added", "removed", "changed", "moved"];

/** How many of each kind, and the switch for positions. */
function Summary({ changes, moves, withMoves, onMoves }: SummaryProps) {
  const counts = countMarks(changes);
  const present = marks.filter((mark) => counts[mark] > 0);
  if (present.length === 0 && moves === 0) return null;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-3 py-2">
      {present.map((mark) => (
        <MarkBadge key={mark} mark={mark} count={counts[mark]} />
      ))}
      {moves > 0 ? (
        <button
          type="button"
          role="switch"
          aria-checked={withMoves}
          onClick={() => onMoves(!withMoves)}
          className="ml-auto flex h-6 items-center gap-1.5 rounded-sm px-1.5 text-xs font-medium text-ink-muted hover:bg-hover aria-checked:bg-accent-soft aria-checked:text-accent-text"
        >
          <Move className="size-3.5" aria-hidden="true" />
          Positions ({moves})
        </button>
      ) : null}
    </div>
  );
}
