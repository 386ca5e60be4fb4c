import type { SelectionData } from "@miranda/contract/schemas/broadcasts.ts";
import { expect, it } from "vitest";

import type { Realtime } from "../../../api/socket.ts";
import { createOthers } from "./peers.ts";

function room() {
  let hear: (event: { sender: string; data: SelectionData }) => void = () => undefined;
  const realtime = {
    on: (_name: string, listener: typeof hear) => {
      hear = listener;
      return () => undefined;
    },
  } as unknown as Realtime;
  const others = createOthers(realtime, "ada");
  others.listen();
  const say = (sender: string, metadata_ids: number[], x: number) =>
    hear({ sender, data: { metadata_ids, cursor: { x, y: 0 } } });
  return { others, say };
}

it("S7-098 shows each person once, where they spoke last, whichever of their tabs it was", () => {
  const { others, say } = room();
  say("ben", [1], 10);
  say("ben", [2], 20);
  expect(others.all()).toMatchObject([{ sender: "ben", cursor: { x: 20 } }]);
  expect([others.colourOn(1), others.nameOn(2)]).toEqual([undefined, "ben"]);
});

it("shows nobody to themselves in another tab", () => {
  const { others, say } = room();
  say("ada", [1], 10);
  expect(others.all()).toEqual([]);
});
