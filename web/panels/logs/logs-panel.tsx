import { Clock, Copy, Download } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { toast } from "../../ui/toast.ts";

import { logLevels } from "@miranda/contract/limits.ts";

import { classes } from "../../ui/classes.ts";
import { writeClipboard } from "../../ui/copy-button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { SpinnerIcon } from "../../ui/spinner.tsx";
import { withoutAnsi } from "./ansi.ts";
import { hasEarlier } from "./earlier-lines.ts";
import { LineList } from "./line-list.tsx";
import type { LineStore } from "./line-store.ts";
import { LogLine } from "./log-row.tsx";
import type { LogRow } from "./log-view.ts";
import { useLogView } from "./use-log-view.ts";

const levels = [
  { tag: logLevels.DEFAULT, name: "Default", mark: "bg-ink-faint" },
  { tag: logLevels.INFO, name: "Info", mark: "bg-info" },
  { tag: logLevels.WARNING, name: "Warn", mark: "bg-warning" },
  { tag: logLevels.ERROR, name: "Error", mark: "bg-danger" },
  { tag: logLevels.DEBUG, name: "Debug", mark: "bg-line-strong" },
] as const;

/** What goes into the clipboard; a whole log is better downloaded. */
const mostCopied = 200_000;

interface LogsPanelProps {
  store: LineStore;
  /** Names the downloaded file. */
  name: string;
  isLoading: boolean;
  /** Earlier lines that are not here yet. */
  onEarlier?: (() => Promise<boolean>) | undefined;
  codePath?: ((nodeId: number) => string) | undefined;
  /** What slides up over the lines. */
  notice?: ReactNode;
  empty?: string;
}

/** A log with its filter. */
export function LogsPanel(props: LogsPanelProps) {
  const { store, name, isLoading, onEarlier, codePath, notice, empty = "Nothing has been printed yet." } = props;
  const { state, levels: chosen, rowAt, setPattern, toggleLevel } = useLogView(store);
  const [showTime, setShowTime] = useState(false);

  const renderRow = useCallback(
    (row: number) => {
      const line = rowAt(row);
      if (!line) return null;
      const { index, id: _id, ...rest } = line;
      return <LogLine key={index} {...rest} showTime={showTime} codePath={codePath} />;
    },
    [rowAt, showTime, codePath],
  );

  async function copy(): Promise<void> {
    const first = Math.max(0, state.count - mostCopied);
    try {
      await writeClipboard(textOf(rowAt, first, state.count, showTime));
      toast.success(first > 0 ? `Copied the last ${mostCopied.toLocaleString()} lines.` : "Copied.");
    } catch (cause) {
      toast.error(cause instanceof Error ? cause.message : String(cause));
    }
  }

  return (
    <section aria-label="Logs" className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden bg-surface">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line px-2 py-1.5">
        <FilterBox
          pattern={state.pattern}
          isBusy={state.isTesting}
          problem={problemOf(state)}
          onChange={setPattern}
        />
        <fieldset aria-label="Levels" className="flex min-w-0 flex-wrap items-center gap-1 max-sm:order-last max-sm:w-full">
          {levels.map((level) => (
            <button
              key={level.tag}
              type="button"
              aria-pressed={chosen.includes(level.tag)}
              onClick={() => toggleLevel(level.tag)}
              className="flex h-7 items-center gap-1.5 rounded-md border border-transparent px-2 text-sm font-medium text-ink-faint transition-colors hover:bg-hover aria-pressed:border-line aria-pressed:bg-sunken aria-pressed:text-ink"
            >
              <span
                aria-hidden="true"
                className={classes("size-2 rounded-full", chosen.includes(level.tag) ? level.mark : "bg-line")}
              />
              {level.name}
            </button>
          ))}
        </fieldset>
        <div className="ml-auto flex items-center">
          <span className="hidden px-2 text-xs text-ink-faint tabular-nums sm:inline" data-testid="log-count">
            {countText(state.count, store.size())}
          </span>
          <IconButton
            icon={Clock}
            label="Timestamps"
            aria-pressed={showTime}
            onClick={() => setShowTime(!showTime)}
            className="size-7 aria-pressed:bg-sunken aria-pressed:text-ink"
          />
          <IconButton icon={Copy} label="Copy" onClick={copy} className="size-7" />
          <IconButton
            icon={Download}
            label="Download"
            onClick={() => download(`${name}.log`, textOf(rowAt, 0, state.count, true))}
            className="size-7"
          />
        </div>
      </div>
      {state.count === 0 ? (
        <p className="grid flex-1 place-items-center p-4 text-center text-ink-muted">
          {isLoading ? "Loading the log…" : store.size() > 0 ? "No line passes the filter." : empty}
        </p>
      ) : (
        <LineList
          label="Log lines"
          count={state.count}
          dropped={state.dropped}
          renderRow={renderRow}
          header={onEarlier && hasEarlier(store) ? <Earlier onEarlier={onEarlier} /> : null}
        />
      )}
      {notice}
    </section>
  );
}

interface FilterBoxProps {
  pattern: string;
  isBusy: boolean;
  problem: string | undefined;
  onChange: (pattern: string) => void;
}

function FilterBox({ pattern, isBusy, problem, onChange }: FilterBoxProps) {
  return (
    <div className="relative min-w-36 flex-1 sm:max-w-72">
      <input
        type="text"
        value={pattern}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onChange("")}
        placeholder="Filter"
        aria-label="Filter"
        title="A regular expression; small and capital letters are the same"
        spellCheck={false}
        autoComplete="off"
        className={classes(
          "h-7 w-full rounded-md border bg-surface px-2.5 font-mono text-lg transition-colors focus-visible:outline-offset-0 sm:text-sm",
          problem ? "border-warning" : "border-line-strong hover:border-ink-faint",
        )}
      />
      <span className="absolute inset-y-0 right-2 flex items-center gap-1 text-xs">
        {isBusy ? <SpinnerIcon className="size-3.5" /> : null}
        {problem ? (
          <output className="max-w-44 truncate rounded-sm bg-warning-soft px-1.5 text-warning-text" title={problem}>
            {problem}
          </output>
        ) : null}
      </span>
    </div>
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

function problemOf({ isInvalid, isTooSlow }: { isInvalid: boolean; isTooSlow: boolean }): string | undefined {
  if (isTooSlow) return "This pattern takes too long";
  return isInvalid ? "Not a pattern yet" : undefined;
}

function countText(shown: number, all: number): string {
  const words = (count: number) => `${count.toLocaleString()} ${count === 1 ? "line" : "lines"}`;
  return shown === all ? words(all) : `${shown.toLocaleString()} of ${words(all)}`;
}

function textOf(rowAt: (row: number) => LogRow | undefined, first: number, end: number, withTime: boolean): string {
  const lines: string[] = [];
  for (let row = first; row < end; row += 1) {
    const line = rowAt(row);
    if (!line) continue;
    const time = withTime && !Number.isNaN(line.time) ? `${new Date(line.time).toISOString()} ` : "";
    lines.push(time + withoutAnsi(line.text));
  }
  return `${lines.join("\n")}\n`;
}

function download(fileName: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = fileName.replaceAll(/[/\\:*?"<>|]/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
