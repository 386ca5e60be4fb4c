import { Clock, Copy, Download } from "lucide-react";
import { memo, useDeferredValue, useState } from "react";

import { logLevels } from "@miranda/contract/limits.ts";

import { messageOf } from "../../message-of.ts";
import { classes } from "../../ui/classes.ts";
import { writeClipboard } from "../../ui/copy-button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { SpinnerIcon } from "../../ui/layout/spinner.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { download, textOf } from "./log-text.ts";
import type { LogView } from "./log-view.ts";
import type { LineStore } from "./lines/line-store.ts";
import { useLogViewState } from "./use-log-view.ts";

const levels = [
  { tag: logLevels.DEFAULT, name: "Default", mark: "bg-ink-faint" },
  { tag: logLevels.INFO, name: "Info", mark: "bg-info" },
  { tag: logLevels.WARNING, name: "Warn", mark: "bg-warning" },
  { tag: logLevels.ERROR, name: "Error", mark: "bg-danger" },
  { tag: logLevels.DEBUG, name: "Debug", mark: "bg-line-strong" },
] as const;

/** At most this many lines are copied; a whole log is better downloaded. */
const maxCopiedLines = 200_000;

interface LogToolsProps {
  view: LogView;
  store: LineStore;
  /** The name of the downloaded file. */
  name: string;
  chosen: readonly number[];
  onToggle: (level: number) => void;
  showTime: boolean;
  onShowTime: (show: boolean) => void;
  /** Fetches the part of the log that is not loaded yet. */
  loadWhole: () => Promise<void>;
}

/** The toolbar above the lines. It does not render again when lines come. */
export const LogTools = memo(function LogTools(props: LogToolsProps) {
  const { view, store, name, chosen, onToggle, showTime, onShowTime, loadWhole } = props;

  const [isSaving, setIsSaving] = useState(false);

  /** Downloads the whole log, not only the loaded part. */
  async function save(): Promise<void> {
    setIsSaving(true);
    try {
      await loadWhole();
      await settled(view);
      download(`${name}.log`, textOf(view.rowAt, 0, view.get().count, true));
    } catch (cause) {
      toast.error(messageOf(cause));
    } finally {
      setIsSaving(false);
    }
  }

  async function copy(): Promise<void> {
    const { count } = view.get();
    const first = Math.max(0, count - maxCopiedLines);
    try {
      await writeClipboard(textOf(view.rowAt, first, count, showTime));
      toast.success(first > 0 ? `Copied the last ${maxCopiedLines.toLocaleString()} lines.` : "Copied.");
    } catch (cause) {
      toast.error(messageOf(cause));
    }
  }

  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line px-2 py-1.5">
      <FilterBox view={view} />
      <fieldset
        aria-label="Levels"
        className="flex min-w-0 flex-wrap items-center gap-1 max-sm:order-last max-sm:w-full"
      >
        {levels.map((level) => (
          <button
            key={level.tag}
            type="button"
            aria-pressed={chosen.includes(level.tag)}
            onClick={() => onToggle(level.tag)}
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
        <Count view={view} store={store} />
        <IconButton
          icon={Clock}
          label="Timestamps"
          aria-pressed={showTime}
          onClick={() => onShowTime(!showTime)}
          className="size-7 aria-pressed:bg-sunken aria-pressed:text-ink"
        />
        <IconButton icon={Copy} label="Copy" onClick={copy} className="size-7" />
        <IconButton icon={Download} label="Download" disabled={isSaving} onClick={save} className="size-7" />
      </div>
    </div>
  );
});

/** Waits until all loaded lines have rows and, under a filter, have been tested. */
async function settled(view: LogView): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 100));
  while (view.get().isTesting);
}

function FilterBox({ view }: { view: LogView }) {
  const pattern = useLogViewState(view, (state) => state.pattern);
  // New lines are tested all the time; show it only when it takes a while.
  const isBusy = useDeferredValue(useLogViewState(view, (state) => state.isTesting));
  const problem = useLogViewState(view, problemOf);
  return (
    <div className="relative min-w-36 flex-1 sm:max-w-72">
      <input
        type="text"
        value={pattern}
        onChange={(event) => view.setPattern(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && view.setPattern("")}
        placeholder="Filter"
        aria-label="Filter"
        title="A regular expression, not case-sensitive"
        spellCheck={false}
        autoComplete="off"
        className={classes(
          "h-7 w-full rounded-md border bg-surface px-2.5 font-mono text-lg transition-colors focus-visible:outline-offset-0 sm:text-sm",
          problem ? "border-warning" : "border-line-strong hover:border-ink-faint",
        )}
      />
      <span className="pointer-events-none absolute inset-y-0 right-2 flex items-center gap-1 text-xs">
        {isBusy ? <SpinnerIcon className="size-3.5 animate-late" /> : null}
        {problem ? (
          <output className="max-w-44 truncate rounded-sm bg-warning-soft px-1.5 text-warning-text">{problem}</output>
        ) : null}
      </span>
    </div>
  );
}

function Count({ view, store }: { view: LogView; store: LineStore }) {
  const shown = useLogViewState(view, (state) => state.count);
  const all = store.size();
  const lineCount = (count: number) => `${count.toLocaleString()} ${count === 1 ? "line" : "lines"}`;
  return (
    <span className="hidden px-2 text-xs text-ink-faint tabular-nums sm:inline" data-testid="log-count">
      {shown === all ? lineCount(all) : `${shown.toLocaleString()} of ${lineCount(all)}`}
    </span>
  );
}

function problemOf({ isInvalid, isTooSlow }: { isInvalid: boolean; isTooSlow: boolean }): string | undefined {
  if (isTooSlow) return "This pattern takes too long";
  return isInvalid ? "Invalid pattern" : undefined;
}
