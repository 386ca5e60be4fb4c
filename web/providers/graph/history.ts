import type { Command } from "@miranda/contract/graph/commands/command.ts";

const mostKept = 200;
/** Values typed into one field within this time are one step back. */
const mergedWithin = 2_000;

interface Step {
  command: Command;
  at: number;
}

export type History = ReturnType<typeof createHistory>;

/** What this person can take back and do again. It knows commands that take back, never the ones that were given. */
export function createHistory(now: () => number = Date.now) {
  const undo: Step[] = [];
  const redo: Step[] = [];
  const watchers = new Set<() => void>();
  let counts = { undo: 0, redo: 0 };

  function changed(): void {
    counts = { undo: undo.length, redo: redo.length };
    for (const watcher of watchers) watcher();
  }

  function push(steps: Step[], command: Command): void {
    steps.push({ command, at: now() });
    if (steps.length > mostKept) steps.shift();
  }

  return {
    /** Something was done, and this takes it back. */
    record(inverse: Command): void {
      const last = undo.at(-1);
      const isMerged = last !== undefined && now() - last.at < mergedWithin && isSameField(last.command, inverse);
      if (isMerged) last.at = now();
      else push(undo, inverse);
      redo.length = 0;
      changed();
    },
    /** What it would take back never came to be. */
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
    counts: () => counts,
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

function isSameField(one: Command, other: Command): boolean {
  const isValue = (command: Command) => command.type === "set" || command.type === "unset";
  return (
    isValue(one) && isValue(other) && "name" in one && "name" in other && one.id === other.id && one.name === other.name
  );
}
