import { ChartLine, Cpu, ScrollText } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";

import { triggeredBreakpoint } from "../providers/debugger/breakpoint-list.ts";
import { processorPanel } from "./processor/panel-words.ts";

import { useProcessorState } from "../providers/processor/processor-provider.tsx";
import { readStoredRecord, writeStored } from "../storage.ts";
import { classes } from "../ui/classes.ts";
import { PulledEdge } from "../ui/layout/pulled-edge.tsx";
import { useMedia } from "../ui/layout/use-media.ts";
import { LogsDock } from "./logs/logs-dock.tsx";
import { rememberLog, useLogOnRun } from "./logs/log-on-run.ts";
import { LastRunMetrics } from "./metrics/last-run-metrics.tsx";
import { GraphBudgetBanner } from "./processor/limits/graph-budget-banner.tsx";
import { ProcessorSide } from "./processor/processor-side.tsx";
import { SessionIcon } from "./processor/session-icon.tsx";

const storedAs = "processorPanels";
/** A few lines at first, to leave space for the canvas. The height that a person sets is remembered. */
const dockHeights = { min: 120, initial: 160, share: 0.75 } as const;

interface Panels {
  side: boolean;
  dock: boolean;
  dockHeight: number;
}

/** What a person chose. The side panel has no choice until they open or close it. */
type KeptPanels = Omit<Panels, "side"> & { side?: boolean | undefined };

/** Puts the processor's side panel and its log around the canvas or the code. */
export function ProcessorFrame({ children }: { children: ReactNode }) {
  const isWide = useMedia("(min-width: 64rem)");
  const [kept, setKept] = useState(readPanels);
  // A narrow screen has space for one panel. Its choice does not change that of wide screens.
  const [only, setOnly] = useState<"side" | "dock" | null>(null);
  const [shows, setShows] = useState<Shown>("logs");
  // Empty panels take space from the canvas: they stay closed until there is a session, or the person opens them.
  const [isWanted, setWanted] = useState(false);
  const [hadSession, setHadSession] = useState(false);
  const hasSession = useProcessorState(
    ({ shown, waitingOnTag, debugging }) =>
      shown !== undefined || waitingOnTag !== null || debugging.exception !== undefined,
  );
  // A session that ends leaves its panel open: it would close under the person's hand.
  if (hasSession && !hadSession) setHadSession(true);
  const panels = isWide
    ? { ...kept, side: kept.side ?? hadSession, dock: kept.dock && (hasSession || isWanted) }
    : { ...kept, side: only === "side", dock: only === "dock" };
  function keep(next: Partial<KeptPanels>): void {
    const changed = { ...kept, ...next };
    setKept(changed);
    writeStored(storedAs, JSON.stringify(changed));
  }
  useLogOnRun(() => (isWide ? keep({ dock: true }) : setOnly(only ?? "dock")));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 max-lg:flex-col">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <GraphBudgetBanner />
          {children}
          {panels.dock ? (
            <Dock height={panels.dockHeight} onHeight={(dockHeight) => keep({ dockHeight })}>
              {shows === "logs" ? <LogsDock /> : <LastRunMetrics />}
            </Dock>
          ) : null}
        </div>
        {panels.side ? (
          <aside
            aria-label="Processor"
            className="flex min-h-0 flex-col border-line bg-canvas max-lg:h-[55dvh] max-lg:border-t lg:w-80 lg:border-l"
          >
            <ProcessorSide />
          </aside>
        ) : null}
      </div>
      <StatusBar
        panels={panels}
        shows={shows}
        onToggle={(name, shown = "logs") => {
          const isOther = name === "dock" && shown !== shows;
          if (isOther) setShows(shown);
          if (isOther && panels.dock) return;
          if (name === "dock") setWanted(true);
          if (name === "dock" && shown === "logs") rememberLog(!panels.dock);
          if (isWide) keep({ [name]: !panels[name] });
          else setOnly(only === name ? null : name);
        }}
      />
    </div>
  );
}

/** What the panel at the bottom shows. */
type Shown = "logs" | "metrics";

interface StatusBarProps {
  panels: Panels;
  shows: Shown;
  onToggle: (name: "side" | "dock", shown?: Shown) => void;
}

function StatusBar({ panels, shows, onToggle }: StatusBarProps) {
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const hasStopped = useProcessorState(
    ({ debugging }) => debugging.exception !== undefined || triggeredBreakpoint(debugging.breakpoints) !== undefined,
  );
  const state = isWaiting ? "QUEUED" : shown;
  const button =
    "flex h-6 items-center gap-1.5 rounded-sm px-2 text-xs font-medium text-ink-muted hover:bg-hover hover:text-ink aria-pressed:bg-hover aria-pressed:text-ink";
  return (
    <footer className="flex h-8 shrink-0 items-center gap-1 border-t border-line bg-surface px-2">
      <button
        type="button"
        className={button}
        aria-pressed={panels.dock && shows === "logs"}
        onClick={() => onToggle("dock", "logs")}
      >
        <ScrollText className="size-3.5" aria-hidden="true" />
        Logs
        {hasStopped && !(panels.dock && shows === "logs") ? (
          <span className="size-1.5 rounded-full bg-danger">
            <span className="sr-only">Paused or failed</span>
          </span>
        ) : null}
      </button>
      <button
        type="button"
        className={button}
        aria-pressed={panels.dock && shows === "metrics"}
        onClick={() => onToggle("dock", "metrics")}
      >
        <ChartLine className="size-3.5" aria-hidden="true" />
        Metrics
      </button>
      <button
        type="button"
        className={classes(button, "ml-auto")}
        aria-pressed={panels.side}
        onClick={() => onToggle("side")}
      >
        {state ? <SessionIcon state={state} /> : <Cpu className="size-3.5" aria-hidden="true" />}
        Processor
        <span className="font-normal text-ink-faint max-sm:hidden">{processorPanel(shown, isWaiting).label}</span>
      </button>
    </footer>
  );
}

interface DockProps {
  height: number;
  onHeight: (height: number) => void;
  children: ReactNode;
}

/** A panel at the bottom whose upper edge can be dragged. */
function Dock({ height, onHeight, children }: DockProps) {
  const panel = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={panel}
      // A pause, an exception or a chart needs space, however small the log is.
      className="relative flex max-h-[75dvh] min-h-30 shrink-0 has-data-charts:min-h-96 has-data-stopped:min-h-72 has-data-variables:min-h-96 flex-col border-t border-line max-lg:h-[45dvh]!"
      style={{ height }}
    >
      <div className="contents max-lg:hidden">
        <PulledEdge
          label="Height of the log"
          panel={panel}
          edge="top"
          size={height}
          bounds={() => ({ min: dockHeights.min, max: innerHeight * dockHeights.share })}
          onSize={onHeight}
        />
      </div>
      {children}
    </div>
  );
}

function readPanels(): KeptPanels {
  const { side, dock, dockHeight } = readStoredRecord(storedAs);
  return {
    side: typeof side === "boolean" ? side : undefined,
    dock: typeof dock === "boolean" ? dock : true,
    dockHeight: typeof dockHeight === "number" ? dockHeight : dockHeights.initial,
  };
}
