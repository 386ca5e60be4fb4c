import type { ComputePolicy, StoragePolicy } from "../schemas/policies.ts";
import type { BodyClass, NoteBody } from "../schemas/node-bodies.ts";
import type { Attribute, Direction } from "../schemas/attributes.ts";
import { className } from "./python-names.ts";
import { policyTransmitter } from "./policy-fields.ts";

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

/** The settings of a new policy, the size of a new note. */
export const newBody = {
  compute_policy: { cpu: 1, ram_gb: 2, gpu: 0, image: "", max_minutes: 60 },
  storage_policy: { type: "volume", name: "data" },
  note: { width: 256, height: 160 },
} as const satisfies { compute_policy: ComputePolicy; storage_policy: StoragePolicy; note: NoteBody } & Record<
  BodyClass,
  object
>;

/** The attributes of a node without code: a policy has one, a note none. */
export function bodyAttributes(kind: BodyClass): Attribute[] {
  return kind === "note" ? [] : [policyTransmitter(kind)];
}
