import * as z from "zod/mini";

import type { BroadcastChannel } from "../broadcast-channels.ts";
import { nodeClasses } from "../graph/node-classes.ts";
import { broadcast as limits, comment, formText, node } from "../limits.ts";

// The broadcasts between people in a workflow. The server parses each before it passes it on, and every browser parses
// what it receives. The browser loads this file, so it uses the small build of zod. Each shape is that of the entity of
// the same name in nodes.ts and attributes.ts, with bounds: the sender is not trusted.

// Compiling schemas needs eval, which the content security policy forbids: even trying would be reported as an attack.
if ("document" in globalThis) z.config({ jitless: true });

/** JSON of limited depth. Bytes, or a list nested 5,000 times, would break the clients that draw it. */
function isPlainData(value: unknown, depth: number = limits.depthMax): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((one) => isPlainData(one, depth - 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.entries(value).every(([key, one]) => key !== "__proto__" && isPlainData(one, depth - 1));
}

const text = (most: number) => z.string().check(z.maxLength(most));
const plain = () => z.unknown().check(z.refine((value) => isPlainData(value)));
const list = <One extends z.ZodMiniType>(one: One, most: number) => z.array(one).check(z.maxLength(most));
const byName = <One extends z.ZodMiniType>(one: One, most: number) =>
  z.record(text(limits.keyMax), one).check(z.refine((entries) => Object.keys(entries).length <= most));

const NodeKey = z.int();
const AttributeName = text(node.attributeNameMax).check(z.minLength(1));
const Time = text(40).check(z.refine((time) => !Number.isNaN(Date.parse(time))));
const Coordinate = z.number().check(z.gte(-node.positionMax), z.lte(node.positionMax));
const Extent = z.number().check(z.gte(1), z.lte(2 * node.positionMax));
const Line = z.int().check(z.gte(1), z.lte(comment.lineMax));
const Position = z.object({ x: Coordinate, y: Coordinate });

const Control = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("text"),
    multiline: z.optional(z.boolean()),
    placeholder: z.optional(text(limits.textMax)),
  }),
  z.object({
    type: z.literal("number"),
    min: z.optional(z.number()),
    max: z.optional(z.number()),
    step: z.optional(z.number().check(z.positive())),
  }),
  z.object({
    type: z.literal("slider"),
    min: z.number(),
    max: z.number(),
    step: z.optional(z.number().check(z.positive())),
  }),
  z.object({
    type: z.literal("select"),
    options: list(z.union([text(limits.textMax), z.number(), z.boolean()]), limits.optionsMax),
  }),
  z.object({ type: z.literal("toggle") }),
  z.object({ type: z.literal("json") }),
  z.object({ type: z.literal("code"), language: z.optional(text(node.kindMax)) }),
  z.object({ type: z.literal("file"), accept: z.optional(text(limits.textMax)) }),
  z.object({ type: z.literal("secret") }),
]);

// A condition with another key than these two is never met, so such keys are kept.
const Condition = z
  .looseObject({ connected: z.optional(z.boolean()), value: z.optional(z.unknown()) })
  .check(z.refine((condition) => isPlainData(condition)));

const Attribute = z.object({
  name: AttributeName,
  kind: text(node.kindMax),
  direction: z.enum(["TRANSMITTER", "RECEIVER", "TRANSMITTER_FIELD", "RECEIVER_FIELD"]),
  value: plain(),
  default: z.optional(plain()),
  is_connected: z.boolean(),
  control: z.nullable(Control),
  edge_text: text(node.edgeTextMax),
  shown_when: z.nullable(byName(list(Condition, node.attributesMax), node.attributesMax)),
  optional: z.optional(z.boolean()),
});

const NodeApi = z.object({
  compiled: z.boolean(),
  error: z.nullable(text(formText.noticeMax)),
  disabled: z.boolean(),
  attributes: list(Attribute, node.attributesMax),
});

/** What a policy's form shows. The form takes texts for texts and numbers for numbers, whatever the policy's type. */
const PolicyBody: z.ZodMiniType = z.nullable(
  z.union([
    z.object({ type: z.literal("volume"), name: text(limits.textMax) }),
    z.object({
      type: z.literal("s3"),
      bucket: text(limits.textMax),
      prefix: z.optional(text(limits.textMax)),
      region: z.optional(text(limits.textMax)),
      endpoint: z.optional(text(limits.textMax)),
      access_key_secret: z.optional(text(limits.textMax)),
      secret_key_secret: z.optional(text(limits.textMax)),
    }),
    z.object({
      cpu: z.optional(z.number()),
      ram_gb: z.optional(z.number()),
      gpu: z.optional(z.number()),
      image: z.optional(text(limits.textMax)),
      max_minutes: z.optional(z.number()),
    }),
  ]),
);

