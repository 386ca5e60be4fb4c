import type { Position } from "@miranda/contract/schemas/nodes.ts";
import { usernameColour } from "../../../format/username-colour.ts";

import type { Realtime } from "../../../api/socket.ts";
import { createStore } from "../../../store.ts";

export interface Other {
  sender: string;
  colour: string;
  selected: ReadonlySet<number>;
  cursor: Position | null;
}

export type Others = ReturnType<typeof createOthers>;

/**
 * Who else points where, and what they have selected. A person has one pointer, however many tabs: the tab that spoke
 * last is where they are, and in tabs of their own nobody is shown to themselves.
 */
export function createOthers(realtime: Pick<Realtime, "on">, ownName: string) {
  const store = createStore<readonly Other[]>([]);
  let coloursOf: ReadonlyMap<number, string> = new Map();

  function set(next: readonly Other[]): void {
    coloursOf = new Map(next.flatMap(({ selected, colour }) => Array.from(selected, (id) => [id, colour] as const)));
    store.set(next);
  }

  return {
    all: store.get,
    /** The colour of somebody who has this node selected. */
    colourOn: (id: number) => coloursOf.get(id),
    nameOn: (id: number) => store.get().find(({ selected }) => selected.has(id))?.sender,
    watch: store.watch,
    /** Whoever is not in the graph any more points nowhere. */
    keepOnly(usernames: ReadonlySet<string>): void {
      if (store.get().some(({ sender }) => !usernames.has(sender)))
        set(store.get().filter(({ sender }) => usernames.has(sender)));
    },
    listen(): () => void {
      return realtime.on("broadcast(selection)", ({ sender, data }) => {
        if (sender === ownName) return;
        const ids = data.metadata_ids;
        const known = store.get().find((other) => other.sender === sender);
        const isSame = known?.selected.size === ids.length && ids.every((id) => known.selected.has(id));
        const other: Other = {
          sender,
          colour: known?.colour ?? usernameColour(sender),
          selected: isSame ? known.selected : new Set(ids),
          cursor: data.cursor ?? null,
        };
        set([...store.get().filter((one) => one.sender !== sender), other]);
      });
    },
  };
}
