import { placeNodes } from "@miranda/contract/graph/layout/place-nodes.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import type { SplitCode, SplitCodeBody } from "@miranda/contract/schemas/code/notebooks.ts";

import { notebookWork } from "../../limits.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { createWorkShares } from "../../platform/limits/work-shares.ts";
import type { Declarations } from "../declarations/declarations-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import { splitCode } from "./split-process.ts";

export type Notebooks = ReturnType<typeof createNotebooks>;

interface Dependencies {
  graphs: Pick<Graphs, "getGraph">;
  declarations: Pick<Declarations, "declare">;
}

/** Turns notebooks and scripts into nodes that can be pasted. It stores nothing. */
export function createNotebooks({ graphs, declarations }: Dependencies) {
  const share = createWorkShares(notebookWork, "too_much_code_reading");

  return {
    async split(caller: Caller, graphId: string, body: SplitCodeBody): Promise<SplitCode> {
      await graphs.getGraph(caller, graphId, "write");
      return share(caller, async () => {
        const { nodes, edges, ...rest } = await splitCode(body);
        const declared = await declarations.declare(caller, nodes);
        const links = edges.map(({ source, target }) => [source, target] as const);
        const made = nodes.map((node, at) => {
          const { compiled = false, error = null, attributes = [] } = declared[at] ?? {};
          const api = { compiled, error, disabled: false, attributes: withPolicyReceivers(attributes) };
          return { ...fixed, ...node, key: String(at), api };
        });
        const places = placeNodes(made, links);
        return {
          ...rest,
          nodes: made.map((node, at) => ({ ...node, position: places[at] ?? { x: 0, y: 0 } })),
          edges: edges.map(({ source, transmitter, target, receiver }) => ({
            source_wob_key: String(source),
            source_transmitter_key: transmitter,
            destination_wob_key: String(target),
            destination_receiver_key: receiver,
            segments: [],
            label: "",
          })),
        };
      });
    },
  };
}

const fixed = {
  class: "Code_block",
  order: 0,
  colour: null,
  locked: false,
  tags: { tags: [] as string[] },
} as const;
