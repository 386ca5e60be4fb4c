import { type ExceptionMode, exceptionModes } from "@miranda/contract/processor.ts";

import { readStored, writeStored } from "../../storage.ts";

export type DebugMode = ReturnType<typeof createDebugMode>;

/** Whether this person's runs stop at breakpoints, and at which exceptions. */
export function createDebugMode(graphId: string) {
  const key = `debug:${graphId}`;
  const watchers = new Set<() => void>();
  const exceptionsKey = `exceptions:${graphId}`;
  let isOn = readStored(key) !== "off";
  let exceptions = exceptionModes.find((mode) => mode === readStored(exceptionsKey)) ?? "off";
  return {
    exceptions: () => exceptions,
    setExceptions(mode: ExceptionMode): void {
      exceptions = mode;
      writeStored(exceptionsKey, mode);
      for (const watcher of watchers) watcher();
    },
    isOn: () => isOn,
    set(on: boolean): void {
      isOn = on;
      writeStored(key, on ? "on" : "off");
      for (const watcher of watchers) watcher();
    },
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
