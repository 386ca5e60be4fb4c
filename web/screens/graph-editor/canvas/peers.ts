import type { Position } from "@miranda/contract/schemas/nodes.ts";
import { usernameColour } from "../../../format/username-colour.ts";

import type { Realtime } from "../../../api/socket.ts";
import { createStore } from "../../../store.ts";

export interface Peer {
  sender: string;
  colour: string;
  selected: ReadonlySet<number>;
  cursor: Position | null;
}

export type Peers = ReturnType<typeof createPeers>;

/**
 * The pointers and selections of other people. A person with several tabs has one pointer: that of the tab that
 * broadcast last. Nobody sees their own.
 */
export function createPeers(realtime: Pick<Realtime, "on">, ownName: string) {
  const store = createStore<readonly Peer[]>([]);
  let coloursOf: ReadonlyMap<number, string> = new Map();

  function set(next: readonly Peer[]): void {
    coloursOf = new Map(next.flatMap(({ selected, colour }) => Array.from(selected, (id) => [id, colour] as const)));
    store.set(next);
  }

  return {
    all: store.get,
    /** The colour of a person who has this node selected. */
    colourOn: (id: number) => coloursOf.get(id),
    nameOn: (id: number) => store.get().find(({ selected }) => selected.has(id))?.sender,
    watch: store.watch,
    /** Removes people who have left the graph. */
    keepOnly(usernames: ReadonlySet<string>): void {
      if (store.get().some(({ sender }) => !usernames.has(sender)))
        set(store.get().filter(({ sender }) => usernames.has(sender)));
    },
    listen(): () => void {
      return realtime.on("broadcast(selection)", ({ sender, data }) => {
        if (sender === ownName) return;
        const ids = data.metadata_ids;
        const known = store.get().find((peer) => peer.sender === sender);
        const isSame = known?.selected.size === ids.length && ids.every((id) => known.selected.has(id));
        const peer: Peer = {
          sender,
          colour: known?.colour ?? usernameColour(sender),
          selected: isSame ? known.selected : new Set(ids),
          cursor: data.cursor ?? null,
        };
        set([...store.get().filter((one) => one.sender !== sender), peer]);
      });
    },
  };
}
