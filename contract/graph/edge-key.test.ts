import { expect, test } from "vitest";

import { edgeKey } from "./edge-key.ts";
import { edge } from "./graph-samples.ts";

test("gives edges with different ends different keys, whatever their attributes are called", () => {
  const one = { ...edge("1.a", "2.b"), source_transmitter_key: "a,2", destination_receiver_key: "b" };
  const other = { ...one, source_transmitter_key: "a", destination_receiver_key: '2","b' };
  expect(edgeKey(one)).not.toBe(edgeKey(other));
  expect(edgeKey(one)).toBe(edgeKey(edge("1.a", "2.b", { ...one, is_field: 1 })));
});
