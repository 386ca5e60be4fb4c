import { isRecord } from "../../is-record.ts";
import type { ValueOf } from "../../ui/code-editor/value-hover.ts";
import type { ProcessorStore } from "../processor/processor-store.ts";
import type { DebuggerStore } from "./debugger-store.ts";

const longest = 1_000;

/**
 * The values of a node's variables where it is paused, from data that the browser already has: nothing is evaluated, so
 * looking changes nothing and reveals no secrets.
 */
export function pausedValues(processor: ProcessorStore, debug: DebuggerStore, metadataId: number): ValueOf {
  return ([first = "", ...rest]) => {
    const { stop } = processor.get().debugging;
    const { frame, variables } = debug.get();
    const place = stop?.stack?.[frame]?.wob_key ?? (frame === 0 ? stop?.wob_key : undefined);
    if (!variables || place !== metadataId || !Object.hasOwn(variables.locals, first)) return undefined;
    let value: unknown = variables.locals[first];
    for (const name of rest) {
      if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
      // Only of an object: the keys of a dict are no attributes.
      if (!Object.hasOwn(value, "")) return undefined;
      value = value[name];
    }
    const text = JSON.stringify(value, undefined, 1) ?? "";
    const short = text.length > 80 ? text : text.replaceAll(/\s*\n\s*/g, " ");
    return short.length > longest ? `${short.slice(0, longest)}…` : short;
  };
}
