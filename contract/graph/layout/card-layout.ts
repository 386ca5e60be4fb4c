import { shownAttributes } from "../attributes/shown-when.ts";
import type { Attribute } from "../../schemas/attributes.ts";
import { isRecord } from "../../json.ts";
import type { NoteBody } from "../../schemas/node-bodies.ts";
import type { Node } from "../../schemas/nodes.ts";
import { newBody } from "../new-node.ts";

// Computes where everything on a card is, without measuring in the browser: five thousand cards are placed before one
// is drawn.

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
  /** The index of the node's attribute. */
  index: number;
  handle: string;
  type: "source" | "target";
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
// Thousands of nodes have only a few shapes. They share their layouts.
const shapes = new Map<string, NodeLayout>();

/** What the size of a card depends on. */
export type LaidOut = Pick<Node, "class" | "api"> &
  Partial<Pick<Node, "body">> & { tags: Pick<Node["tags"], "tags"> & Partial<Node["tags"]> };

/** Returns the same layout object for the same shape, so that a card that only moved is not drawn again. */
export function nodeLayout(node: LaidOut): NodeLayout {
  if (node.class === "note") return noteLayout(node.body);
  const hasTags = node.tags.tags.length > 0;
  const known = kept.get(node.api);
  if (known?.hasTags === hasTags) return known.layout;
  const isCode = node.class === "Code_block";
  const shown = visible(node.api.attributes);
  const shape = shown.map(shapeOf).join("\n") + (hasTags ? "#" : "") + (isCode ? "" : "!");
  const layout = shapes.get(shape) ?? (isCode ? placePorts(shown, hasTags) : placePolicy(shown, hasTags));
  shapes.set(shape, layout);
  kept.set(node.api, { hasTags, layout });
  return layout;
}

function noteLayout(body: unknown): NodeLayout {
  const { width, height } = noteSize(body);
  const shape = `note ${width} ${height}`;
  const layout = shapes.get(shape) ?? { width, height, ports: [] };
  shapes.set(shape, layout);
  return layout;
}

export function noteSize(body: unknown): NoteBody {
  const { width, height } = isRecord(body) ? body : {};
  return typeof width === "number" && typeof height === "number" ? { width, height } : newBody.note;
}

interface Indexed {
  attribute: Attribute;
  index: number;
}

function visible(attributes: readonly Attribute[]): Indexed[] {
  const all = attributes.map((attribute, index) => ({ attribute, index }));
  if (!attributes.some(({ shown_when }) => shown_when)) return all;
  const shown = new Set(shownAttributes(attributes));
  return all.filter(({ attribute }) => shown.has(attribute));
}

function shapeOf({ attribute, index }: Indexed): string {
  const row = isField(attribute)
    ? isTall(attribute)
      ? "tall"
      : "field"
    : isPolicyReceiver(attribute)
      ? "policy"
      : "port";
  return `${index} ${attribute.direction} ${row} ${attribute.name}`;
}

function port({ attribute, index }: Indexed): Pick<PortPlace, "index" | "handle" | "type"> {
  return { index, handle: handleIds.of(attribute), type: isReceiver(attribute) ? "target" : "source" };
}

function placePorts(shown: readonly Indexed[], hasTags: boolean): NodeLayout {
  const policies = shown.filter(({ attribute }) => isPolicyReceiver(attribute));
  const fields = shown.filter(({ attribute }) => isField(attribute));
  const plain = shown.filter(({ attribute }) => !isPolicyReceiver(attribute) && !isField(attribute));
  const left = plain.filter(({ attribute }) => isReceiver(attribute));
  const right = plain.filter(({ attribute }) => !isReceiver(attribute));

  const ports: PortPlace[] = [];
  const start: number = card.header + (hasTags ? card.tags : 0);
  const addPort = (one: Indexed, at: number, side: Side) => {
    const top = start + at * card.port;
    const x = side === "left" ? 0 : card.width;
    ports.push({ ...port(one), side, row: "port", top, height: card.port, x, y: top + card.port / 2 });
  };
  left.forEach((one, at) => addPort(one, at, "left"));
  right.forEach((one, at) => addPort(one, at, "right"));

  let top = start + Math.max(left.length, right.length) * card.port;
  for (const one of fields) {
    const height = isTall(one.attribute) ? card.tallField : card.field;
    const side = isReceiver(one.attribute) ? "left" : "right";
    const x = side === "left" ? 0 : card.width;
    ports.push({ ...port(one), side, row: "field", top, height, x, y: top + card.field / 2 });
    top += height;
  }
  const height = top + (policies.length > 0 ? card.policies : card.bottom);
  policies.forEach((one, at) => {
    const x = Math.round((card.width * (at + 0.5)) / policies.length);
    ports.push({ ...port(one), side: "bottom", row: "policy", top, height: card.policies, x, y: height });
  });
  return { width: card.width, height, ports };
}

/** A policy stands below the nodes it serves: its port is on top, and the ports of its receivers are at the bottom. */
function placePolicy(shown: readonly Indexed[], hasTags: boolean): NodeLayout {
  const height = card.header + (hasTags ? card.tags : 0) + card.summary;
  const ports = shown.map((one, at): PortPlace => {
    const x = Math.round((card.width * (at + 1)) / (shown.length + 1));
    return { ...port(one), side: "top", row: "crown", top: 0, height: 0, x, y: 0 };
  });
  return { width: card.width, height, ports };
}

export function isReceiver({ direction }: Pick<Attribute, "direction">): boolean {
  return direction === "RECEIVER" || direction === "RECEIVER_FIELD";
}

/** Whether a person sets this value on the node. A field whose value an edge decides has no control any more. */
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
  return (
    control?.type === "json" || control?.type === "code" || (control?.type === "text" && control.multiline === true)
  );
}

/** The handles that edges attach to. Edges of hidden or missing attributes attach to the header. */
export const handleIds = {
  of: (attribute: Pick<Attribute, "name" | "direction">) => `${isReceiver(attribute) ? "r" : "t"}:${attribute.name}`,
  transmitter: (name: string) => `t:${name}`,
  receiver: (name: string) => `r:${name}`,
  lostSource: "lost:out",
  lostTarget: "lost:in",
} as const;
