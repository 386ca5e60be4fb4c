import { storedClasses } from "../graph/node-classes.ts";
import { z } from "zod";

import { errors } from "../errors.ts";
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
  PutEdgeBody,
  UpdatePolicy,
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

/** One change of a graph, made by the server. Applying it twice changes nothing. */
export const GraphChange = z.object({
  graph_id: z.string(),
  revision: z.number(),
  /** The username of the person who made it. */
  by: z.string(),
  nodes: z.array(NodePatch).optional(),
  attributes: z.array(AttributeChange).optional(),
  positions: z.record(z.string(), Position).optional(),
  /** Nodes that were disabled or enabled, without the rest of their api. */
  disabled: z.record(z.string(), z.boolean()).optional(),
  deleted_nodes: z.array(z.number()).optional(),
  edges: z.array(Edge).optional(),
  deleted_edges: z.array(EdgeEnds).optional(),
  groups: z.array(NodeGroup).optional(),
  deleted_groups: z.array(z.string()).optional(),
  /** Too much changed to send it to everybody: fetch the graph. */
  reload: z.boolean().optional(),
  /** Why the workflow changed as a whole. The others see a notice. */
  because: z.enum(["restore", "merge"]).optional(),
  /** The name of the workflow that a merge brought changes from. Missing when they came from a folder of files. */
  merged_from: z.string().optional(),
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

/** Something for each of several nodes, by metadata_id. */
function byNumber<Value extends z.ZodType>(value: Value, words: string) {
  return z
    .record(z.string(), value, words)
    .refine((entries) => Object.keys(entries).every((key) => /^[1-9]\d{0,15}$/.test(key)), words);
}

export const PutPositionsBody = z.object({
  /** By metadata_id. */
  positions: formJson(
    byNumber(Position, "Positions are named by metadata_id.").refine(
      (positions) => Object.keys(positions).length <= batch.positionsMax,
      `At most ${batch.positionsMax} positions at once.`,
    ),
  ),
});
export type PutPositionsBody = z.infer<typeof PutPositionsBody>;

/** Nodes that did not move: locked, or no longer in the graph. */
export const PositionsResponse = Changed.extend({ skipped: z.array(z.number()) });
export type PositionsResponse = z.infer<typeof PositionsResponse>;

const tooManyNodes = `At most ${batch.nodesMax} nodes at once.`;
const tooManyEdges = `At most ${batch.edgesMax} edges at once.`;
const MetadataIds = formJson(z.array(MetadataId, "metadata_ids must be a list.").max(batch.nodesMax, tooManyNodes));

const Tags = z.array(requiredText("Tag", formText.tagMax), "Tags must be a list.").max(node.tagsMax);

/** What can be changed of many nodes at once. */
export const NodeChange = z
  .object({
    disabled: yesOrNo("disabled"),
    locked: yesOrNo("locked"),
    colour: FormColour,
    tags_added: Tags,
    tags_removed: Tags,
  })
  .partial();
export type NodeChange = z.infer<typeof NodeChange>;

export const ChangeManyBody = z.object({
  /** By metadata_id. All of them are changed, or none. */
  changes: formJson(
    byNumber(NodeChange, "Changes are named by metadata_id.")
      .refine((changes) => Object.keys(changes).length > 0, errors.nothing_selected)
      .refine((changes) => Object.keys(changes).length <= batch.nodesMax, tooManyNodes),
  ),
});
export type ChangeManyBody = z.infer<typeof ChangeManyBody>;

const GroupIds = formJson(z.array(Id, "groups must be a list.").max(batch.groupsMax, errors.too_many_groups));

export const DeleteManyBody = z.object({
  metadata_ids: MetadataIds.default([]),
  edges: formJson(z.array(EdgeBody, "edges must be a list.").max(batch.edgesMax, tooManyEdges)).default([]),
  groups: GroupIds.default([]),
});
export type DeleteManyBody = z.infer<typeof DeleteManyBody>;

export const DeleteManyResponse = Changed.extend({
  deleted_nodes: z.array(z.number()),
  deleted_edges: z.array(EdgeEnds),
  deleted_groups: z.array(z.string()),
});
export type DeleteManyResponse = z.infer<typeof DeleteManyResponse>;

/** Groups and edges are restored as sent, nodes as they were. */
export const RestoreBody = z.object({
  metadata_ids: MetadataIds.default([]),
  edges: formJson(z.array(PutEdgeBody, "edges must be a list.").max(batch.edgesMax, tooManyEdges)).default([]),
  groups: formJson(
    z
      .array(
        z.object({
          id: Id,
          name: Name,
          colour: FormColour,
          collapsed: yesOrNo("collapsed"),
          metadata_ids: MetadataIds,
        }),
        "groups must be a list.",
      )
      .max(batch.groupsMax, errors.too_many_groups),
  ).default([]),
});
export type RestoreBody = z.infer<typeof RestoreBody>;

/** What names a node inside a paste: its key where it was copied, or any text. */
const Ref = z.union([z.number(), z.string().min(1).max(200)], "Every pasted node needs a key.").transform(String);

/** A node to copy. A node of a graph response fits; the copy gets a new number and new times. */
export const PastedNode = z.object({
  key: Ref,
  class: z.enum(storedClasses, "A pasted node must be of a class we know."),
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
  update_policy: UpdatePolicy.nullish(),
  /** Kept when the person who pastes may read that template. */
  template: z
    .object({
      id: Id,
      ref: requiredText("Template", 200),
      version: numberBetween("Version", { min: 0, max: 2 ** 31 - 1 }, "whole"),
    })
    .nullish(),
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

/** A group as it is copied. Members that are not pasted with it are left out. */
const PastedGroup = z.object({
  name: Name.default("Group"),
  colour: FormColour.nullish().transform((colour) => colour ?? null),
  collapsed: z.boolean().default(false),
  metadata_ids: z.array(Ref, "metadata_ids must be a list.").max(batch.nodesMax, tooManyNodes),
});
export type PastedGroup = z.infer<typeof PastedGroup>;

const pasteBody = <One extends z.ZodType, Line extends z.ZodType>(one: One, line: Line) =>
  z.object({
    nodes: formJson(
      z.array(one, "nodes must be a list.").min(1, "There is nothing to paste.").max(batch.nodesMax, tooManyNodes),
    ),
    edges: formJson(z.array(line, "edges must be a list.").max(batch.edgesMax, tooManyEdges)).default([]),
    groups: formJson(
      z.array(PastedGroup, "groups must be a list.").max(batch.groupsMax, errors.too_many_groups),
    ).default([]),
    /** The new upper left corner of what is pasted. Without it everything keeps its position. */
    position: FormPosition.optional(),
  });

export const PasteBody = pasteBody(PastedNode, PastedEdge);
/** A paste whose nodes and edges are not parsed yet. */
export const PasteOutline = pasteBody(z.unknown(), z.unknown());
export type PasteBody = z.infer<typeof PasteBody>;

export const PasteResponse = BlueprintCloneResponse.extend(Changed.shape).extend({
  /** The metadata_id of every pasted node, by the key it was sent with. */
  ids: z.record(z.string(), z.number()),
  groups: z.array(NodeGroup),
  /** Nodes whose template is not visible to the person who pasted them. */
  detached: z.array(z.number()),
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
