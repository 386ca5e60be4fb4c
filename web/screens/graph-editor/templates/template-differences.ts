import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { TemplateCode } from "@miranda/contract/schemas/library/templates.ts";
import type { Comparison, VersionGraph, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { versionNode } from "../publish/publication.ts";

interface Sides {
  before: VersionGraph;
  differences: Comparison;
}

/** A node with its present code and with the newer code. */
export function codeDifference(node: Node, before: string, after: string): Sides {
  return sidesOf([{ node: { ...node, source_code: before }, after }]);
}

/**
 * What is new in the chosen nodes since a version of a template. A node is the same one when it was made from the
 * template or has the same name, as the server decides too.
 */
export function sinceVersion(nodes: readonly Node[], templateId: string, { nodes: earlier }: TemplateCode): Sides {
  const free = [...earlier];
  const takeWhere = (isSame: (one: TemplateCode["nodes"][number]) => boolean) => {
    const at = free.findIndex(isSame);
    return at === -1 ? undefined : free.splice(at, 1)[0];
  };
  const isOnly = nodes.length === 1 && earlier.length === 1;
  const known = new Map(
    nodes.map((node) => [node, takeWhere(({ ref }) => node.template?.id === templateId && ref === node.template.ref)]),
  );
  const pairs: Pair[] = nodes.map((node) => {
    const found = known.get(node) ?? takeWhere(({ name }) => isOnly || name === node.name);
    return found ? { node: { ...node, source_code: found.source_code }, after: node.source_code } : { added: node };
  });
  const [like] = nodes;
  const removed = like
    ? free.map(({ name, source_code }, at): Pair => ({
        removed: { ...like, id: `removed ${at}`, metadata_id: -1 - at, name, source_code },
      }))
    : [];
  return sidesOf([...pairs, ...removed]);
}

type Pair = { node: Node; after: string } | { added: Node } | { removed: Node };

function sidesOf(pairs: readonly Pair[]): Sides {
  const shown = pairs.flatMap((pair) => ("added" in pair ? [] : ["removed" in pair ? pair.removed : pair.node]));
  return {
    before: {
      nodes: Object.fromEntries(shown.map((node) => [node.metadata_id, node])),
      edges: [],
      groups: [],
      viewOnly: true,
      revision: 0,
      lineages: Object.fromEntries(shown.map((node) => [node.metadata_id, node.id])),
    },
    differences: { nodes: pairs.flatMap(differenceOf), edges: [], groups: [] },
  };
}

function differenceOf(pair: Pair): Comparison["nodes"] {
  if ("added" in pair) return [{ ...one(pair.added), change: "added", before: null, fields: [] }];
  if ("removed" in pair) {
    const { lineage, after } = one(pair.removed);
    return [{ lineage, change: "removed", before: after, after: null, fields: [] }];
  }
  const { node, after: code } = pair;
  if (node.source_code === code) return [];
  const { lineage, after: before } = one(node);
  const fields = [{ kind: "code" as const, field: "code", before: node.source_code, after: code }];
  return [{ lineage, change: "changed", before, after: { ...before, source_code: code }, fields }];
}

function one(node: Node): { lineage: string; after: VersionNode } {
  return { lineage: node.id, after: versionNode(node, node.id) };
}
