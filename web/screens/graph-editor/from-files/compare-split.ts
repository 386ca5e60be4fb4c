import { z } from "zod";

import type { CompileArgs } from "@miranda/contract/command-args.ts";
import type { SplitCode } from "@miranda/contract/schemas/code/notebooks.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { CompileEvent } from "@miranda/contract/schemas/processors.ts";

/** What a run as one node and a run as several gave. */
export const Comparison = z.object({
  same: z.boolean(),
  /** Why they could not be compared. */
  problem: z.string(),
  /** The cells that printed or showed something else. */
  cells: z.array(z.string()),
  lines: z.number().default(0),
  shown: z.number().default(0),
});
export type Comparison = z.infer<typeof Comparison>;

const attribute = "comparison";

/** Code that a session compiles. It runs the node and its parts, and its constant holds what came of it. */
function comparingCode(node: Pick<Node, "source_code">, { nodes, edges }: SplitCode): string {
  const links = edges.map((edge) => ({
    source: nodes.findIndex(({ key }) => key === edge.source_wob_key),
    transmitter: edge.source_transmitter_key,
    target: nodes.findIndex(({ key }) => key === edge.destination_wob_key),
    receiver: edge.destination_receiver_key,
  }));
  // A text in JSON is a text in Python too, unless it has a half of a surrogate pair.
  const given = JSON.stringify(JSON.stringify([node.source_code, nodes.map((one) => one.source_code), links]));
  return [
    "import json",
    "from miranda import Constant, Node",
    "from miranda.notebook.check import check_split",
    `GIVEN = json.loads(${given})`,
    "class Comparison(Node):",
    `    ${attribute} = Constant(check_split(*GIVEN))`,
    "",
  ].join("\n");
}

export async function compareSplit(
  compile: (args: CompileArgs) => Promise<CompileEvent>,
  node: Pick<Node, "source_code" | "metadata_id">,
  split: SplitCode,
): Promise<Comparison> {
  const code = comparingCode(node, split);
  const { error, api } = await compile({ nodeId: node.metadata_id, attributes: [], code });
  if (error !== null) throw new Error(error);
  return Comparison.parse(api?.attributes.find(({ name }) => name === attribute)?.value);
}

/** The last of the cells that gave something else: it and those above it stay together from now on. */
export function lastDifferent({ cells }: Comparison): number {
  return Math.max(0, ...cells.map((name) => Number(/\d+/.exec(name)?.[0] ?? 0)));
}
