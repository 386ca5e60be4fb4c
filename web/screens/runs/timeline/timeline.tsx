import { Maximize, Minus, Plus } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { durationText } from "@miranda/contract/words/duration-text.ts";
import { useMoneyShown } from "../../../api/billing/money-shown.ts";
import { useMoney } from "../../../api/settings.ts";
import { nodeLooks } from "../../../panels/runs/run-looks.ts";
import { isLive, runSeconds } from "../../../panels/runs/run-words.ts";
import { useNow } from "../../../panels/runs/use-now.ts";
import { classes } from "../../../ui/classes.ts";
import { PlainSelect } from "../../../ui/form/plain-select.tsx";
import { SearchField } from "../../../ui/form/search-field.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { axisHeight, drawAxis, prepare } from "./draw-timeline.ts";
import { HoverCard, type Hovered } from "./hover-card.tsx";
import { LaneStrip } from "./lane-strip.tsx";
import { lanesOf } from "./lanes.ts";
import { isWhole, type TimeRange, wholeRange, zoomed } from "./time-range.ts";
import {
  countAside,
  didNotRun,
  type FirstSeen,
  type NodeFilter,
  type NodeOrder,
  noteRunning,
  orderedNodes,
  orders,
  secondsOf,
  type TimelineNode,
  timelineNodes,
} from "./timeline-nodes.ts";
import { namesWidth, TimelineRows } from "./timeline-rows.tsx";
import { useDrawing, useSize } from "./use-drawing.ts";

const orderWords: Record<NodeOrder, string> = {
  start: "By start",
  duration: "Longest first",
  cost: "Most expensive first",
  state: "By state",
  name: "By name",
};

const zoomStep = 0.6;
/** With fewer nodes, looking is faster than typing. */
const filterFrom = 8;

interface TimelineProps {
  run: RunDetails;
  chosen: number | undefined;
  onChoose: (node: number) => void;
  onOpen: () => void;
}

const timeOf = ({ seconds, state }: TimelineNode) => {
  if (seconds > 0) return durationText(seconds);
  return didNotRun(state) ? nodeLooks[state].word : "";
};

