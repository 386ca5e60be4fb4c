import { shownAttributes } from "@miranda/contract/graph/shown-when.ts";
import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

// Where everything on a card is, without asking the browser: five thousand cards are placed before one is drawn.

export const card = {
  width: 256,
  header: 44,
  tags: 26,
  port: 28,
  field: 36,
  tallField: 104,
  policies: 28,
  summary: 34,
  bottom: 8,
} as const;

export type Side = "left" | "right" | "bottom" | "top";

export interface PortPlace {
  attribute: Attribute;
  side: Side;
  /** A plain port, a field with its control, the receiver of a policy, or the port of a policy itself. */
  row: "port" | "field" | "policy" | "crown";
  top: number;
  height: number;
  /** The centre of its handle. */
  x: number;
  y: number;
}

export interface NodeLayout {
  width: number;
  height: number;
  ports: readonly PortPlace[];
}

const kept = new WeakMap<Node["api"], { hasTags: boolean; layout: NodeLayout }>();

/** The same layout for the same attributes, so that a card that only moved is not drawn again. */
export function nodeLayout(node: Node): NodeLayout {
  const hasTags = node.tags.tags.length > 0;
  const known = kept.get(node.api);
  if (known?.hasTags === hasTags) return known.layout;
  const layout = node.class === "Code_block" ? placePorts(node.api.attributes, hasTags) : placePolicy(node, hasTags);
  kept.set(node.api, { hasTags, layout });
  return layout;
}

function placePorts(attributes: readonly Attribute[], hasTags: boolean): NodeLayout {
  const shown = attributes.some(({ shown_when }) => shown_when) ? shownAttributes(attributes) : attributes;
  const policies = shown.filter(isPolicyReceiver);
  const fields = shown.filter((attribute) => !isPolicyReceiver(attribute) && isField(attribute));
  const plain = shown.filter((attribute) => !isPolicyReceiver(attribute) && !isField(attribute));
  const left = plain.filter(isReceiver);
  const right = plain.filter((attribute) => !isReceiver(attribute));

  const ports: PortPlace[] = [];
  let top: number = card.header + (hasTags ? card.tags : 0);
  const start = top;
  const addPort = (attribute: Attribute, index: number, side: Side) => {
    const at = start + index * card.port;
    const x = side === "left" ? 0 : card.width;
    ports.push({ attribute, side, row: "port", top: at, height: card.port, x, y: at + card.port / 2 });
  };
  left.forEach((attribute, index) => addPort(attribute, index, "left"));
  right.forEach((attribute, index) => addPort(attribute, index, "right"));
  top += Math.max(left.length, right.length) * card.port;

  for (const attribute of fields) {
    const height = isTall(attribute) ? card.tallField : card.field;
    const side = isReceiver(attribute) ? "left" : "right";
    ports.push({
      attribute,
      side,
      row: "field",
      top,
      height,
      x: side === "left" ? 0 : card.width,
      y: top + card.field / 2,
    });
    top += height;
  }
  const height = top + (policies.length > 0 ? card.policies : card.bottom);
  policies.forEach((attribute, index) => {
    const x = Math.round((card.width * (index + 0.5)) / policies.length);
    ports.push({ attribute, side: "bottom", row: "policy", top, height: card.policies, x, y: height });
  });
  return { width: card.width, height, ports };
}

/** A policy stands below what it serves: its one port is on top, as those of its receivers are at the bottom. */
function placePolicy({ api }: Node, hasTags: boolean): NodeLayout {
  const height = card.header + (hasTags ? card.tags : 0) + card.summary;
  const ports = api.attributes.map((attribute, index) => {
    const x = Math.round((card.width * (index + 1)) / (api.attributes.length + 1));
    return { attribute, side: "top" as const, row: "crown" as const, top: 0, height: 0, x, y: 0 };
  });
  return { width: card.width, height, ports };
}

export function isReceiver({ direction }: Pick<Attribute, "direction">): boolean {
  return direction === "RECEIVER" || direction === "RECEIVER_FIELD";
}

/** Something a person sets on the node. A field whose value an edge decides has lost its control. */
function isField({ direction, control, kind }: Attribute): boolean {
  return direction.endsWith("_FIELD") && control !== null && !isPolicy(kind);
}

function isPolicyReceiver({ direction, kind }: Attribute): boolean {
  return direction === "RECEIVER_FIELD" && isPolicy(kind);
}

function isPolicy(kind: string): boolean {
  return kind === "compute_policy" || kind === "storage_policy";
}

export function isTall({ control }: Pick<Attribute, "control">): boolean {
  return control?.type === "json" || (control?.type === "text" && control.multiline === true);
}

/** What an edge holds on to. Attributes that are hidden or gone are joined at the header. */
export const handleIds = {
  of: (attribute: Pick<Attribute, "name" | "direction">) => `${isReceiver(attribute) ? "r" : "t"}:${attribute.name}`,
  transmitter: (name: string) => `t:${name}`,
  receiver: (name: string) => `r:${name}`,
  lostSource: "lost:out",
  lostTarget: "lost:in",
} as const;
