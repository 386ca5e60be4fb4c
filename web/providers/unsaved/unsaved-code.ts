import { messages } from "@miranda/contract/errors.ts";
import type { Draft, DraftAuthor } from "@miranda/contract/schemas/code.ts";

/** Sees to it that the server has what was typed; false when it has not after a while. */
type Send = () => Promise<boolean>;

export type UnsavedCode = ReturnType<typeof createUnsavedCode>;

const none: readonly Draft[] = [];

/** Which nodes of the open graph have code that nobody has committed, whose it is, and what of it the next run takes. */
export function createUnsavedCode() {
  const watchers = new Set<() => void>();
  const senders = new Set<Send>();
  let drafts = new Map<number, Draft>();
  let all = none;
  let included: ReadonlySet<number> = new Set();

  function tell(): void {
    all = [...drafts.values()];
    const kept = [...included].filter((id) => drafts.has(id));
    if (kept.length < included.size) included = new Set(kept);
    for (const watcher of watchers) watcher();
  }

  return {
    /** Undefined when the node's code is committed. */
    of: (node: number): Draft | undefined => drafts.get(node),
    all: (): readonly Draft[] => all,
    /** The nodes whose code by others the next run takes along. */
    included: (): ReadonlySet<number> => included,

    load(found: readonly Draft[]): void {
      drafts = new Map(found.map((draft) => [draft.metadata_id, draft]));
      tell();
    },

    put(draft: Draft): void {
      if (draft.unsaved) drafts.set(draft.metadata_id, draft);
      else if (!drafts.delete(draft.metadata_id)) return;
      tell();
    },

    include(nodes: readonly number[], isIncluded: boolean): void {
      const rest = [...included].filter((id) => !nodes.includes(id));
      included = new Set(isIncluded ? [...rest, ...nodes] : rest);
      tell();
    },

    /** Editors offer how to send what was typed in them. */
    offer(send: Send): () => void {
      senders.add(send);
      return () => void senders.delete(send);
    },

    /** Until the server has every keystroke: what it does next is done with them. */
    async sent(): Promise<void> {
      const answers = await Promise.all([...senders].map((send) => send()));
      if (answers.includes(false)) throw new Error(messages.codeNotSent);
    },

    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

/** What nobody else has changed: a run takes it without asking. */
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
