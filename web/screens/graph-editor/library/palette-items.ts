import { newNodeAttributes } from "@miranda/contract/graph/new-node.ts";
import type { NodeType } from "@miranda/contract/graph/node-classes.ts";
import { policyTransmitter, withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import { newNode } from "@miranda/contract/limits.ts";
import {
  isLibraryCategory,
  libraryCategories,
  type LibraryCategory,
} from "@miranda/contract/words/library-categories.ts";
import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { Node, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";
import type { Blueprint, Prefab } from "@miranda/contract/schemas/library/templates.ts";

import { nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";
import { isRecord } from "../../../is-record.ts";
import { fittingAttribute, type PortRef } from "../edges/joining.ts";

interface Described {
  /** Unique in the list. */
  key: string;
  title: string;
  description: string;
  class: Node["class"] | "blueprint";
  tags: readonly string[];
  /** Of the shipped library. */
  category?: LibraryCategory;
  /** The address of a picture of what it shows. */
  picture?: string | undefined;
}

/** Something that can be added to the canvas. */
export type PaletteItem = Described &
  (
    | { type: "new"; nodeType: NodeType; name?: string; attributes: readonly Attribute[] }
    | { type: "prefab"; id: string; policy: UpdatePolicy; attributes: readonly Attribute[] }
    | { type: "blueprint"; id: string; policy: UpdatePolicy; count: number }
  );

export const noteItem: PaletteItem = {
  type: "new",
  key: "new:note",
  nodeType: "NOTE",
  name: "Note",
  title: "Note",
  description: "Text on the canvas, in Markdown",
  class: "note",
  tags: ["sticky", "comment", "text", "markdown"],
  attributes: [],
};

export const newItems: readonly PaletteItem[] = [
  {
    type: "new",
    key: "new:code",
    nodeType: newNode.type,
    title: "Code block",
    description: "A node of your own, in Python",
    class: "Code_block",
    tags: ["python", "new", "node"],
    attributes: withPolicyReceivers(newNodeAttributes),
  },
  {
    type: "new",
    key: "new:compute",
    nodeType: "COMPUTE_POLICY",
    name: "Compute",
    title: "Compute policy",
    description: "Cores, memory, GPUs and the image to run on",
    class: "compute_policy",
    tags: ["cpu", "gpu", "ram"],
    attributes: [policyTransmitter("compute_policy")],
  },
  {
    type: "new",
    key: "new:storage",
    nodeType: "STORAGE_POLICY",
    name: "Storage",
    title: "Storage policy",
    description: "A volume kept between sessions, or an S3 bucket",
    class: "storage_policy",
    tags: ["volume", "s3", "bucket"],
    attributes: [policyTransmitter("storage_policy")],
  },
  noteItem,
];

export function prefabItem(prefab: Prefab, policy: UpdatePolicy = "linked"): PaletteItem {
  return {
    type: "prefab",
    key: `prefab:${prefab.id}`,
    id: prefab.id,
    policy,
    title: prefab.name,
    description: prefab.description,
    class: prefab.class,
    tags: prefab.tags,
    ...(isLibraryCategory(prefab.category) && { category: prefab.category }),
    picture: prefab.picture,
    attributes: prefab.api.attributes,
  };
}

export function blueprintItem(blueprint: Blueprint, policy: UpdatePolicy = "linked"): PaletteItem {
  return {
    type: "blueprint",
    key: `blueprint:${blueprint.id}`,
    id: blueprint.id,
    policy,
    title: blueprint.name,
    description: blueprint.description,
    class: "blueprint",
    tags: blueprint.tags,
    picture: blueprint.picture,
    count: blueprint.node_count,
  };
}

/** The items with a port that the dragged edge fits. A blueprint has many nodes and no port of its own. */
export function fittingItems(items: readonly PaletteItem[], pulled: PortRef | undefined): readonly PaletteItem[] {
  if (!pulled) return items;
  return items.filter((item) => item.type !== "blueprint" && fittingAttribute(pulled, item.attributes));
}

const categoryOrder = Object.keys(libraryCategories);

/** New nodes first, then people's own prefabs, then the shelves of the library, each by name. */
export function byCategory(items: readonly PaletteItem[]): readonly PaletteItem[] {
  const place = ({ type, category }: PaletteItem) =>
    type === "new" ? -2 : category === undefined ? -1 : categoryOrder.indexOf(category);
  return items.toSorted((one, other) => place(one) - place(other));
}

/** Finds items that contain every typed word. Titles that start with the text come first. */
export function searchItems(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  const rank = (item: PaletteItem): number => {
    const title = item.title.toLowerCase();
    const all = `${title} ${item.description} ${item.tags.join(" ")} ${item.type}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return -1;
    const first = words[0] ?? "";
    return title.startsWith(first) ? 0 : title.includes(first) ? 1 : 2;
  };
  return items
    .map((item) => ({ item, rank: rank(item) }))
    .filter((found) => found.rank >= 0)
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

export const draggedItemType = "application/x-miranda-item";

/** Reads a dragged item; undefined when something other than the library wrote it. */
export function readDraggedItem(text: string): PaletteItem | undefined {
  try {
    const item: unknown = JSON.parse(text);
    return isPaletteItem(item) ? item : undefined;
  } catch {
    return undefined;
  }
}

/** Checks what is sent to the server. The rest is for showing the item in a list. */
function isPaletteItem(item: unknown): item is PaletteItem {
  if (!isRecord(item)) return false;
  if (item.type === "new") return typeof item.nodeType === "string";
  const isTemplate = item.type === "prefab" || item.type === "blueprint";
  return isTemplate && typeof item.id === "string" && (item.policy === "linked" || item.policy === "detached");
}

/** The size of the card that an item becomes. */
export function cardSizeOf(item: Extract<PaletteItem, { attributes: unknown }>): { width: number; height: number } {
  const api = { compiled: true, error: null, disabled: false, attributes: [...item.attributes] };
  const { width, height } = nodeLayout({
    class: item.class === "blueprint" ? "Code_block" : item.class,
    api,
    tags: { tags: [], user_ids: [] },
  });
  return { width, height };
}
