import { describe, expect, test } from "vitest";

import { NodeApi } from "../../schemas/attributes.ts";
import { parseNodeApi } from "./node-api.ts";
import { policyTransmitter, withPolicyReceivers } from "../policy-fields.ts";
import { isViewOnly } from "../view-only.ts";

const full = {
  compiled: true,
  error: null,
  disabled: true,
  attributes: [
    {
      name: "mode",
      kind: "STRING",
      direction: "RECEIVER_FIELD",
      value: "fast",
      default: "safe",
      is_connected: true,
      control: { type: "select", options: ["fast", "safe"] },
      edge_text: "how",
      shown_when: { other: [{ connected: true }] },
    },
    { name: "seed", kind: "Int", direction: "TRANSMITTER_FIELD", value: 42 },
  ],
};

describe("parseNodeApi", () => {
  test("S3-014 S3-015 reads every field, from text and from a value alike", () => {
    const parsed = parseNodeApi(JSON.stringify(full));
    expect(parsed).toEqual(parseNodeApi(full));
    expect(parsed).toMatchObject({ compiled: true, error: null, disabled: true });
    expect(parsed.attributes[0]).toEqual({ ...full.attributes[0], kind: "string" });
    expect(NodeApi.safeParse(parsed).success).toBe(true);
  });

  test("S3-016 the kind is in lower case", () => {
    expect(parseNodeApi(full).attributes.map(({ kind }) => kind)).toEqual(["string", "int"]);
  });

  test("S3-017 both field directions are read, in any case, and unknown ones are left out", () => {
    const attributes = ["TRANSMITTER_FIELD", "receiver_field", "TRANSMITTER", "RECEIVER", "SIDEWAYS"].map(
      (direction, at) => ({ name: `a${at}`, direction }),
    );
    expect(parseNodeApi({ attributes }).attributes.map(({ direction }) => direction)).toEqual([
      "TRANSMITTER_FIELD",
      "RECEIVER_FIELD",
      "TRANSMITTER",
      "RECEIVER",
    ]);
  });

  test.each(["{", "", "null", "[]", "7", '"text"'])("S5-025 %j is invalid JSON for an api", (text) => {
    expect(parseNodeApi(text)).toEqual({ compiled: false, error: "Invalid JSON", disabled: false, attributes: [] });
  });

  test.each([undefined, null, 7, []])("S5-025 %j is no api", (value) => {
    expect(parseNodeApi(value).error).toBe("Invalid JSON");
  });

  test.each([
    ["{}", "Missing attributes"],
    ['{"error": ""}', "Missing attributes"],
    ['{"error": "line 3: invalid syntax"}', "line 3: invalid syntax"],
    ['{"attributes": "none"}', "Missing attributes"],
  ])("S5-026 %s gives %j", (text, error) => {
    expect(parseNodeApi(text)).toMatchObject({ compiled: false, error, attributes: [] });
  });

  test("S5-026 a node without attributes can still be disabled", () => {
    expect(parseNodeApi('{"disabled": true}').disabled).toBe(true);
  });

  test("an error with attributes keeps both, and is not compiled unless it says so", () => {
    expect(parseNodeApi({ error: "line 3", attributes: full.attributes })).toMatchObject({
      compiled: false,
      error: "line 3",
    });
    expect(parseNodeApi({ attributes: [] })).toMatchObject({ compiled: true, error: null });
  });

  test("what has no name is left out", () => {
    expect(parseNodeApi({ attributes: [null, 3, {}, { name: "" }] }).attributes).toEqual([]);
  });
});

test.each([
  [undefined, true],
  [null, true],
  [{}, true],
  [{ viewOnly: true }, true],
  [{ viewOnly: false }, false],
])("S4-031 the graph %j is view-only: %s", (graph, expected) => {
  expect(isViewOnly(graph)).toBe(expected);
});

test("a code block receives policies through one field of each kind", () => {
  const once = withPolicyReceivers([]);
  expect(once.map(({ name, kind, direction }) => [name, kind, direction])).toEqual([
    ["compute", "compute_policy", "RECEIVER_FIELD"],
    ["storage", "storage_policy", "RECEIVER_FIELD"],
  ]);
  expect(withPolicyReceivers(once)).toEqual(once);
  expect(policyTransmitter("storage_policy")).toMatchObject({ direction: "TRANSMITTER_FIELD", kind: once[1]?.kind });
});
