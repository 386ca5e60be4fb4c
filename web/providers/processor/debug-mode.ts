import { type ExceptionMode, exceptionModes } from "@miranda/contract/processor.ts";

import { readStored, writeStored } from "../../storage.ts";
import { createStore } from "../../store.ts";

export type DebugMode = ReturnType<typeof createDebugMode>;

/** Whether this person's runs stop at breakpoints, and at which exceptions. */
export function createDebugMode(graphId: string) {
  const key = `debug:${graphId}`;
  const exceptionsKey = `exceptions:${graphId}`;
  const exceptions: ExceptionMode = exceptionModes.find((mode) => mode === readStored(exceptionsKey)) ?? "off";
  const { get, set, watch } = createStore({ isOn: readStored(key) !== "off", exceptions });
  return {
    exceptions: () => get().exceptions,
    setExceptions(mode: ExceptionMode): void {
      writeStored(exceptionsKey, mode);
      set({ ...get(), exceptions: mode });
    },
    isOn: () => get().isOn,
    set(isOn: boolean): void {
      writeStored(key, isOn ? "on" : "off");
      set({ ...get(), isOn });
    },
    watch,
  };
}
