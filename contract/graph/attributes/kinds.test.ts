import { describe, expect, test } from "vitest";

import { edgeRefusal } from "../edge-rules.ts";
import { kindsFit } from "./kinds.ts";

describe("kinds", () => {
  test.each([
    ["table", "table", true],
    ["Table", "TABLE", true],
    ["table", "model", false],
    ["any", "model", true],
    ["table", "any", true],
    ["", "model", true],
    ["int", "float", true],
    ["number", "integer", true],
    ["str", "text", true],
    ["string", "int", false],
    ["bool", "int", false],
    ["dict", "json", true],
    ["compute_policy", "compute_policy", true],
    ["compute_policy", "storage_policy", false],
    ["compute_policy", "any", false],
    ["any", "storage_policy", false],
  ])("%s to %s: %s", (from, to, fit) => {
    expect(kindsFit(from, to)).toBe(fit);
  });
});

describe("an edge", () => {
  const node = (key: number) => ({
    key,
    attributes: [
      { name: "in", kind: "table", direction: "RECEIVER" },
      { name: "out", kind: "table", direction: "TRANSMITTER" },
      { name: "seed", kind: "int", direction: "TRANSMITTER_FIELD" },
      { name: "size", kind: "int", direction: "RECEIVER_FIELD" },
    ] as const,
  });
  test.each([
    [1, "out", 2, "in", undefined],
    [1, "seed", 2, "size", undefined],
    [1, "out", 1, "in", undefined],
    [1, "out", 1, "out", "edge_same_attribute"],
    [1, "in", 2, "in", "edge_not_transmitter"],
    [1, "size", 2, "size", "edge_not_transmitter"],
    [1, "out", 2, "out", "edge_not_receiver"],
    [1, "gone", 2, "in", "attribute_not_found"],
    [1, "out", 2, "gone", "attribute_not_found"],
    [1, "out", 2, "size", "edge_kind_differs"],
  ] as const)("%d.%s to %d.%s: %s", (source, transmitter, target, receiver, refusal) => {
    const ends = {
      source_wob_key: source,
      source_transmitter_key: transmitter,
      destination_wob_key: target,
      destination_receiver_key: receiver,
    };
    expect(edgeRefusal(node(source), node(target), ends)).toBe(refusal);
  });
});
