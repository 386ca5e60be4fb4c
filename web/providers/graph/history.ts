import type { Command } from "@miranda/contract/graph/commands/command.ts";

import { createStore } from "../../store.ts";

const mostKept = 200;
/** Values typed into one field within this time are one undo step. */
const mergedWithin = 2_000;

interface Step {
  command: Command;
  at: number;
}

export type History = ReturnType<typeof createHistory>;

/** The undo and redo steps of this person. Each step is the inverse command, never the command that was given. */
export function createHistory(now: () => number = Date.now) {
  const undo: Step[] = [];
  const redo: Step[] = [];
  const counts = createStore({ undo: 0, redo: 0 });

  function changed(): void {
    counts.set({ undo: undo.length, redo: redo.length });
  }

  function push(steps: Step[], command: Command): void {
    steps.push({ command, at: now() });
    if (steps.length > mostKept) steps.shift();
  }

  return {
    /** Adds an undo step. */
    record(inverse: Command): void {
      const last = undo.at(-1);
      const isMerged = last !== undefined && now() - last.at < mergedWithin && isSameField(last.command, inverse);
      if (isMerged) last.at = now();
      else push(undo, inverse);
      redo.length = 0;
      changed();
    },
    /** Drops the step of a command that the server refused. */
    forget(inverse: Command): void {
      for (const steps of [undo, redo]) {
        const at = steps.findLastIndex(({ command }) => command === inverse);
        if (at !== -1) steps.splice(at, 1);
      }
      changed();
    },
    takeUndo(): Command | undefined {
      const step = undo.pop();
      changed();
      return step?.command;
    },
    takeRedo(): Command | undefined {
      const step = redo.pop();
      changed();
      return step?.command;
    },
    undone(inverse: Command): void {
      push(redo, inverse);
      changed();
    },
    redone(inverse: Command): void {
      push(undo, inverse);
      changed();
    },
    counts: counts.get,
    watch: counts.watch,
  };
}

function isSameField(one: Command, other: Command): boolean {
  const isValue = (command: Command) => command.type === "set" || command.type === "unset";
  return (
    isValue(one) && isValue(other) && "name" in one && "name" in other && one.id === other.id && one.name === other.name
  );
}
