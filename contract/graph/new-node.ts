import type { ComputePolicy, StoragePolicy } from "../schemas/policies.ts";
import type { Attribute, Direction } from "../schemas/attributes.ts";
import { className } from "./python-names.ts";
import type { PolicyClass } from "./policy-fields.ts";

/** The code of a new node: it passes on what it receives. */
export function newNodeSource(name: string): string {
  return `from miranda import Node, Receiver, Transmitter


class ${className(name)}(Node):
    input = Receiver("any")
    output = Transmitter("any")

    def run(self):
        self.output.send(self.input)
`;
}

/** The attributes that this code declares. */
export const newNodeAttributes: readonly Attribute[] = [port("input", "RECEIVER"), port("output", "TRANSMITTER")];

function port(name: string, direction: Direction): Attribute {
  return {
    name,
    kind: "any",
    direction,
    value: null,
    is_connected: false,
    control: null,
    edge_text: "",
    shown_when: null,
  };
}

/** The settings of a new policy. */
export const newPolicyBody = {
  compute_policy: { cpu: 1, ram_gb: 2, gpu: 0, image: "", max_minutes: 60 },
  storage_policy: { type: "volume", name: "data" },
} as const satisfies { compute_policy: ComputePolicy; storage_policy: StoragePolicy } & Record<PolicyClass, object>;
