import { z } from "zod";

import { nodeClasses, nodeTypes } from "../graph/node-classes.ts";
import { formText, newNode, node } from "../limits.ts";
import { NodeApi, NodeApiInput } from "./attributes.ts";
import {
  exactText,
  formJson,
  FormBoolean,
  Id,
  MetadataId,
  numberBetween,
  oneOf,
  optionalText,
  requiredText,
  yesOrNo,
} from "./forms.ts";
import { ComputePolicy } from "./policies.ts";
import { Description, Name } from "./projects.ts";

export const NodeClass = z.enum(nodeClasses);
export type NodeClass = z.infer<typeof NodeClass>;

/** The type of an object as addresses carry it. A class is accepted too: the two differ only in their letters' case. */
export const WobType = oneOf("wob_type", [...nodeTypes, "PROJECT", "GRAPH"]);
export type WobType = z.infer<typeof WobType>;

const positionWords = `Position must be two numbers, x and y, from ${-node.positionMax} to ${node.positionMax}.`;
const Coordinate = z.number(positionWords).min(-node.positionMax, positionWords).max(node.positionMax, positionWords);
export const Position = z.object({ x: Coordinate, y: Coordinate }, positionWords);
export type Position = z.infer<typeof Position>;

export const FormPosition = formJson(Position, positionWords);

