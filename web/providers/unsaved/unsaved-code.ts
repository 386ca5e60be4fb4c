import { messages } from "@miranda/contract/words/messages.ts";
import type { Draft, DraftAuthor } from "@miranda/contract/schemas/code.ts";

import { createStore } from "../../store.ts";

/** Sends what was typed. False when the server does not have it after a while. */
type Send = () => Promise<boolean>;

export type UnsavedCode = ReturnType<typeof createUnsavedCode>;

/** The uncommitted code of the open graph: which nodes, whose, and which of it the next run includes. */
export function createUnsavedCode() {
  const senders = new Set<Send>();
  let drafts = new Map<number, Draft>();
  const { get, set, watch } = createStore<{ all: readonly Draft[]; included: ReadonlySet<number> }>({
    all: [],
    included: new Set(),
  });

  function update(included = get().included): void {
    const kept = [...included].filter((id) => drafts.has(id));
    set({ all: [...drafts.values()], included: kept.length < included.size ? new Set(kept) : included });
  }

  return {
    /** Undefined when the node's code is committed. */
    of: (node: number): Draft | undefined => drafts.get(node),
    all: () => get().all,
    /** The nodes whose uncommitted code by others the next run includes. */
    included: () => get().included,

    load(found: readonly Draft[]): void {
      drafts = new Map(found.map((draft) => [draft.metadata_id, draft]));
      update();
    },

    put(draft: Draft): void {
      if (draft.unsaved) drafts.set(draft.metadata_id, draft);
      else if (!drafts.delete(draft.metadata_id)) return;
      update();
    },

    include(nodes: readonly number[], isIncluded: boolean): void {
      const rest = [...get().included].filter((id) => !nodes.includes(id));
      update(new Set(isIncluded ? [...rest, ...nodes] : rest));
    },

    /** Each open editor registers how to send what was typed in it. */
    offer(send: Send): () => void {
      senders.add(send);
      return () => void senders.delete(send);
    },

    /** Waits until the server has every keystroke, so that the next call includes them. */
    async sent(): Promise<void> {
      const answers = await Promise.all([...senders].map(async (send) => send()));
      if (answers.includes(false)) throw new Error(messages.codeNotSent);
    },

    watch,
  };
}

/** Whether nobody else has changed it. A run includes one's own code without asking. */
export function isOwn({ authors }: Draft, me: string | undefined): boolean {
  return authors.length === 1 && authors[0]?.username === me;
}

/** "Bea", "you", "Bea and you". */
export function authorNames(authors: readonly DraftAuthor[], me: string | undefined): string {
  const others = authors.filter(({ username }) => username !== me).map(({ first_name }) => first_name);
  const names = others.length < authors.length ? [...others, "you"] : others;
  const last = names.pop();
  if (last === undefined) return "somebody";
  return names.length > 0 ? `${names.join(", ")} and ${last}` : last;
}
