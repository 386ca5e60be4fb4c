import type { NewCommentTarget, ThreadFilter } from "../../api/comments/comments.ts";
import { createStore } from "../../store.ts";

export interface CommentsState {
  isOpen: boolean;
  /** The thread that is open. Null: the list. */
  threadId: string | null;
  filter: ThreadFilter;
  /** What the person asked to comment on. Null: what is selected. */
  requestedTarget: NewCommentTarget | null;
}

/** A text that is being written. Its key makes sure that it is stored once. */
interface Draft {
  text: string;
  key: string;
  /** What the text is about since its first letter, wherever the cursor goes meanwhile. */
  target?: NewCommentTarget;
}

export type CommentsStore = ReturnType<typeof createCommentsStore>;

/** What one person has open of the comments of one workflow. Unsent texts stay when the panel closes. */
export function createCommentsStore(run: string | null = null) {
  const everything: ThreadFilter = { state: "open", of: "all", node: null, run };
  const { get, set, watch } = createStore<CommentsState>({
    ...{ isOpen: false, threadId: null, requestedTarget: null },
    filter: everything,
  });
  const drafts = new Map<string, Draft>();

  function update(changes: Partial<CommentsState>): void {
    set({ ...get(), ...changes });
  }

  return {
    get,
    watch,
    close: () => update({ isOpen: false, requestedTarget: null }),
    toggle: () => update({ isOpen: !get().isOpen, requestedTarget: null }),
    openThread: (threadId: string) => update({ isOpen: true, threadId, requestedTarget: null }),
    openList: () => update({ isOpen: true, threadId: null }),
    /** The open threads of one node. */
    openNode: (node: number) =>
      update({ isOpen: true, threadId: null, requestedTarget: null, filter: { ...everything, node } }),
    /** All open threads. */
    openAll: () => update({ isOpen: true, threadId: null, requestedTarget: null, filter: everything }),
    filter: (changes: Partial<ThreadFilter>) => update({ filter: { ...get().filter, ...changes } }),
    /** Begins a comment there. */
    startComment: (target: NewCommentTarget) => update({ isOpen: true, threadId: null, requestedTarget: target }),
    cancelComment: () => update({ requestedTarget: null }),

    draft: (target: string): Draft => drafts.get(target) ?? { text: "", key: crypto.randomUUID() },
    keepDraft(target: string, draft: Draft): void {
      if (draft.text === "") drafts.delete(target);
      else drafts.set(target, draft);
    },
  };
}
