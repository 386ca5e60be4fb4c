import type { SelectionData } from "@miranda/contract/schemas/broadcasts.ts";
import { expect, it } from "vitest";

import type { Realtime } from "../../../api/socket.ts";
import { createPeers } from "./peers.ts";

function room() {
  let deliver: (event: { sender: string; data: SelectionData }) => void = () => undefined;
  const realtime = {
    on: (_name: string, listener: typeof deliver) => {
      deliver = listener;
      return () => undefined;
    },
  } as unknown as Realtime;
  const peers = createPeers(realtime, "ada");
  peers.listen();
  const broadcast = (sender: string, metadata_ids: number[], x: number) =>
    deliver({ sender, data: { metadata_ids, cursor: { x, y: 0 } } });
  return { peers, broadcast };
}

it("S7-098 shows each person once, where their last broadcast came from, whichever tab sent it", () => {
  const { peers, broadcast } = room();
  broadcast("ben", [1], 10);
  broadcast("ben", [2], 20);
  expect(peers.all()).toMatchObject([{ sender: "ben", cursor: { x: 20 } }]);
  expect([peers.colourOn(1), peers.nameOn(2)]).toEqual([undefined, "ben"]);
});

it("does not show a person their own other tab", () => {
  const { peers, broadcast } = room();
  broadcast("ada", [1], 10);
  expect(peers.all()).toEqual([]);
});
