import { useEffect, useState, useSyncExternalStore } from "react";

import { logs } from "@miranda/contract/limits.ts";
import { readLogLevels, writeLogLevels } from "@miranda/contract/logs.ts";

import { readStored, writeStored } from "../../storage.ts";
import type { LineStore } from "./line-store.ts";
import type { FilterWorker } from "./log-filter.ts";
import { createLogView } from "./log-view.ts";

function makeWorker(): FilterWorker {
  return new Worker(new URL("./filter-worker.ts", import.meta.url), { type: "module", name: "log filter" });
}

/** The rows of a log under the filter that this person has chosen, here or earlier. */
export function useLogView(store: LineStore) {
  const [levels, setLevels] = useState(() => readLogLevels(readStored(logs.filterKey)));
  const [view, setView] = useState(() => ({ store, ...openView(store, levels) }));
  if (view.store !== store) setView({ store, ...openView(store, levels) });
  useEffect(() => view.attach(), [view]);
  const state = useSyncExternalStore(view.watch, view.get);

  return {
    state,
    levels,
    rowAt: view.rowAt,
    setPattern: view.setPattern,
    toggleLevel(level: number): void {
      const next = levels.includes(level) ? levels.filter((one) => one !== level) : [...levels, level];
      setLevels(next);
      view.setLevels(next);
      writeStored(logs.filterKey, writeLogLevels(next));
    },
  };
}

/** Listening begins when it is shown; React may make a component and never show it. */
function openView(store: LineStore, levels: readonly number[]) {
  const view = createLogView(store, levels, makeWorker);
  return {
    ...view,
    attach(): () => void {
      view.start();
      return view.stop;
    },
  };
}
