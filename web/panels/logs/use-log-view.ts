import { useCallback, useEffect, useState, useSyncExternalStore } from "react";

import { logs } from "@miranda/contract/limits.ts";
import { readLogLevels, writeLogLevels } from "./log-levels.ts";

import { readStored, writeStored } from "../../storage.ts";
import type { LineStore } from "./lines/line-store.ts";
import type { FilterWorker } from "./log-filter.ts";
import { createLogView, type LogView, type LogViewState } from "./log-view.ts";

function makeWorker(): FilterWorker {
  return new Worker(new URL("./filter-worker.ts", import.meta.url), { type: "module", name: "log filter" });
}

/** The rows of a log under this person's filter. */
export function useLogView(store: LineStore) {
  const [levels, setLevels] = useState(() => readLogLevels(readStored(logs.filterKey)));
  const [opened, setOpened] = useState(() => ({ store, view: createLogView(store, levels, makeWorker) }));
  if (opened.store !== store) setOpened({ store, view: createLogView(store, levels, makeWorker) });
  const { view } = opened;
  // React may create a component and never mount it, so subscribe only when it is mounted.
  useEffect(() => {
    view.start();
    return view.stop;
  }, [view]);

  const toggleLevel = useCallback(
    (level: number): void => {
      const next = levels.includes(level) ? levels.filter((one) => one !== level) : [...levels, level];
      setLevels(next);
      view.setLevels(next);
      writeStored(logs.filterKey, writeLogLevels(next));
    },
    [levels, view],
  );
  return { view, levels, toggleLevel };
}

/**
 * Selects part of a view's state. With new lines every frame, each part of the panel renders only for its own state.
 */
export function useLogViewState<Part>(view: LogView, select: (state: LogViewState) => Part): Part {
  return useSyncExternalStore(view.watch, () => select(view.get()));
}
