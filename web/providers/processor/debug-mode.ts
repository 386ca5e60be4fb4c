import { readStored, writeStored } from "../../storage.ts";

export type DebugMode = ReturnType<typeof createDebugMode>;

/** Whether this person's runs stop at breakpoints. */
export function createDebugMode(graphId: string) {
  const key = `debug:${graphId}`;
  const watchers = new Set<() => void>();
  let isOn = readStored(key) !== "off";
  return {
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