export const PeerNode = z.object({
  id: text(limits.keyMax),
  metadata_id: NodeKey,
  key: NodeKey,
  class: z.enum(nodeClasses).check(z.refine((name) => name !== "ghost")),
  name: text(formText.nameMax),
  description: text(formText.descriptionMax),
  order: z.number(),
  position: Position,
  colour: z.nullable(z.string().check(z.regex(/^#[0-9a-f]{6}$/i))),
  api: NodeApi,
  body: PolicyBody,
  source_code: text(node.sourceCodeMax),
  locked: z.boolean(),
  git: z.nullable(text(node.gitMax)),
  git_branch: z.nullable(text(node.gitBranchMax)),
  time_created: Time,
  last_updated: Time,
  last_used: z.nullable(Time),
  status: z.nullable(text(formText.nameMax)),
  update_policy: z.nullable(z.enum(["linked", "detached"])),
  tags: z.object({
    tags: list(text(formText.tagMax), node.tagsMax),
    user_ids: list(text(limits.keyMax), limits.idsMax),
  }),
  template: z.optional(z.object({ id: text(limits.keyMax), ref: text(formText.nameMax), version: z.number() })),
  update: z.optional(z.object({ source_code: text(node.sourceCodeMax), last_updated: Time })),
});

const peerEdgeEnds = {
  source_wob_key: NodeKey,
  source_transmitter_key: AttributeName,
  destination_wob_key: NodeKey,
  destination_receiver_key: AttributeName,
};

/** Without `implied`: such edges are derived, never sent. */
export const PeerEdge = z.object({
  ...peerEdgeEnds,
  is_field: z.union([z.literal(0), z.literal(1)]),
  kind: text(node.kindMax),
  edge_text: z.object({ transmitter: text(node.edgeTextMax), reciever: text(node.edgeTextMax) }),
  segments: list(Position, node.segmentsMax),
  label: z.optional(text(node.edgeTextMax)),
});

/** What somebody has selected, and where their pointer is. Null: outside the canvas. */
export const SelectionData = z.object({
  metadata_ids: list(NodeKey, limits.selectionMax),
  cursor: z.optional(z.nullable(Position)),
});
export type SelectionData = z.infer<typeof SelectionData>;

/** Whose view the sender follows. Null: nobody's. Sent again from time to time, because a message may be lost. */
const FollowData = z.object({ username: z.nullable(text(limits.keyMax)) });

/** What somebody looks at, for those who follow them. */
export const ViewData = z.object({
  screen: z.enum(["canvas", "code", "other"]),
  /** The part of the canvas in view: its middle and its size. */
  canvas: z.optional(z.object({ ...Position.shape, width: Extent, height: Extent })),
  /** The node whose code is open. */
  node: z.nullable(NodeKey),
  /** The first line in view. */
  line: z.optional(Line),
  selected: list(NodeKey, limits.selectionMax),
});
export type ViewData = z.infer<typeof ViewData>;

// The ids of a node never change.
const nodeChanges = z.partial(z.omit(PeerNode, { id: true, metadata_id: true, key: true, class: true }));

/** The data of every broadcast, by channel. */
export const broadcastData = {
  selection: SelectionData,
  follow: FollowData,
  view: ViewData,
  setNodeDisabled: z.object({ metadata_id: NodeKey, disabled: z.boolean() }),
  // With unset the attribute returns to the value that the code declares.
  "update[attribute]": z.object({
    metadata_id: NodeKey,
    name: AttributeName,
    value: z.optional(plain()),
    unset: z.optional(z.boolean()),
  }),
  "update[CODE]": z.object({
    metadata_id: NodeKey,
    source_code: text(node.sourceCodeMax),
    api: z.optional(NodeApi),
  }),
  "create[edge]": PeerEdge,
  "delete[edge]": z.object(peerEdgeEnds),
  "create[wob]": PeerNode,
  "update[wob]": z.object({ metadata_id: NodeKey, changes: nodeChanges }),
  "delete[wob]": z.object({ metadata_id: NodeKey }),
  "create[blueprint]": z.object({
    nodes: byName(PeerNode, limits.nodesMax),
    edges: list(PeerEdge, limits.edgesMax),
    node_positions: byName(Position, limits.nodesMax),
    edge_segments: byName(list(Position, node.segmentsMax), limits.edgesMax),
  }),
  // Null: no longer waiting.
  setWaitingOnTag: z.object({ tag: z.nullable(z.int()) }),
} as const satisfies Record<BroadcastChannel, z.ZodMiniType>;

export type BroadcastData = { [Channel in BroadcastChannel]: z.infer<(typeof broadcastData)[Channel]> };

/** One broadcast, whatever its channel. */
export type Broadcast = {
  [Channel in BroadcastChannel]: { channel: Channel; data: BroadcastData[Channel] };
}[BroadcastChannel];

/** The data without unknown fields. Undefined when it does not fit the channel. */
export function parseBroadcast(channel: BroadcastChannel, data: unknown): Broadcast | undefined {
  const schema: z.ZodMiniType = broadcastData[channel];
  // Stop at the first error. Listing every error of a 256 kB message takes 100 ms.
  if (!z.validate(schema, data)) return undefined;
  // TypeScript does not see that the schema is the one of this channel.
  return { channel, data: schema.parse(data) } as Broadcast;
}
