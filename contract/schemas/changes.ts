import { z } from "zod";

import { batch, formText, node } from "../limits.ts";
import { NodeApiInput } from "./attributes.ts";
import { Id, formJson, MetadataId, numberBetween, optionalText, requiredText, yesOrNo, exactText } from "./forms.ts";
import {
  BlueprintCloneResponse,
  Edge,
  EdgeBody,
  EdgeEnds,
  FormColour,
  FormPosition,
  Node,
  NodeGroup,
  Position,
} from "./nodes.ts";
import { Description, Name } from "./projects.ts";

/** A node as it is now, or only the fields of it that changed. */
export const NodePatch = Node.partial().required({ metadata_id: true });
export type NodePatch = z.infer<typeof NodePatch>;

/** What an attribute is set to now. Where the graph does not override the code there is no `default`. */
export const AttributeChange = z.object({
  metadata_id: z.number(),
  name: z.string(),
  value: z.unknown(),
  default: z.unknown().optional(),
});
export type AttributeChange = z.infer<typeof AttributeChange>;

/** One change of a graph, as the server made it. Applying it twice does no harm. */
export const GraphChange = z.object({
  graph_id: z.string(),
  revision: z.number(),
  /** The username of whoever made it. */
  by: z.string(),
  nodes: z.array(NodePatch).optional(),
  attributes: z.array(AttributeChange).optional(),
  positions: z.record(z.string(), Position).optional(),
  deleted_nodes: z.array(z.number()).optional(),
  edges: z.array(Edge).optional(),
  deleted_edges: z.array(EdgeEnds).optional(),
  groups: z.array(NodeGroup).optional(),
  deleted_groups: z.array(z.string()).optional(),
  /** More changed than is worth sending to everybody: fetch the graph. */
  reload: z.boolean().optional(),
});
export type GraphChange = z.infer<typeof GraphChange>;

/** The answer of a call that changed something. */
export const Changed = z.object({ revision: z.number() });
export type Changed = z.infer<typeof Changed>;

export const ChangedNode = Node.extend(Changed.shape);
export type ChangedNode = z.infer<typeof ChangedNode>;

export const ChangedEdge = Edge.extend(Changed.shape);
export type ChangedEdge = z.infer<typeof ChangedEdge>;

export const ChangedAttribute = AttributeChange.extend(Changed.shape);
export type ChangedAttribute = z.infer<typeof ChangedAttribute>;

export const PutPositionsBody = z.object({
  /** By metadata_id. */
  positions: formJson(
    z
      .record(z.string().regex(/^[1-9]\d{0,15}$/, "Positions are named by metadata_id."), Position)
      .refine(
        (positions) => Object.keys(positions).length <= batch.positionsMax,
        `At most ${batch.positionsMax} positions at once.`,
      ),
  ),
});
export type PutPositionsBody = z.infer<typeof PutPositionsBody>;

/** Nodes that stayed where they are: locked, or no longer in the graph. */
export const PositionsResponse = Changed.extend({ skipped: z.array(z.number()) });
export type PositionsResponse = z.infer<typeof PositionsResponse>;

const tooManyNodes = `At most ${batch.nodesMax} nodes at once.`;
const tooManyEdges = `At most ${batch.edgesMax} edges at once.`;
const MetadataIds = formJson(z.array(MetadataId, "metadata_ids must be a list.").max(batch.nodesMax, tooManyNodes));

export const DeleteManyBody = z.object({
  metadata_ids: MetadataIds.default([]),
  edges: formJson(z.array(EdgeBody, "edges must be a list.").max(batch.edgesMax, tooManyEdges)).default([]),
});
export type DeleteManyBody = z.infer<typeof DeleteManyBody>;

export const DeleteManyResponse = Changed.extend({
  deleted_nodes: z.array(z.number()),
  deleted_edges: z.array(EdgeEnds),
});
export type DeleteManyResponse = z.infer<typeof DeleteManyResponse>;

export const RestoreBody = z.object({ metadata_ids: MetadataIds });
export type RestoreBody = z.infer<typeof RestoreBody>;

/** What names a node inside a paste: its key where it was copied, or any text. */
const Ref = z.union([z.number(), z.string().min(1).max(200)], "Every pasted node needs a key.").transform(String);

/** A node as it is copied. A node of a graph response fits; its number and its times are made anew. */
export const PastedNode = z.object({
  key: Ref,
  class: z.enum(["Code_block", "compute_policy", "storage_policy"], "A pasted node must be of a class we know."),
  name: Name,
  description: Description.default(""),
  order: numberBetween("Order", { min: 0, max: node.orderMax }, "whole").default(0),
  position: Position,
  colour: FormColour.nullish().transform((colour) => colour ?? null),
  api: NodeApiInput.default({}),
  body: z.unknown().optional(),
  source_code: exactText("Code", node.sourceCodeMax).default(""),
  locked: z.boolean().default(false),
  git: optionalText("Git", node.gitMax).nullish(),
  git_branch: optionalText("Git branch", node.gitBranchMax).nullish(),
  tags: z.object({ tags: z.array(requiredText("Tag", formText.tagMax)).max(node.tagsMax) }).default({ tags: [] }),
});
export type PastedNode = z.infer<typeof PastedNode>;

export const PastedEdge = z.object({
  source_wob_key: Ref,
  source_transmitter_key: requiredText("Transmitter", node.attributeNameMax),
  destination_wob_key: Ref,
  destination_receiver_key: requiredText("Receiver", node.attributeNameMax),
  segments: z.array(Position).max(node.segmentsMax).default([]),
  label: optionalText("Label", node.edgeTextMax).default(""),
});
export type PastedEdge = z.infer<typeof PastedEdge>;

export const PasteBody = z.object({
  nodes: formJson(
    z.array(PastedNode, "nodes must be a list.").min(1, "There is nothing to paste.").max(batch.nodesMax, tooManyNodes),
  ),
  edges: formJson(z.array(PastedEdge, "edges must be a list.").max(batch.edgesMax, tooManyEdges)).default([]),
  /** Where the upper left corner of what is pasted comes to lie. Without it everything keeps its place. */
  position: FormPosition.optional(),
});
export type PasteBody = z.infer<typeof PasteBody>;

export const PasteResponse = BlueprintCloneResponse.extend(Changed.shape).extend({
  /** The metadata_id of every pasted node, by the key it was sent with. */
  ids: z.record(z.string(), z.number()),
});
export type PasteResponse = z.infer<typeof PasteResponse>;

export const GroupParams = z.object({ graphId: Id, groupId: Id });
export type GroupParams = z.infer<typeof GroupParams>;

export const CreateGroupBody = z.object({
  name: Name.default("Group"),
  colour: FormColour.default(null),
  collapsed: yesOrNo("collapsed").default(false),
  metadata_ids: MetadataIds,
});
export type CreateGroupBody = z.infer<typeof CreateGroupBody>;

export const PatchGroupBody = z
  .object({ name: Name, colour: FormColour, collapsed: yesOrNo("collapsed"), metadata_ids: MetadataIds })
  .partial();
export type PatchGroupBody = z.infer<typeof PatchGroupBody>;

export const ChangedGroup = NodeGroup.extend(Changed.shape);
export type ChangedGroup = z.infer<typeof ChangedGroup>;
