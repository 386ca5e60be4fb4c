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

  test("S3-016 turns the kind into lower case", () => {
    expect(parseNodeApi(full).attributes.map(({ kind }) => kind)).toEqual(["string", "int"]);
  });

  test("S3-017 reads both field directions in any case, and leaves out unknown ones", () => {
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

  test.each(["{", "", "null", "[]", "7", '"text"'])("S5-025 reports invalid JSON for %j", (text) => {
    expect(parseNodeApi(text)).toEqual({ compiled: false, error: "Invalid JSON", disabled: false, attributes: [] });
  });

  test.each([undefined, null, 7, []])("S5-025 reports that %j is no api", (value) => {
    expect(parseNodeApi(value).error).toBe("Invalid JSON");
  });

  test.each([
    ["{}", "Missing attributes"],
    ['{"error": ""}', "Missing attributes"],
    ['{"error": "line 3: invalid syntax"}', "line 3: invalid syntax"],
    ['{"attributes": "none"}', "Missing attributes"],
  ])("S5-026 reads %s as %j", (text, error) => {
    expect(parseNodeApi(text)).toMatchObject({ compiled: false, error, attributes: [] });
  });

  test("S5-026 keeps a node without attributes disabled", () => {
    expect(parseNodeApi('{"disabled": true}').disabled).toBe(true);
  });

  test("keeps an error beside its attributes, and is not compiled unless it says so", () => {
    expect(parseNodeApi({ error: "line 3", attributes: full.attributes })).toMatchObject({
      compiled: false,
      error: "line 3",
    });
    expect(parseNodeApi({ attributes: [] })).toMatchObject({ compiled: true, error: null });
  });

  test("leaves out attributes without a name", () => {
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

test("gives a code block one receiver field for each kind of policy", () => {
  const once = withPolicyReceivers([]);
  expect(once.map(({ name, kind, direction }) => [name, kind, direction])).toEqual([
    ["compute", "compute_policy", "RECEIVER_FIELD"],
    ["storage", "storage_policy", "RECEIVER_FIELD"],
  ]);
  expect(withPolicyReceivers(once)).toEqual(once);
  expect(policyTransmitter("storage_policy")).toMatchObject({ direction: "TRANSMITTER_FIELD", kind: once[1]?.kind });
});
