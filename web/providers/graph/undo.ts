import type { Command, UndoPart } from "@miranda/contract/graph/commands/command.ts";
import { splitUndo } from "@miranda/contract/graph/commands/registry.ts";

import type { GraphStore } from "./graph-store.ts";
import type { History, Recorded } from "./history.ts";
import { anywayWords, type Direction, nothingLeftWords, skippedWords } from "./undo-words.ts";

/** Something a person can still choose to do. */
export interface Choice {
  label: string;
  act: () => void;
}

interface Dependencies {
  store: GraphStore;
  history: History;
  perform: (command: Command, record: (parts: readonly UndoPart[]) => Recorded) => Promise<boolean>;
  /** Words for the person, with what they can still do. */
  tell: (message: string, choice?: Choice) => void;
}

/** Undo and redo. What somebody else changed since stays, unless the person wants to overwrite it. */
export function createUndo({ store, history, perform, tell }: Dependencies) {
  async function step(direction: Direction): Promise<boolean> {
    const parts = direction === "undo" ? history.takeUndo() : history.takeRedo();
    if (!parts) return false;
    const record = direction === "undo" ? history.undone : history.redone;
    const { changers } = store;
    const { free, taken, skipped } = splitUndo(parts, store.content(), changers.isOwnCode);
    if (skipped.length > 0)
      tell(
        skippedWords(skipped, store.changerOf, direction, free !== undefined),
        taken && { label: anywayWords[direction], act: () => void perform(taken, record) },
      );
    else if (!free) tell(nothingLeftWords(direction));
    return free !== undefined && perform(free, record);
  }

  return { undo: () => step("undo"), redo: () => step("redo") };
}
