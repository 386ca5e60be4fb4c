import { ArrowRight } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { useLocation, useNavigate } from "react-router";

import { useSampleOpened } from "../../../api/samples.ts";
import { logWarning } from "../../../log.ts";
import { useProcessor } from "../../../providers/processor/processor-provider.tsx";
import { Button } from "../../../ui/button.tsx";
import { useEditor } from "../editor-context.tsx";
import { nextPlace, type Place, placeAfterRun, stops } from "./tour-stops.ts";
import { type Box, type Target, useTarget } from "./use-target.ts";

const card = { width: 320, height: 190, gap: 14, edge: 12 } as const;

/** Points at one part of the editor after the other. Escape, Skip or a click elsewhere ends it. */
export function Tour({ onEnd }: { onEnd: () => void }) {
  const { clock, runs } = useProcessor();
  const time = useSyncExternalStore(clock.watch, clock.get);
  const ending = useSyncExternalStore(runs.watch, runs.ending);
  const [before] = useState(time?.began ?? 0);
  const [chosen, setChosen] = useState<Place>({ at: 0 });
  const place = placeAfterRun(chosen, time, ending === "done", before);
  if (place !== chosen) setChosen(place);
  useShownOnce();
  useEffect(() => {
    if (place === "ended") onEnd();
  }, [place, onEnd]);
  if (typeof place === "string") return null;
  return (
    <TourStop
      key={place.at}
      at={place.at}
      onNext={() => setChosen(nextPlace(place))}
      onLeave={() => setChosen("ended")}
    />
  );
}

/** Once shown, the tour does not start by itself again, neither after a reload nor in another browser. */
function useShownOnce(): void {
  const markOpened = useSampleOpened();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  const isMarked = useRef(false);
  useEffect(() => {
    if (isMarked.current) return;
    isMarked.current = true;
    markOpened().catch((cause: unknown) => logWarning("The tour could not be marked as shown.", cause));
    void navigate({ pathname, search, hash }, { replace: true, state: null });
  });
}

interface TourStopProps {
  at: number;
  onNext: () => void;
  onLeave: () => void;
}

function TourStop({ at, onNext, onLeave }: TourStopProps) {
  const { title, text, targets, isBeside = false, isOnCanvas = false } = stops[at] ?? stops[0];
  const { actions } = useEditor();
  useEffect(() => {
    if (isOnCanvas) actions.fit();
  }, [actions, isOnCanvas]);
  const target = useTarget(targets);
  const own = useRef<HTMLDivElement>(null);
  useLeaving(own, target, onLeave);
  const isLast = at === stops.length - 1;
  return createPortal(
    <>
      {target ? <Ring box={target.box} /> : null}
      <div
        ref={own}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is not modal and is positioned by us
        role="dialog"
        aria-label={`Tour: ${title}`}
        data-testid="tour"
        style={target ? placeFor(target.box, isBeside) : { left: card.edge, bottom: 4 * card.edge }}
        className="fixed z-40 w-80 max-w-[calc(100vw-1.5rem)] animate-appear rounded-xl bg-raised p-4 shadow-high ring-1 ring-line max-sm:inset-x-3! max-sm:top-auto! max-sm:bottom-12! max-sm:w-auto!"
      >
        <div className="flex items-baseline justify-between gap-3">
          <h2 className="text-lg font-semibold">{title}</h2>
          <span className="text-sm text-ink-faint tabular-nums">
            {at + 1} of {stops.length}
          </span>
        </div>
        <p className="mt-1 text-ink-muted text-pretty" aria-live="polite">
          {text}
        </p>
        <div className="mt-4 flex items-center justify-end gap-2">
          {isLast ? null : (
            <Button variant="ghost" size="sm" onClick={onLeave}>
              Skip
            </Button>
          )}
          {at === 0 ? null : (
            <Button variant="primary" size="sm" onClick={onNext}>
              {isLast ? "Done" : "Next"}
              {isLast ? null : <ArrowRight className="size-3.5" aria-hidden="true" />}
            </Button>
          )}
        </div>
      </div>
    </>,
    document.body,
  );
}

function Ring({ box: { left, top, width, height } }: { box: Box }) {
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none fixed z-40 rounded-lg ring-2 ring-accent ring-offset-2 ring-offset-canvas motion-safe:animate-pulse"
      style={{ left: left - 2, top: top - 2, width: width + 4, height: height + 4 }}
    />
  );
}

/** Beside what it points at, or below it; above if there is no room; always completely on the screen. */
function placeFor({ left, top, width, height }: Box, isBeside: boolean): { left: number; top: number } {
  if (isBeside) {
    const level = Math.max(card.edge, Math.min(top, innerHeight - card.height - card.edge));
    const after = Math.min(left + width + card.gap, innerWidth - card.width - card.edge);
    if (after >= left + width + card.edge / 2) return { left: after, top: level };
    const before = left - card.gap - card.width;
    if (before >= card.edge) return { left: before, top: level };
  }
  const below = top + height + card.gap;
  const fits = below + card.height <= innerHeight - card.edge;
  const within = (value: number, most: number) => Math.max(card.edge, Math.min(value, most - card.edge));
  return {
    left: within(left + width / 2 - card.width / 2, innerWidth - card.width),
    top: fits ? below : within(top - card.gap - card.height, innerHeight - card.height),
  };
}

function useLeaving(own: { current: HTMLElement | null }, target: Target | null, onLeave: () => void): void {
  useEffect(() => {
    const onPress = ({ target: pressed }: PointerEvent) => {
      if (!(pressed instanceof Node) || own.current?.contains(pressed) || target?.element.contains(pressed)) return;
      onLeave();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // Escape closes the tour, but nothing behind it.
      event.stopPropagation();
      onLeave();
    };
    document.addEventListener("pointerdown", onPress, true);
    document.addEventListener("keydown", onKey, true);
    return () => {
      document.removeEventListener("pointerdown", onPress, true);
      document.removeEventListener("keydown", onKey, true);
    };
  }, [own, target, onLeave]);
}
