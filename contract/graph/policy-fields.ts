import type { Attribute, Direction } from "../schemas/attributes.ts";

// A policy is transmitted through one field. Every code block can receive one of each kind through fields of these
// names.

const policyFields = {
  compute_policy: { name: "compute", kind: "compute_policy" },
  storage_policy: { name: "storage", kind: "storage_policy" },
} as const;

export type PolicyClass = keyof typeof policyFields;

export function policyTransmitter(policy: PolicyClass): Attribute {
  return field(policy, "TRANSMITTER_FIELD");
}

/** The attributes of a code block with its receiver fields for policies, each once. */
export function withPolicyReceivers(attributes: readonly Attribute[]): Attribute[] {
  const own = attributes.filter(({ name }) => name !== "compute" && name !== "storage");
  return [...own, field("compute_policy", "RECEIVER_FIELD"), field("storage_policy", "RECEIVER_FIELD")];
}

function field(policy: PolicyClass, direction: Direction): Attribute {
  return {
    ...policyFields[policy],
    direction,
    value: null,
    is_connected: false,
    control: null,
    edge_text: "",
    shown_when: null,
  };
}
