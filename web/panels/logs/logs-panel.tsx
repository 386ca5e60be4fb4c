import { type ReactNode, useCallback, useState } from "react";

import { SpinnerIcon } from "../../ui/spinner.tsx";
import { toast } from "../../ui/toast.ts";
import { hasEarlier } from "./earlier-lines.ts";
import { LineList } from "./line-list.tsx";
import type { LineStore } from "./line-store.ts";
import { LogLine } from "./log-row.tsx";
import { LogTools } from "./log-tools.tsx";
import type { LogView } from "./log-view.ts";
import { useLogView, useLogViewState } from "./use-log-view.ts";

interface LogsPanelProps {
  store: LineStore;
  /** Names the downloaded file. */
  name: string;
  isLoading: boolean;
  /** Earlier lines that are not here yet; false when there were none. */
  onEarlier?: (() => Promise<boolean>) | undefined;
  codePath?: ((nodeId: number) => string) | undefined;
  /** What slides up over the lines. */
  notice?: ReactNode;
  empty?: string;
}

/** A log with its filter. */
export function LogsPanel(props: LogsPanelProps) {
  const { store, name, isLoading, onEarlier, codePath, notice, empty = "Nothing has been printed yet." } = props;
  const { view, levels, toggleLevel } = useLogView(store);
  const [showTime, setShowTime] = useState(false);
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
      />
      {isEmpty ? (
        <p className="grid flex-1 place-items-center p-4 text-center text-ink-muted">
          {isLoading ? "Loading the log…" : size > 0 ? "No line passes the filter." : empty}
        </p>
      ) : (
        <Lines view={view} store={store} showTime={showTime} codePath={codePath} onEarlier={onEarlier} />
      )}
      {notice}
    </section>
  );
}

interface LinesProps extends Pick<LogsPanelProps, "store" | "codePath" | "onEarlier"> {
  view: LogView;
  showTime: boolean;
}

function Lines({ view, store, showTime, codePath, onEarlier }: LinesProps) {
  const { count, dropped } = useLogViewState(view, (state) => state);
  const renderRow = useCallback(
    (row: number, key: number) => {
      const line = view.rowAt(row);
      if (!line) return null;
      const { text, tag, time, continues } = line;
      return (
        <LogLine
          key={key}
          text={text}
          tag={tag}
          time={showTime ? time : undefined}
          continues={continues}
          codePath={codePath}
        />
      );
    },
    [view, showTime, codePath],
  );
  return (
    <LineList
      label="Log lines"
      count={count}
      dropped={dropped}
      renderRow={renderRow}
      header={onEarlier && hasEarlier(store) ? <Earlier onEarlier={onEarlier} /> : null}
    />
  );
}

function Earlier({ onEarlier }: { onEarlier: () => Promise<boolean> }) {
  const [busy, setBusy] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  async function load(): Promise<void> {
    setBusy(true);
    try {
      setIsWhole(!(await onEarlier()));
    } catch (cause) {
      toast.error(cause instanceof Error ? cause.message : String(cause));
    } finally {
      setBusy(false);
    }
  }
  if (isWhole) return null;
  return (
    <button
      type="button"
      disabled={busy}
      onClick={load}
      className="sticky left-0 flex h-7 items-center gap-2 px-3 font-sans text-sm font-medium text-accent-text hover:underline"
    >
      {busy ? <SpinnerIcon className="size-3.5" /> : null}
      Load earlier lines
    </button>
  );
}
