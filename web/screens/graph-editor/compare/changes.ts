import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type {
  BriefComparison,
  BriefNodeDifference,
  EdgeDifference,
  FieldDifference,
  GroupDifference,
} from "@miranda/contract/schemas/versions.ts";

import type { Mark } from "../canvas/past-view.ts";
import { type ComparedGraph, endsOf } from "./compared-graph.ts";

interface ChangeWords {
  key: string;
  mark: Mark;
  name: string;
  /** What differs, in a few words. */
  about: string;
  /** The nodes to bring into view. */
  nodes: readonly number[];
}

/** One line of the list of differences. */
export type Change = ChangeWords &
  (
    | {
        type: "node";
        difference: BriefNodeDifference;
        /** The node on the first side; undefined when it was added. */
        was: Pick<Node, "name" | "source_code"> | undefined;
      }
    | { type: "edge"; difference: EdgeDifference }
    | { type: "group"; difference: GroupDifference }
  );

/**
 * Everything that differs: nodes from left to right, then connections, then groups. Without `withMoves`, what only moved
 * is left out.
 */
export function changesOf(
  comparison: BriefComparison,
  { graph, numbers, before }: ComparedGraph,
  withMoves: boolean,
): Change[] {
  const nameOf = (lineage: string) => graph.nodes[numbers.get(lineage) ?? ""]?.name ?? "a node";
  const nodes = comparison.nodes
    .filter(({ change }) => withMoves || change !== "moved")
    .map((difference): Change => {
      const { lineage, change, fields, after } = difference;
      const was = before[numbers.get(lineage) ?? ""];
      return {
        type: "node",
        key: lineage,
        mark: change,
        name: after?.name ?? was?.name ?? "",
        about: change === "changed" ? aboutFields(shownFields(fields, withMoves)) : "",
        nodes: [numbers.get(lineage)].filter((id) => id !== undefined),
        difference,
        was,
      };
    })
    .toSorted(fromLeftToRight(graph.nodes));
  const edges = comparison.edges.flatMap((difference): Change[] => {
    const edge = difference.after ?? difference.before;
    const { change: mark } = difference;
    if (!edge || (mark === "moved" && !withMoves)) return [];
    return [
      {
        type: "edge",
        key: JSON.stringify([edge.source, edge.transmitter, edge.target, edge.receiver]),
        mark,
        name: `${nameOf(edge.source)} → ${nameOf(edge.target)}`,
        about: `${edge.transmitter} → ${edge.receiver}`,
        nodes: [edge.source, edge.target].flatMap((lineage) => numbers.get(lineage) ?? []),
        difference,
      },
    ];
  });
  const groups = comparison.groups.map((difference): Change => {
    const group = difference.after ?? difference.before;
    return {
      type: "group",
      key: difference.lineage,
      mark: difference.change,
      name: group?.name ?? "",
      about: "Group",
      nodes: group?.members.flatMap((lineage) => numbers.get(lineage) ?? []) ?? [],
      difference,
    };
  });
  return [...nodes, ...edges, ...groups];
}

/** The marks on the canvas, of the changes that are listed. */
export function marksOf(changes: readonly Change[], { numbers }: ComparedGraph) {
  const nodes = new Map<number, Mark>();
  const edges = new Map<string, Mark>();
  for (const change of changes) {
    if (change.type === "node") for (const id of change.nodes) nodes.set(id, change.mark);
    if (change.type === "edge") {
      const edge = change.difference.after ?? change.difference.before;
      const ends = edge && endsOf(edge, numbers);
      if (ends) edges.set(edgeKey(ends), change.mark);
    }
  }
  return { nodes, edges };
}

/** How many there are of each kind, for the summary. */
export function countMarks(changes: readonly Change[]): Record<Mark, number> {
  const counts: Record<Mark, number> = { added: 0, removed: 0, changed: 0, moved: 0 };
  for (const { mark } of changes) counts[mark] += 1;
  return counts;
}

/** How many differences are only moves. */
export function countMoves({ nodes, edges }: BriefComparison): number {
  const moved = nodes.filter(
    ({ change, fields }) => change === "moved" || fields.some(({ kind }) => kind === "position"),
  );
  return moved.length + edges.filter((difference) => difference.change === "moved").length;
}

export function shownFields(fields: readonly FieldDifference[], withMoves: boolean): FieldDifference[] {
  return fields.filter(({ kind }) => withMoves || kind !== "position");
}

const named = 3;

/** "Code, rate, Name and 2 more". */
function aboutFields(fields: readonly FieldDifference[]): string {
  const words = fields.map(fieldWords);
  const more = words.length - named;
  return more > 0 ? `${words.slice(0, named).join(", ")} and ${more} more` : words.join(", ");
}

/** The settings of a policy begin with this. */
const policyPrefix = "body.";

const settingWords: Readonly<Record<string, string>> = {
  name: "Name",
  description: "Description",
  colour: "Colour",
  tags: "Tags",
  disabled: "Disabled",
  locked: "Locked",
  body: "Settings",
  order: "Order",
  git: "Git repository",
  git_branch: "Git branch",
  update_policy: "Template updates",
  template: "Template",
  class: "Class",
  position: "Position",
};

/** What people call a field. A value is called by its attribute. */
export function fieldWords({ kind, field }: Pick<FieldDifference, "kind" | "field">): string {
  switch (kind) {
    case "code":
      return "Code";
    case "value":
      return field;
    case "position":
      return "Position";
    case "setting":
      return settingWords[field] ?? field.replace(policyPrefix, "");
  }
}

function fromLeftToRight(nodes: ComparedGraph["graph"]["nodes"]): (one: Change, other: Change) => number {
  const at = ({ nodes: [id] }: Change) => nodes[id ?? ""]?.position ?? { x: 0, y: 0 };
  return (one, other) => at(one).x - at(other).x || at(one).y - at(other).y;
}
