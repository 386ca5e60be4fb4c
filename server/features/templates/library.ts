import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import { card, nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";

import type { EdgeInsert } from "../../model/graph-inserts.ts";
import { type BlueprintPlan, blueprintPlans } from "./library-blueprints.ts";
import { type PrefabKey, prefabPlans } from "./library-prefabs.ts";
import { apiOf, type TemplateContent, type TemplateNode } from "./template-content.ts";

export interface LibraryTemplate {
  library_key: string;
  kind: "prefab" | "blueprint";
  name: string;
  description: string;
  tags: string[];
  content: TemplateContent;
}

export const libraryFolder = join(import.meta.dirname, "library");

/** The attributes of each node by its key. */
const LibraryAttributes = z.record(z.string(), z.array(z.unknown()));

const gap = { x: 64, y: 40 } as const;

/** The Python file of each node by its key. Nodes are sorted into folders; a key is unique in all of them. */
export function libraryFiles(): Map<string, string> {
  const paths = readdirSync(libraryFolder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => path.endsWith(".py"));
  return new Map(files.map((path) => [basename(path, ".py"), join(libraryFolder, path)]));
}

/** Every template that the installation ships. */
export function readLibrary(): LibraryTemplate[] {
  const declared = LibraryAttributes.parse(JSON.parse(readFileSync(join(libraryFolder, "attributes.json"), "utf8")));
  const files = libraryFiles();
  const nodes = new Map<PrefabKey, TemplateNode>();
  const prefabs = prefabPlans.map((plan): LibraryTemplate => {
    const source_code = readFileSync(files.get(plan.key) ?? `${plan.key}.py`, "utf8");
    const node = toNode(plan, source_code, declared[plan.key] ?? []);
    nodes.set(plan.key, node);
    const { name, description, tags } = plan;
    const content = { nodes: [node], edges: [] };
    return { library_key: `prefab:${plan.key}`, kind: "prefab", name, description, tags: [...tags], content };
  });
  return [...prefabs, ...blueprintPlans.map((plan) => toBlueprint(plan, nodes))];
}

function toNode(
  { name, description, tags }: { name: string; description: string; tags: readonly string[] },
  source_code: string,
  declared: unknown[],
): TemplateNode {
  const api = parseNodeApi({ attributes: declared });
  return {
    ref: "0",
    class: "Code_block",
    name,
    description,
    order: 0,
    x: 0,
    y: 0,
    colour: null,
    body: null,
    source_code,
    api: { ...api, attributes: withPolicyReceivers(api.attributes) },
    field_values: {},
    tags: [...tags],
    locked: false,
    git: null,
    git_branch: null,
  };
}

function toBlueprint(plan: BlueprintPlan, prefabs: ReadonlyMap<PrefabKey, TemplateNode>): LibraryTemplate {
  const placed = Object.entries(plan.nodes).map(([ref, { prefab, at, name, values = {} }]) => {
    const node = prefabs.get(prefab);
    if (!node) throw new Error(`The blueprint ${plan.key} uses ${prefab}, which the library does not have.`);
    return { at, node: { ...node, ref, name: name ?? node.name, field_values: values } };
  });
  const tops = rowTops(placed);
  const nodes = placed.map(({ at: [column, row], node }): TemplateNode => ({
    ...node,
    x: column * (card.width + gap.x),
    y: tops[row] ?? 0,
  }));
  const edges = plan.edges.map((text): EdgeInsert => {
    const [, source = "", transmitter = "", target = "", receiver = ""] =
      /^(\w+)\.(\w+) → (\w+)\.(\w+)$/.exec(text) ?? [];
    return { source, transmitter, target, receiver, segments: [], label: "" };
  });
  const { name, description, tags } = plan;
  return {
    library_key: `blueprint:${plan.key}`,
    kind: "blueprint",
    name,
    description,
    tags: [...tags],
    content: { nodes, edges },
  };
}

/** A row begins below the tallest card of the previous one. */
function rowTops(placed: readonly { at: [number, number]; node: TemplateNode }[]): number[] {
  const tops = [0];
  const rows = Math.max(...placed.map(({ at: [, row] }) => row));
  for (let row = 0; row < rows; row += 1) {
    const heights = placed.filter(({ at }) => at[1] === row).map(({ node }) => cardSize(node).height);
    tops.push((tops[row] ?? 0) + Math.max(0, ...heights) + gap.y);
  }
  return tops;
}

/** The size of a template's node on the canvas. */
export function cardSize(node: TemplateNode): { width: number; height: number } {
  return nodeLayout({ class: "Code_block", api: apiOf(node), tags: { tags: node.tags, user_ids: [] } });
}
