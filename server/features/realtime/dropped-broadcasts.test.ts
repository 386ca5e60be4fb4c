import { expect, it } from "vitest";

import { createDroppedBroadcasts } from "./dropped-broadcasts.ts";

it("counts every dropped broadcast and logs one line a minute with the total", () => {
  let now = 0;
  const lines: object[] = [];
  const dropped = createDroppedBroadcasts(
    (fields) => void lines.push(fields),
    () => now,
  );
  for (let at = 0; at < 500; at++) dropped.add("selection", "eve");
  now = 59_999;
  dropped.add("create[edge]", "eve");
  now = 60_000;
  dropped.add("create[edge]", "ben");
  expect(lines).toEqual([
    { total: 1, channel: "selection", username: "eve" },
    { total: 502, channel: "create[edge]", username: "ben" },
  ]);
  expect(dropped.counts()).toEqual({ total: 502, channels: { selection: 500, "create[edge]": 2 } });
});