/** What ran when: the whole run in lanes, and a row for each node. */
export function Timeline({ run, chosen, onChoose, onOpen }: TimelineProps) {
  const now = useNow(isLive(run));
  const ran = runSeconds(run, now);
  const firstSeen = useFirstSeen(run, ran);
  // Only a living run changes with the time.
  const moment = isLive(run) ? ran : 0;
  const nodes = useMemo(() => timelineNodes(run.run_nodes, moment, firstSeen), [run.run_nodes, moment, firstSeen]);
  const [filter, setFilter] = useState<NodeFilter>({ text: "", order: "start", onlyRan: false });
  const rows = useMemo(() => orderedNodes(nodes, filter), [nodes, filter]);
  const lanes = useMemo(() => lanesOf(nodes), [nodes]);
  const seconds = secondsOf(nodes, ran);
  const whole = useMemo(() => wholeRange(seconds), [seconds]);
  // Null shows everything, also what is still to come.
  const [zoom, setZoom] = useState<TimeRange | null>(null);
  const range = zoom ?? whole;
  const setRange = useCallback((next: TimeRange) => setZoom(isWhole(next, whole) ? null : next), [whole]);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const aside = countAside(nodes);
  const money = useMoney();
  const isShown = useMoneyShown();
  const costOf = ({ cost }: TimelineNode) => (isShown && cost > 0 ? money(cost) : "");
  const around = (factor: number) => setRange(zoomed(range, whole, factor, (range.from + range.to) / 2));

  return (
    <section aria-label="Timeline" className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        {nodes.length >= filterFrom ? (
          <SearchField
            label="Filter nodes"
            value={filter.text}
            onChange={(event) => setFilter({ ...filter, text: event.target.value })}
            className="w-full sm:w-56"
          />
        ) : null}
        <PlainSelect
          label="Order"
          value={filter.order}
          onChange={(value) => {
            const order = orders.find((one) => one === value);
            if (order) setFilter({ ...filter, order });
          }}
        >
          {orders.map((order) => (
            <option key={order} value={order}>
              {orderWords[order]}
            </option>
          ))}
        </PlainSelect>
        {aside > 0 ? (
          <label className="flex h-9 items-center gap-2 px-1 text-sm">
            <input
              type="checkbox"
              checked={filter.onlyRan}
              onChange={(event) => setFilter({ ...filter, onlyRan: event.target.checked })}
              className="size-4 accent-(--accent)"
            />
            Hide {aside.toLocaleString("en")} that did not run
          </label>
        ) : null}
        <Legend />
        <div role="toolbar" aria-label="Zoom" className="ml-auto flex items-center">
          <IconButton icon={Minus} label="Zoom out (-)" disabled={zoom === null} onClick={() => around(1 / zoomStep)} />
          <IconButton icon={Plus} label="Zoom in (+)" onClick={() => around(zoomStep)} />
          <IconButton
            icon={Maximize}
            label="Show everything (0)"
            disabled={zoom === null}
            onClick={() => setZoom(null)}
          />
        </div>
      </div>
      <div className="flex shrink-0 border-b border-line">
        <div className={classes(namesWidth, "shrink-0 border-r border-line px-3 py-2 text-xs text-ink-muted")}>
          At the same time: {lanes.length.toLocaleString("en")}
        </div>
        <div className="min-w-0 flex-1 py-1">
          <LaneStrip
            lanes={lanes}
            whole={whole}
            range={range}
            chosen={chosen}
            onRange={setRange}
            onChoose={onChoose}
            onHover={(key, at) => {
              const node = key === undefined ? undefined : nodes.find((one) => one.key === key);
              setHovered(node ? { node, ...at } : null);
            }}
          />
        </div>
      </div>
      <Axis range={range} />
      {rows.length === 0 ? (
        <p className="grid flex-1 place-items-center p-8 text-center text-ink-muted">
          {nodes.length === 0 ? (isLive(run) ? "Preparing the run…" : "No node ran.") : "No nodes match."}
        </p>
      ) : (
        <TimelineRows
          nodes={rows}
          whole={whole}
          range={range}
          chosen={chosen}
          wordsOf={filter.order === "cost" ? costOf : timeOf}
          onRange={setRange}
          onChoose={onChoose}
          onOpen={onOpen}
          onHover={setHovered}
        />
      )}
      <HoverCard hovered={hovered} />
    </section>
  );
}

/** Since when nodes run that have not ended. */
function useFirstSeen(run: RunDetails, ran: number): FirstSeen {
  const [state, setState] = useState<{ runId: string; seen: FirstSeen }>({ runId: "", seen: new Map() });
  const latest = useRef(ran);
  useEffect(() => {
    latest.current = ran;
  }, [ran]);
  useEffect(() => {
    setState((before) => {
      const isFirst = before.runId !== run.id;
      const known: FirstSeen = isFirst ? new Map() : before.seen;
      const seen = noteRunning(known, run.run_nodes, latest.current, isFirst);
      return seen === before.seen && !isFirst ? before : { runId: run.id, seen };
    });
  }, [run.id, run.run_nodes]);
  return state.seen;
}

function Legend() {
  return (
    <p aria-hidden="true" className="flex items-center gap-3 px-1 text-xs text-ink-muted max-md:hidden">
      <span className="flex items-center gap-1.5">
        <span className="h-0.5 w-5 bg-line-strong" />
        waited
      </span>
      <span className="flex items-center gap-1.5">
        <span className="h-3 w-5 rounded-sm bg-success" />
        ran
      </span>
    </p>
  );
}

function Axis({ range }: { range: TimeRange }) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const area = useSize(frame);
  useDrawing(
    canvas,
    useCallback(
      (element, colourOf) => {
        const context = prepare(element, area);
        if (context) drawAxis(context, range, area, colourOf);
      },
      [area, range],
    ),
  );
  return (
    <div aria-hidden="true" className="flex shrink-0 border-b border-line">
      <div className={classes(namesWidth, "shrink-0 border-r border-line")} />
      <div ref={frame} className="relative min-w-0 flex-1" style={{ height: axisHeight }}>
        <canvas ref={canvas} className="absolute inset-0 size-full" />
      </div>
    </div>
  );
}
