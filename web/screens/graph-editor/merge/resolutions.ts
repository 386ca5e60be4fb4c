import type { Conflict, Resolution } from "@miranda/contract/schemas/versions.ts";

import { fieldWords } from "../compare/changes.ts";

/** What a person decided, by conflict. `typed` is a text that is no value yet. */
export type Decisions = ReadonlyMap<string, Resolution | { typed: string; problem: string }>;

/** Only what is still in conflict counts: the preview may have been read again. */
export function decided(conflicts: readonly Conflict[], decisions: Decisions): Record<string, Resolution> {
  const found: Record<string, Resolution> = {};
  for (const { id } of conflicts) {
    const decision = decisions.get(id);
    if (decision !== undefined && !isTyped(decision)) found[id] = decision;
  }
  return found;
}

export function isTyped(decision: Resolution | { typed: string; problem: string } | undefined) {
  return typeof decision === "object" && "typed" in decision;
}

/** Of a whole node, edge or group one side must be chosen. Everything else can be written by hand. */
export function isEditable({ kind, field }: Conflict): boolean {
  return kind !== "deleted" && field !== "";
}

/** Whether a value is text on both sides, so that what is typed needs no quotes. */
function isText({ theirs, mine }: Conflict): boolean {
  return typeof theirs === "string" && typeof mine === "string";
}

/** The text with which editing begins. */
export function editedText(conflict: Conflict, value: unknown): string {
  return isText(conflict) && typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
}

/** What a person typed, as a value. */
export function parseTyped(conflict: Conflict, typed: string): Resolution | { typed: string; problem: string } {
  if (isText(conflict)) return { value: typed };
  try {
    return { value: JSON.parse(typed) };
  } catch {
    return { typed, problem: "Write a number, true, false, a text in quotes, or JSON." };
  }
}

/** What is in conflict, in a few words. */
export function conflictWords({ kind, field }: Conflict): string {
  switch (kind) {
    case "code":
      return `Code, part ${field}`;
    case "value":
      return field;
    case "setting":
      return fieldWords({ kind, field });
    case "deleted":
      return "Deleted on one side";
    case "edge":
      return field === "" ? "Edge, deleted on one side" : "Label of the edge";
    case "group":
      return field === "" ? "Group, deleted on one side" : `Group: ${fieldWords({ kind: "setting", field })}`;
  }
}
