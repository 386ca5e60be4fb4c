import {
  isLibraryCategory,
  libraryCategories,
  type LibraryCategory,
} from "@miranda/contract/words/library-categories.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import { card, nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { z } from "zod";

import type { EdgeInsert } from "../../model/graph-inserts.ts";
import type { BlueprintPlan } from "./blueprints/blueprint-plan.ts";
import { blueprintPlans } from "./blueprints/blueprint-plans.ts";
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

// The frame of a group needs 44 above its cards and 20 on the other sides.
const gap = { x: 80, y: 84 } as const;

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
    const path = files.get(plan.key) ?? `${plan.key}.py`;
    const source_code = readFileSync(path, "utf8");
    const described = { name: plan.name, description: docstringOf(source_code) };
    const category = categoryOf(path);
    const isHeavy = plan.tags.includes("heavy");
    const node = toNode({ ...described, category, isHeavy }, source_code, declared[plan.key] ?? []);
    nodes.set(plan.key, node);
    const tags = [category, ...plan.tags];
    const content = { nodes: [node], edges: [] };
    return { library_key: `prefab:${plan.key}`, kind: "prefab", ...described, tags, content };
  });
  return [...prefabs, ...blueprintPlans.map((plan) => toBlueprint(plan, nodes))];
}

/** The packages that a node of the library asks for by PEP 723. */
export function requirementsOf(source: string): string[] {
  const [, list = "[]"] = /^# dependencies = (\[.*\])$/m.exec(source) ?? [];
  return z.array(z.string()).parse(JSON.parse(list));
}

function categoryOf(path: string): LibraryCategory {
  const folder = path.slice(libraryFolder.length + 1).split(sep)[0];
  if (!isLibraryCategory(folder)) throw new Error(`${path} is in no category of the library.`);
  return folder;
}

/** What the node's class says of itself. A test compares it with what the declarations reader finds. */
function docstringOf(source: string): string {
  return /^class \w+\(Node\):\n {4}"""(.+?)"""/m.exec(source)?.[1] ?? "";
}

function toNode(
  {
    name,
    description,
    category,
    isHeavy,
  }: { name: string; description: string; category: LibraryCategory; isHeavy: boolean },
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
    colour: libraryCategories[category].colour,
    body: null,
    source_code,
    api: { ...api, attributes: withPolicyReceivers(api.attributes) },
    field_values: {},
    tags: isHeavy ? ["heavy"] : [],
    locked: false,
    git: null,
    git_branch: null,
  };
}

function toBlueprint(plan: BlueprintPlan, prefabs: ReadonlyMap<PrefabKey, TemplateNode>): LibraryTemplate {
  const placed = Object.entries(plan.nodes).map(([ref, { prefab, at, name, values = {}, look }]) => {
    const node = prefabs.get(prefab);
    if (!node) throw new Error(`The blueprint ${plan.key} uses ${prefab}, which the library does not have.`);
    const colour = look ? libraryCategories[look].colour : node.colour;
    return { at, node: { ...node, ref, colour, name: name ?? node.name, field_values: values } };
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
  const groups = Object.entries(plan.groups ?? {}).map(([name, members]) => {
    const unknown = members.find((ref) => !plan.nodes[ref]);
    if (unknown !== undefined) throw new Error(`The blueprint ${plan.key} groups ${unknown}, which it does not have.`);
    return { name, colour: null, collapsed: false, members };
  });
  const { name, description, tags } = plan;
  return {
    library_key: `blueprint:${plan.key}`,
    kind: "blueprint",
    name,
    description,
    tags: [...tags],
    content: { nodes, edges, ...(groups.length > 0 && { groups }) },
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
  return nodeLayout({ class: "Code_block", api: apiOf(node), tags: { tags: node.tags } });
}