/** A form sends none as an empty text. */
const colourWords = "A colour is written #rrggbb.";
export const FormColour = z
  .string(colourWords)
  .regex(/^(?:#[0-9a-f]{6})?$/i, colourWords)
  .nullable()
  .transform((colour) => colour?.toLowerCase() || null);

/** linked offers the template's newer code; detached does not. */
export const UpdatePolicy = z.enum(["linked", "detached"], "update_policy must be linked or detached.");
export type UpdatePolicy = z.infer<typeof UpdatePolicy>;

export const NodeTags = z.object({ tags: z.array(z.string()), user_ids: z.array(z.string()) });
export type NodeTags = z.infer<typeof NodeTags>;

/** Newer code of the template a linked node was made from. */
const TemplateUpdate = z.object({ source_code: z.string(), last_updated: z.string() });
export type TemplateUpdate = z.infer<typeof TemplateUpdate>;

/** The template a node was made from, which of its nodes it was, and the template's time then. */
const TemplateLink = z.object({ id: z.string(), ref: z.string(), version: z.number() });
export type TemplateLink = z.infer<typeof TemplateLink>;

export const Node = z.object({
  id: z.string(),
  metadata_id: z.number(),
  /** The number by which edges name this node: its metadata_id, or -1 for a ghost. */
  key: z.number(),
  class: NodeClass,
  name: z.string(),
  description: z.string(),
  order: z.number(),
  position: Position,
  /** `#rrggbb`, where somebody or an imported file chose one. */
  colour: z.string().nullable(),
  api: NodeApi,
  /** The settings of a policy; null for a code block. */
  body: z.unknown(),
  source_code: z.string(),
  locked: z.boolean(),
  git: z.string().nullable(),
  git_branch: z.string().nullable(),
  time_created: z.string(),
  last_updated: z.string(),
  last_used: z.string().nullable(),
  status: z.string().nullable(),
  update_policy: UpdatePolicy.nullable(),
  tags: NodeTags,
  template: TemplateLink.optional(),
  update: TemplateUpdate.optional(),
});
export type Node = z.infer<typeof Node>;

/** The misspelling is part of the API. */
const EdgeText = z.object({ transmitter: z.string(), reciever: z.string() });
export type EdgeText = z.infer<typeof EdgeText>;

export const Edge = z.object({
  source_wob_key: z.number(),
  source_transmitter_key: z.string(),
  destination_wob_key: z.number(),
  destination_receiver_key: z.string(),
  is_field: z.union([z.literal(0), z.literal(1)]),
  kind: z.string(),
  edge_text: EdgeText,
  segments: z.array(Position),
  /** A label that a person or an imported file wrote on this edge. */
  label: z.string().optional(),
  /** Added by resolution; such an edge is stored nowhere and cannot be deleted. */
  implied: z.boolean().optional(),
});
export type Edge = z.infer<typeof Edge>;

/** The key of an edge. */
export const EdgeEnds = Edge.pick({
  source_wob_key: true,
  source_transmitter_key: true,
  destination_wob_key: true,
  destination_receiver_key: true,
});
export type EdgeEnds = z.infer<typeof EdgeEnds>;

/** Nodes drawn inside one frame. */
export const NodeGroup = z.object({
  id: z.string(),
  name: z.string(),
  colour: z.string().nullable(),
  collapsed: z.boolean(),
  metadata_ids: z.array(z.number()),
});
export type NodeGroup = z.infer<typeof NodeGroup>;

export const GraphResponse = z.object({
  /** By metadata_id. */
  nodes: z.record(z.string(), Node),
  edges: z.array(Edge),
  viewOnly: z.boolean(),
  groups: z.array(NodeGroup),
  /** Grows by one with every change. An event more than one revision ahead means that one was missed. */
  revision: z.number(),
});
export type GraphResponse = z.infer<typeof GraphResponse>;

export const WobTypeQuery = z.object({ wob_type: WobType.optional() });
export type WobTypeQuery = z.infer<typeof WobTypeQuery>;

export const CreateNodeQuery = z.object({
  wob_type: oneOf("wob_type", nodeTypes).default(newNode.type),
});
export type CreateNodeQuery = z.infer<typeof CreateNodeQuery>;

/** `project_id` is the id of the loaded graph, here and in every other call about nodes. */
export const CreateNodeBody = z.object({
  name: Name.default(newNode.name),
  description: Description.default(""),
  project_id: Id,
  position: FormPosition.optional(),
});
export type CreateNodeBody = z.infer<typeof CreateNodeBody>;

export const NodePositionParams = z.object({ projectId: Id, id: MetadataId });
export type NodePositionParams = z.infer<typeof NodePositionParams>;

export const PutPositionBody = z.object({ position: FormPosition });
export type PutPositionBody = z.infer<typeof PutPositionBody>;

/** The fields of a node that may be changed in place; code and attributes have calls of their own. */
export const PatchNodeBody = z
  .object({
    name: Name,
    description: Description,
    order: numberBetween("Order", { min: 0, max: node.orderMax }, "whole"),
    position: FormPosition,
    colour: FormColour,
    body: formJson(z.unknown()),
    locked: yesOrNo("locked"),
    git: optionalText("Git", node.gitMax).nullable(),
    git_branch: optionalText("Git branch", node.gitBranchMax).nullable(),
    update_policy: UpdatePolicy,
  })
  .partial();
export type PatchNodeBody = z.infer<typeof PatchNodeBody>;

export const PatchComputePolicyBody = PatchNodeBody.extend(ComputePolicy.partial().shape);
export type PatchComputePolicyBody = z.infer<typeof PatchComputePolicyBody>;

export const PutNodeApiBody = z.object({
  source_code: exactText("Code", node.sourceCodeMax),
  api: formJson(NodeApiInput).optional(),
});
export type PutNodeApiBody = z.infer<typeof PutNodeApiBody>;

const disabledWords = "The api must have disabled, true or false.";
export const PatchNodeApiBody = z.object({
  api: formJson(z.object({ disabled: FormBoolean }, disabledWords)),
});
export type PatchNodeApiBody = z.infer<typeof PatchNodeApiBody>;

const segmentWords = `An edge can have at most ${node.segmentsMax} bends, each with x and y.`;
export const EdgeBody = z.object({
  from_id: MetadataId,
  to_id: MetadataId,
  transmitter_key: requiredText("Transmitter", node.attributeNameMax),
  receiver_key: requiredText("Receiver", node.attributeNameMax),
});
export type EdgeBody = z.infer<typeof EdgeBody>;

/** How an edge is drawn: its bends, and what is written on it. */
export const PutEdgeBody = EdgeBody.extend({
  segments: formJson(z.array(Position, segmentWords).max(node.segmentsMax, segmentWords)).optional(),
  label: optionalText("Label", node.edgeTextMax).optional(),
});
export type PutEdgeBody = z.infer<typeof PutEdgeBody>;

/** `tag` is 'following' to follow a project; a public tag is seen by everybody who may read the object. */
export const TagQuery = z.object({ wob_type: WobType.optional(), public: yesOrNo("public").default(false) });
export type TagQuery = z.infer<typeof TagQuery>;

export const TagBody = z.object({ tag: requiredText("Tag", formText.tagMax) });
export type TagBody = z.infer<typeof TagBody>;

export const ClonePrefabBody = z.object({
  project_id: Id,
  update_policy: UpdatePolicy.default("linked"),
  position: FormPosition.optional(),
});
export type ClonePrefabBody = z.infer<typeof ClonePrefabBody>;

export const CloneBlueprintBody = z.object({
  project_id: Id,
  blueprint: Id,
  position: FormPosition,
  update_policy: UpdatePolicy.default("linked"),
});
export type CloneBlueprintBody = z.infer<typeof CloneBlueprintBody>;

export const BlueprintCloneResponse = z.object({
  nodes: z.record(z.string(), Node),
  edges: z.array(Edge),
  /** By metadata_id. */
  node_positions: z.record(z.string(), Position),
  /** By edge key. */
  edge_segments: z.record(z.string(), z.array(Position)),
});
export type BlueprintCloneResponse = z.infer<typeof BlueprintCloneResponse>;
