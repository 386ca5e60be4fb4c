import { assertNever } from "@miranda/contract/assert-never.ts";
import type { CallState } from "@miranda/contract/schemas/deployments/calls.ts";

import { type AppField, isFileValue } from "../../../panels/app-form/form-values.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";

export type CallLook = "waiting" | "running" | "done" | "failed" | "stopped";

export function lookOf(state: CallState): CallLook {
  switch (state) {
    case "queued":
      return "waiting";
    case "running":
    case "paused":
      return "running";
    case "done":
      return "done";
    case "failed":
    case "crashed":
    case "lost":
      return "failed";
    case "stopped":
      return "stopped";
    default:
      return assertNever(state);
  }
}

const titles: Readonly<Record<CallLook, string>> = {
  waiting: "Waiting for its turn",
  running: "Running",
  done: "Done",
  failed: "This did not work",
  stopped: "Stopped",
};

/** What became of a call, for somebody who does not code. */
export function callTitle(state: CallState): string {
  return state === "paused" ? "Paused" : titles[lookOf(state)];
}

export function positionWords(position: number | null): string {
  if (position === null) return "It starts in a moment.";
  if (position === 0) return "Yours is the next run.";
  return position === 1 ? "1 run is ahead of yours." : `${position.toLocaleString("en")} runs are ahead of yours.`;
}

const shownFields = 4;

/** The inputs of a call in a line: "City: Oslo · Days: 3". Fields that the app no longer has keep their name. */
export function inputWords(fields: readonly AppField[], inputs: Readonly<Record<string, unknown>>): string {
  const order = [...fields.map(({ name }) => name), ...Object.keys(inputs)];
  const names = [...new Set(order)].filter((name) => Object.hasOwn(inputs, name));
  const shown = names.slice(0, shownFields).map((name) => {
    const label = fields.find((field) => field.name === name)?.label ?? name;
    return `${label}: ${valueWords(inputs[name])}`;
  });
  const left = names.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(" · ");
}

/** A value of a form as people read it. */
function valueWords(value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (isFileValue(value)) return oneLine(value.name);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return oneLine(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
