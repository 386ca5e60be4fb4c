import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { VersionNode } from "@miranda/contract/schemas/versions.ts";

import type { VersionContent } from "../../versions/version-content.ts";

// What a version offers to a release: fields that callers can be asked for, and outputs that they can be shown.

/** A node of a version that runs, with what it offers. */
export interface OfferedNode {
  node: VersionNode;
  /** No other node sends it anything. */
  isStart: boolean;
  /** It sends nothing to another node. */
  isEnd: boolean;
  fields: Attribute[];
  transmitters: string[];
}

/** The nodes in the order in which values flow. */
export function offeredNodes(content: VersionContent): OfferedNode[] {
  const fed = new Map<string, Set<string>>();
  const feeds = new Set<string>();
  for (const { source, target, receiver } of content.edges.values()) {
    if (!isOffered(content.nodes.get(source)) || !isOffered(content.nodes.get(target))) continue;
    fed.set(target, (fed.get(target) ?? new Set()).add(receiver));
    feeds.add(source);
  }
  return inFlowOrder(content).map((node) => {
    const set = fed.get(node.lineage);
    return {
      node,
      isStart: set === undefined,
      isEnd: !feeds.has(node.lineage),
      fields: node.api.attributes.filter((one) => isField(one) && !set?.has(one.name)),
      transmitters: node.api.attributes.filter(({ direction }) => direction === "TRANSMITTER").map(({ name }) => name),
    };
  });
}

/** Why callers cannot be asked for an attribute, in words. */
export function refusalOf({ node }: OfferedNode, attribute: string): string {
  const declared = node.api.attributes.find(
    ({ name, direction }) => name === attribute && direction.endsWith("_FIELD"),
  );
  if (!declared) return `${node.name} has no field “${attribute}”`;
  if (declared.control?.type === "secret") return `${attribute} of ${node.name} is a secret`;
  return `${attribute} of ${node.name} is set by an edge`;
}

function isOffered(node: VersionNode | undefined): node is VersionNode {
  return node?.class === "Code_block" && !node.api.disabled;
}

function isField({ direction, control, kind }: Attribute): boolean {
  return direction.endsWith("_FIELD") && control?.type !== "secret" && !kind.endsWith("_policy");
}

/** The value of a field in a version. */
export function valueOf({ values }: VersionNode, { name, value }: Attribute): unknown {
  return Object.hasOwn(values, name) ? values[name] : value;
}

/** Nodes after those that feed them; in a cycle by their number. */
function inFlowOrder({ nodes, edges }: VersionContent): VersionNode[] {
  const offered = [...nodes.values()].filter(isOffered).toSorted((one, other) => one.metadata_id - other.metadata_id);
  const waits = new Map(offered.map(({ lineage }) => [lineage, 0]));
  const next = new Map<string, string[]>();
  for (const { source, target } of edges.values()) {
    if (source === target || !waits.has(source) || !waits.has(target)) continue;
    waits.set(target, (waits.get(target) ?? 0) + 1);
    const targets = next.get(source);
    if (targets) targets.push(target);
    else next.set(source, [target]);
  }
  const ordered: VersionNode[] = [];
  const done = new Set<string>();
  const visit = (start: VersionNode): void => {
    const ready = [start.lineage];
    for (let lineage = ready.pop(); lineage !== undefined; lineage = ready.pop()) {
      const node = nodes.get(lineage);
      if (!node || done.has(lineage)) continue;
      done.add(lineage);
      ordered.push(node);
      for (const target of (next.get(lineage) ?? []).toReversed()) {
        const left = (waits.get(target) ?? 0) - 1;
        waits.set(target, left);
        if (left <= 0) ready.push(target);
      }
    }
  };
  for (const node of offered) if (waits.get(node.lineage) === 0) visit(node);
  for (const node of offered) if (!done.has(node.lineage)) visit(node);
  return ordered;
}
