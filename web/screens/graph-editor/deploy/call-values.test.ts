import { expect, it } from "vitest";

import type { Attribute } from "@miranda/contract/schemas/attributes.ts";

import { callValues } from "./call-values.ts";

const attribute = (name: string, value: unknown, isConnected = false): Attribute => ({
  name,
  kind: "",
  direction: "RECEIVER_FIELD",
  value,
  is_connected: isConnected,
  control: null,
  edge_text: "",
  shown_when: null,
});

const nodes = {
  "1": {
    api: {
      compiled: true,
      error: null,
      disabled: false,
      attributes: [attribute("city", "Oslo"), attribute("days", 3), attribute("rows", [1], true)],
    },
  },
};

it("sets the fields that differ, as one change", () => {
  const values = [
    { wob_key: 1, attribute: "city", value: "Bergen" },
    { wob_key: 1, attribute: "days", value: 4 },
  ];
  const result = callValues(values, nodes);
  expect(result).toMatchObject({ changed: 2, gone: 0, connected: 0 });
  expect(result.command).toEqual({
    type: "several",
    commands: [
      { type: "set", id: 1, name: "city", value: "Bergen" },
      { type: "set", id: 1, name: "days", value: 4 },
    ],
  });
});

it("leaves alone what is equal, gone, or set by an edge", () => {
  const values = [
    { wob_key: 1, attribute: "days", value: 3 },
    { wob_key: 1, attribute: "old", value: 1 },
    { wob_key: 2, attribute: "city", value: "Oslo" },
    { wob_key: 1, attribute: "rows", value: [2] },
  ];
  expect(callValues(values, nodes)).toEqual({ command: null, changed: 0, gone: 2, connected: 1 });
});
