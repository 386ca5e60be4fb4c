import type { NodeGroup } from "../../schemas/nodes.ts";
import { contentOf, endsOf, type GraphContent } from "../content.ts";
import { attribute, edge, node, nodesByKey } from "../graph-samples.ts";
import type { Command } from "./command.ts";

/** Three nodes in a row, two of them in a group. */
export function contentSample(): GraphContent {
  const nodes = [1, 2, 3].map((key) =>
    node(key, [
      attribute("in", "RECEIVER"),
      attribute("out", "TRANSMITTER"),
      attribute("rate", "RECEIVER_FIELD", { kind: "float", value: 0.5, control: { type: "number" } }),
    ]),
  );
  const group: NodeGroup = { id: "g", name: "Group", colour: null, collapsed: false, metadata_ids: [1, 2] };
  return contentOf({
    nodes: nodesByKey(...nodes),
    edges: [edge("1.out", "2.in"), edge("2.out", "3.in", { label: "rows" })],
    groups: [group],
  });
}

/** A command of each kind. */
export const commandSamples: Record<string, Command> = {
  patch: { type: "patch", id: 1, changes: { name: "Other", locked: true } },
  move: { type: "move", positions: { "1": { x: 5, y: 6 }, "2": { x: 7, y: 8 } } },
  set: { type: "set", id: 1, name: "rate", value: 0.9 },
  disable: { type: "change", changes: { "2": { disabled: true } } },
  tag: { type: "change", changes: { "2": { tags_added: ["ml"] } } },
  "change several": {
    type: "change",
    changes: { "1": { locked: true, colour: "#112233", tags_added: ["ml", "kept"] }, "2": { disabled: true } },
  },
  connect: { type: "connect", ends: endsOf(edge("1.out", "3.in")) },
  disconnect: { type: "disconnect", ends: endsOf(edge("1.out", "2.in")) },
  draw: { type: "draw", ends: endsOf(edge("1.out", "2.in")), drawing: { segments: [{ x: 1, y: 2 }] } },
  "delete a node": { type: "delete", ids: [2], edges: [], groups: [] },
  "delete an edge": { type: "delete", ids: [], edges: [endsOf(edge("2.out", "3.in"))], groups: [] },
  ungroup: { type: "delete", ids: [], edges: [], groups: ["g"] },
  regroup: { type: "regroup", id: "g", fields: { name: "Renamed", collapsed: true } },
  several: {
    type: "several",
    commands: [
      { type: "disconnect", ends: endsOf(edge("1.out", "2.in")) },
      { type: "connect", ends: endsOf(edge("1.out", "3.in")) },
    ],
  },
};
