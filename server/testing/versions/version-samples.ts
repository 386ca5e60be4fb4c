import type { VersionEdge, VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { contentOfParts, type VersionContent } from "../../features/versions/version-content.ts";

/** The lineage of the node or group with this number. */
export function lineageOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function sampleNode(number: number, given: Partial<VersionNode> = {}): VersionNode {
  return {
    lineage: lineageOf(number),
    metadata_id: number,
    class: "Code_block",
    name: `Node ${number}`,
    description: "",
    order: 0,
    position: { x: number * 300, y: 0 },
    colour: null,
    tags: [],
    locked: false,
    api: { compiled: true, error: null, disabled: false, attributes: [] },
    values: {},
    body: null,
    source_code: `class Node${number}(Node):\n    pass\n`,
    git: null,
    git_branch: null,
    update_policy: null,
    template: null,
    ...given,
  };
}

/** An edge from the output of one node to the input of another. */
export function sampleEdge(source: number, target: number, given: Partial<VersionEdge> = {}): VersionEdge {
  const ends = { source: lineageOf(source), target: lineageOf(target) };
  return { ...ends, transmitter: "output", receiver: "input", segments: [], label: "", ...given };
}

export function sampleGroup(number: number, members: number[], given: Partial<VersionGroup> = {}): VersionGroup {
  const named = { lineage: lineageOf(number), name: `Group ${number}`, colour: null, collapsed: false };
  return { ...named, members: members.map(lineageOf), ...given };
}

export function sampleContent(
  nodes: VersionNode[],
  edges: VersionEdge[] = [],
  groups: VersionGroup[] = [],
): VersionContent {
  return contentOfParts([{ nodes, edges, groups }]);
}
