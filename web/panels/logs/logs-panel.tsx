import { type ReactNode, useCallback, useRef, useState, useSyncExternalStore } from "react";

import { messageOf } from "../../message-of.ts";
import { SpinnerIcon } from "../../ui/layout/spinner.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { hasEarlier } from "./lines/earlier-lines.ts";
import { LineList } from "./line-list.tsx";
import type { LineStore } from "./lines/line-store.ts";
import type { LogFollower } from "./lines/log-follower.ts";
import { type Jump, LogLine } from "./log-row.tsx";
import { LogTools } from "./log-tools.tsx";
import type { LogView } from "./log-view.ts";
import { useLogView, useLogViewState } from "./use-log-view.ts";

interface LogsPanelProps {
  store: LineStore;
  /** Lines that are being fetched. */
  gap?: LogFollower["gap"] | undefined;
  /** The name of the downloaded file. */
  name: string;
  isLoading: boolean;
  /** Loads earlier lines; false when there were none. */
  onEarlier?: (() => Promise<boolean>) | undefined;
  jump?: Jump | undefined;
  /** Slides up over the lines. */
  notice?: ReactNode;
  empty?: string;
}

/** A log with its filter. */
export function LogsPanel(props: LogsPanelProps) {
  const { store, gap, name, isLoading, onEarlier, jump, notice, empty = "Nothing has been printed yet." } = props;
  const { view, levels, toggleLevel } = useLogView(store);
  const [showTime, setShowTime] = useState(false);
  const loadWhole = useCallback(async () => {
    if (!onEarlier) return;
    let isWhole = false;
    while (!isWhole && hasEarlier(store)) isWhole = !(await onEarlier());
  }, [store, onEarlier]);
  const isEmpty = useLogViewState(view, (state) => state.count === 0);
  const size = isEmpty ? store.size() : 1;
  return (
    <section aria-label="Logs" className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden bg-surface">
      <LogTools
        view={view}
        store={store}
        name={name}
        chosen={levels}
        onToggle={toggleLevel}
        showTime={showTime}
        onShowTime={setShowTime}
        loadWhole={loadWhole}
      />
      {isEmpty ? (
        <p className="grid flex-1 place-items-center p-4 text-center text-ink-muted">
          {isLoading ? "Loading the log…" : size > 0 ? "No lines match the filter." : empty}
        </p>
      ) : (
        <Lines view={view} store={store} showTime={showTime} jump={jump} onEarlier={onEarlier} />
      )}
      {gap ? <GapNotice gap={gap} /> : null}
      {notice}
    </section>
  );
}

/** Below the last line that is shown, while later ones are being fetched. */
function GapNotice({ gap }: { gap: LogFollower["gap"] }) {
  const { lines, hasFailed } = useSyncExternalStore(gap.watch, gap.get);
  if (lines === 0) return null;
  const count = `${lines.toLocaleString("en-US")} ${lines === 1 ? "line" : "lines"}`;
  return (
    <p
      data-testid="log-gap"
      className="flex items-center gap-2 border-t border-line bg-surface-sunken px-3 py-1 text-sm text-ink-muted"
    >
      <SpinnerIcon className="size-3.5" />
      {hasFailed ? `${count} could not be fetched. Trying again…` : `Fetching ${count}…`}
    </p>
  );
}

interface LinesProps extends Pick<LogsPanelProps, "store" | "jump" | "onEarlier"> {
  view: LogView;
  showTime: boolean;
}

function Lines({ view, store, showTime, jump, onEarlier }: LinesProps) {
  const { count, dropped } = useLogViewState(view, (state) => state);
  const earlier = useEarlier(store, onEarlier);
  const renderRow = useCallback(
    (row: number, key: number) => {
      const line = view.rowAt(row);
      if (!line) return null;
      const { text, tag, time, node, continues } = line;
      return (
        <LogLine
          key={key}
          text={text}
          tag={tag}
          time={showTime ? time : undefined}
          node={node}
          continues={continues}
          jump={jump}
        />
      );
    },
    [view, showTime, jump],
  );
  return (
    <LineList
      label="Log lines"
      count={count}
      dropped={dropped}
      renderRow={renderRow}
      onTop={earlier.load}
      header={
        earlier.hasMore ? (
          <button
            type="button"
            disabled={earlier.busy}
            onClick={earlier.load}
            className="sticky left-0 flex h-7 items-center gap-2 px-3 font-sans text-sm font-medium text-accent-text hover:underline"
          >
            {earlier.busy ? <SpinnerIcon className="size-3.5" /> : null}
            Load earlier lines
          </button>
        ) : null
      }
    />
  );
}

/** Loads the lines before the loaded ones, one window at a time. */
function useEarlier(store: LineStore, onEarlier: LogsPanelProps["onEarlier"]) {
  const [busy, setBusy] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const isLoading = useRef(false);
  const hasMore = onEarlier !== undefined && !isWhole && hasEarlier(store);
  const load = useCallback(() => {
    if (isLoading.current || !onEarlier || !hasEarlier(store)) return;
    isLoading.current = true;
    setBusy(true);
    onEarlier()
      .then((found) => setIsWhole(!found))
      .catch((cause: unknown) => toast.error(messageOf(cause)))
      .finally(() => {
        isLoading.current = false;
        setBusy(false);
      });
  }, [store, onEarlier]);
  return { busy, hasMore, load: hasMore ? load : undefined };
}
