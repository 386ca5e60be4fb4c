import { type BrowserContext, expect } from "@playwright/test";

import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { makeNode, stored } from "./canvas.ts";
import { address } from "./people.ts";

const stepCode = `from miranda import Field, Node, Receiver, Transmitter


class Step(Node):
    """Hands on what it got."""

    rows = Receiver("any")
    epochs = Field(10)
    out = Transmitter("any")

    def run(self):
        scale = 1
        self.out.send(self.rows)
`;

export const stepName = (number: number) => `Step ${String(number).padStart(2, "0")}`;

/** Fills an empty workflow with nodes that are joined one after the other. */
export async function makeSteps(context: BrowserContext, graph: string, count: number): Promise<void> {
  const first = await makeNode(context, graph, { name: stepName(1), code: stepCode });
  const rest = Array.from({ length: count - 1 }, (_, at) => ({
    ...first,
    key: at + 2,
    name: stepName(at + 2),
    position: { x: ((at + 1) % 10) * 340, y: Math.floor((at + 1) / 10) * 260 },
  }));
  const edges = rest.slice(1).map(({ key }) => ({
    source_wob_key: key - 1,
    source_transmitter_key: "out",
    destination_wob_key: key,
    destination_receiver_key: "rows",
  }));
  const pasted = await context.request.post(address(`/api/v3/graphs/${graph}/paste`), {
    form: { nodes: JSON.stringify(rest), edges: JSON.stringify(edges) },
  });
  expect(pasted.status(), await pasted.text()).toBe(200);
}

/** A node of a workflow, by its name. */
export async function namedNode(context: BrowserContext, graph: string, name: string): Promise<Node> {
  const found = Object.values((await stored(context, graph)).nodes).find((node) => node.name === name);
  if (!found) throw new Error(`There is no node ${name}.`);
  return found;
}

export async function writeCode(
  context: BrowserContext,
  graph: string,
  name: string,
  change: (code: string) => string,
): Promise<void> {
  const { metadata_id, source_code } = await namedNode(context, graph, name);
  const written = await context.request.put(address(`/api/v3/objects/${metadata_id}/api`), {
    form: { source_code: change(source_code) },
  });
  expect(written.status(), await written.text()).toBe(200);
}

export async function setValue(
  context: BrowserContext,
  graph: string,
  name: string,
  field: string,
  value: string,
): Promise<void> {
  const { metadata_id } = await namedNode(context, graph, name);
  const set = await context.request.patch(address(`/api/v3/objects/${metadata_id}/attributes/${field}`), {
    form: { attribute_value: value },
  });
  expect(set.status(), await set.text()).toBe(200);
}

export function valueOf(node: Node, field: string): unknown {
  return node.api.attributes.find(({ name }) => name === field)?.value;
}
