import { applyCommand, touchedBy } from "@miranda/contract/graph/commands/registry.ts";
import type { Command, UndoPart } from "@miranda/contract/graph/commands/command.ts";
import type { GraphContent } from "@miranda/contract/graph/content.ts";
import { sameJson } from "@miranda/contract/json.ts";

import { createStore } from "../../store.ts";

const mostKept = 200;
/** Values typed into one field within this time are one undo step. */
const mergedWithin = 2_000;

interface Step {
  parts: readonly UndoPart[];
  at: number;
}

/** A step in the history whose command is still on its way to the server. */
export interface Recorded {
  /** The server has stored the command, and this is the graph after it. */
  settle(after: GraphContent): void;
  /** The server refused the command. */
  forget(): void;
}

export type History = ReturnType<typeof createHistory>;

/** The undo and redo steps of this person. Each step has the inverse commands, never the command that was given. */
export function createHistory(now: () => number = Date.now) {
  const undo: Step[] = [];
  const redo: Step[] = [];
  const counts = createStore({ undo: 0, redo: 0 });

  function changed(): void {
    counts.set({ undo: undo.length, redo: redo.length });
  }

  function push(steps: Step[], parts: readonly UndoPart[]): Recorded {
    const step: Step = { parts, at: now() };
    steps.push(step);
    if (steps.length > mostKept) steps.shift();
    changed();
    return recorded(step, parts, () => {
      const at = steps.indexOf(step);
      if (at !== -1) steps.splice(at, 1);
    });
  }

  /** Makes what was typed last part of the step before: undoing it restores the value before both. */
  function merge(step: Step, left: GraphContent): Recorded {
    const earlier = step.parts;
    const merged = earlier.map(({ command }) => ({ command, left }));
    step.parts = merged;
    step.at = now();
    changed();
    return recorded(step, merged, () => (step.parts = earlier));
  }

  function recorded(step: Step, parts: readonly UndoPart[], forget: () => void): Recorded {
    let current = parts;
    // Something newer may have been merged into the step meanwhile. It decides then.
    const isCurrent = () => step.parts === current;
    return {
      settle(after) {
        if (!isCurrent()) return;
        current = parts.map(({ command }) => ({ command, left: touchedBy(after, command) }));
        step.parts = current;
      },
      forget() {
        if (isCurrent()) forget();
        changed();
      },
    };
  }

  return {
    /** Adds an undo step. */
    record(parts: readonly UndoPart[]): Recorded {
      const last = undo.at(-1);
      const [next] = parts;
      redo.length = 0;
      return last && next && now() - last.at < mergedWithin && continues(last.parts[0], next)
        ? merge(last, next.left)
        : push(undo, parts);
    },
    takeUndo(): readonly UndoPart[] | undefined {
      const step = undo.pop();
      changed();
      return step?.parts;
    },
    takeRedo(): readonly UndoPart[] | undefined {
      const step = redo.pop();
      changed();
      return step?.parts;
    },
    undone: (parts: readonly UndoPart[]): Recorded => push(redo, parts),
    redone: (parts: readonly UndoPart[]): Recorded => push(undo, parts),
    counts: counts.get,
    watch: counts.watch,
  };
}

/** Whether both set one field, and nobody else set it in between. */
function continues(last: UndoPart | undefined, next: UndoPart): boolean {
  if (!last || !isSameField(last.command, next.command)) return false;
  return sameJson(applyCommand(last.left, next.command), last.left);
}

function isSameField(one: Command, other: Command): boolean {
  const isValue = (command: Command) => command.type === "set" || command.type === "unset";
  return (
    isValue(one) && isValue(other) && "name" in one && "name" in other && one.id === other.id && one.name === other.name
  );
}
