import type { ValueOf } from "../../ui/code-editor/value-hover.ts";
import type { ProcessorStore } from "../processor/processor-store.ts";
import type { DebuggerStore } from "./debugger-store.ts";
import { knownValue } from "./known-value.ts";

/** The values of a node's variables where it is paused. */
export function pausedValues(processor: ProcessorStore, debug: DebuggerStore, metadataId: number): ValueOf {
  return (names) => {
    const { stop } = processor.get().debugging;
    const { frame, variables } = debug.get();
    const place = stop?.stack?.[frame]?.wob_key ?? (frame === 0 ? stop?.wob_key : undefined);
    return variables && place === metadataId ? knownValue(variables.locals, names) : undefined;
  };
}
