import { z } from "zod";

import { isRecord } from "../json.ts";
import { formText, version as limits } from "../limits.ts";
import { NodeApi } from "./attributes.ts";
import { CommitAuthor } from "./code.ts";
import { formJson, Id, numberBetween, oneOf, optionalText, requiredText, yesOrNo } from "./forms.ts";
import { GraphResponse, NodeClass, Position, UpdatePolicy } from "./nodes.ts";
import { PageKeyQuery } from "./pages.ts";

// Versions of a workflow. Their nodes and groups are named by their lineage, which every version and every clone of the
// workflow shares.

const Lineage = z.uuid();

/** A node in a version. It has no values of secret controls and no credentials. */
export const VersionNode = z.object({
  lineage: Lineage,
  /** The number it had in its workflow. A clone of the workflow has another. */
  metadata_id: z.number(),
  class: NodeClass,
  name: z.string(),
  description: z.string(),
  order: z.number(),
  position: Position,
  colour: z.string().nullable(),
  tags: z.array(z.string()),
  locked: z.boolean(),
  /** What its code declares, and whether it is disabled. The code decides; this saves reading it again. */
  api: NodeApi,
  /** The values that people set, by attribute. */
  values: z.record(z.string(), z.unknown()),
  /** The settings of a policy; null for a code block. */
  body: z.unknown(),
  source_code: z.string(),
  git: z.string().nullable(),
  git_branch: z.string().nullable(),
  update_policy: UpdatePolicy.nullable(),
  template: z.object({ id: z.string(), ref: z.string(), version: z.number() }).nullable(),
});
export type VersionNode = z.infer<typeof VersionNode>;

export const VersionEdge = z.object({
  source: Lineage,
  transmitter: z.string(),
  target: Lineage,
  receiver: z.string(),
  segments: z.array(Position),
  label: z.string(),
});
export type VersionEdge = z.infer<typeof VersionEdge>;

export const VersionGroup = z.object({
  lineage: Lineage,
  name: z.string(),
  colour: z.string().nullable(),
  collapsed: z.boolean(),
  members: z.array(Lineage),
});
export type VersionGroup = z.infer<typeof VersionGroup>;

/** Some nodes of a version with the edges that leave them, or its groups. Stored once, whoever uses it. */
export const VersionPart = z.object({
  nodes: z.array(VersionNode),
  edges: z.array(VersionEdge),
  groups: z.array(VersionGroup),
});
export type VersionPart = z.infer<typeof VersionPart>;

/** Why there is a version: a person named it, or the server made it before something that changes or uses the workflow. */
const versionReasons = ["named", "run", "restore", "merge", "hour", "clone", "export"] as const;
export const VersionReason = z.enum(versionReasons);
export type VersionReason = z.infer<typeof VersionReason>;

export const Version = z.object({
  id: z.string(),
  graph_id: z.string(),
  /** Counts the named versions of a workflow from 1; null for an automatic one. */
  number: z.number().nullable(),
  reason: VersionReason,
  name: z.string(),
  message: z.string(),
  author: CommitAuthor.nullable(),
  revision: z.number(),
  nodes: z.number(),
  edges: z.number(),
  /** How often exactly this was run, and when last. */
  runs: z.number(),
  time_last_run: z.string().nullable(),
  time_created: z.string(),
  /** When it was published; null when it was not. */
  time_published: z.string().nullable(),
});
export type Version = z.infer<typeof Version>;

/** The list of a workflow's versions has changed. */
const VersionsEvent = z.object({ graph_id: z.string() });
export type VersionsEvent = z.infer<typeof VersionsEvent>;

/** A version as the canvas shows it. */
export const VersionGraph = GraphResponse.extend({
  /** The lineage of each node, by metadata_id. */
  lineages: z.record(z.string(), z.string()),
});
export type VersionGraph = z.infer<typeof VersionGraph>;

export const VersionPage = z.object({
  versions: z.array(Version),
  /** The `after` of the next page; null at the end. */
  next: z.string().nullable(),
});
export type VersionPage = z.infer<typeof VersionPage>;

export const VersionListQuery = PageKeyQuery.extend({
  kind: oneOf("kind", ["all", "named", "automatic"]).default("all"),
});
export type VersionListQuery = z.infer<typeof VersionListQuery>;

/** No version has this number, so that any other text in an address is answered with "Version not found." */
const noNumber = 0;
/** What names a version in an address: the number of a named one, the id of any, or `now` for the workflow as it is. */
export const VersionKey = z.union([
  z.literal("now"),
  Id,
  z.string().transform((text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : noNumber)),
]);
export type VersionKey = z.infer<typeof VersionKey>;

export const VersionParams = z.object({ graphId: Id, version: VersionKey });
export type VersionParams = z.infer<typeof VersionParams>;

export const CompareParams = z.object({ graphId: Id, before: VersionKey, after: VersionKey });
export type CompareParams = z.infer<typeof CompareParams>;

/** `with` is the workflow of the second version, when it is another one. `brief` is for clients that have the first one. */
export const CompareQuery = z.object({ with: Id.optional(), brief: yesOrNo("brief").default(false) });
export type CompareQuery = z.infer<typeof CompareQuery>;

const notLineages = "Nodes are named by their lineage.";
const Lineages = formJson(
  z.array(z.uuid(notLineages), notLineages).max(limits.nodesMax, `At most ${limits.nodesMax} nodes at once.`),
);

/** `left_out` are nodes that stay as they were in the last published version. Only publishing can leave something out. */
export const CreateVersionBody = z.object({
  name: requiredText("Name", formText.nameMax),
  message: optionalText("Message", limits.messageMax).default(""),
  publish: yesOrNo("publish").default(false),
  left_out: Lineages.default([]),
});
export type CreateVersionBody = z.infer<typeof CreateVersionBody>;

/** With `nodes`, only these are restored; what else the workflow has stays. */
export const RestoreVersionBody = z.object({ nodes: Lineages.optional() });
export type RestoreVersionBody = z.infer<typeof RestoreVersionBody>;

/** What a restore or a merge did. Undoing it restores `before`. */
export const RestoredVersion = z.object({
  revision: z.number(),
  /** The automatic version of the workflow as it was. */
  before: Version,
});
export type RestoredVersion = z.infer<typeof RestoredVersion>;

export const WorkflowFromVersionBody = z.object({ project_id: Id, name: requiredText("Name", formText.nameMax) });
export type WorkflowFromVersionBody = z.infer<typeof WorkflowFromVersionBody>;

/** Who changed a node since a version. */
export const NodeEdit = z.object({
  lineage: Lineage,
  metadata_id: z.number(),
  name: z.string(),
  people: z.array(
    z.object({
      username: z.string(),
      first_name: z.string(),
      last_name: z.string(),
      avatar: z.string().nullable(),
      time: z.string(),
      moved_only: z.boolean(),
    }),
  ),
  /** People with unsaved code in it. */
  unsaved: z.array(z.string()),
});
export type NodeEdit = z.infer<typeof NodeEdit>;

export const NodeEdits = z.array(NodeEdit);
export type NodeEdits = z.infer<typeof NodeEdits>;

/** One difference of a node: a field as it was and as it is. `code` and `value` are by far the most common. */
const fieldKinds = ["code", "value", "setting", "position"] as const;
const FieldDifference = z.object({
  kind: z.enum(fieldKinds),
  /**
   * The attribute of a value, or the name of a setting: name, description, colour, tags, disabled, locked, git … The
   * settings of a policy begin with `body.`, for example `body.cpu`. `body` alone is another kind of policy.
   */
  field: z.string(),
  /** Missing when a value was not set, so that the one in the code counted. */
  before: z.unknown(),
  /** Missing when a value is not set, so that the one in the code counts. */
  after: z.unknown(),
});
export type FieldDifference = z.infer<typeof FieldDifference>;

/** A node that differs. An added one has no `before`, a removed one has no `after`. */
export const NodeDifference = z.object({
  lineage: Lineage,
  change: z.enum(["added", "removed", "changed", "moved"]),
  before: VersionNode.nullable(),
  after: VersionNode.nullable(),
  fields: z.array(FieldDifference),
});
export type NodeDifference = z.infer<typeof NodeDifference>;

/** `moved` when only its bends differ. */
export const EdgeDifference = z.object({
  change: z.enum(["added", "removed", "changed", "moved"]),
  before: VersionEdge.nullable(),
  after: VersionEdge.nullable(),
});
export type EdgeDifference = z.infer<typeof EdgeDifference>;

export const GroupDifference = z.object({
  lineage: Lineage,
  change: z.enum(["added", "removed", "changed"]),
  before: VersionGroup.nullable(),
  after: VersionGroup.nullable(),
});
export type GroupDifference = z.infer<typeof GroupDifference>;

export const Comparison = z.object({
  nodes: z.array(NodeDifference),
  edges: z.array(EdgeDifference),
  groups: z.array(GroupDifference),
});
export type Comparison = z.infer<typeof Comparison>;

/**
 * A node that differs, for a client that has the graph of the first version. It is not sent again: code that differs is
 * only in `after`, and `after` has no code and no api that are as before. Its api counts together with its values.
 */
const BriefNodeDifference = NodeDifference.omit({ before: true }).extend({
  after: VersionNode.extend({ api: NodeApi.optional(), source_code: z.string().optional() }).nullable(),
});
export type BriefNodeDifference = z.infer<typeof BriefNodeDifference>;

export const BriefComparison = Comparison.extend({
  nodes: z.array(BriefNodeDifference),
  /** The revision of the workflow as it is, when the first or else the second side is it. */
  revision: z.number().optional(),
});
export type BriefComparison = z.infer<typeof BriefComparison>;

/** The workflow that a clone came from; null when the caller may not read it, or it is deleted. */
export const Origin = z.object({
  graph: z
    .object({ id: z.string(), name: z.string(), project: z.object({ id: z.string(), name: z.string() }) })
    .nullable(),
  time_based: z.string(),
});
export type Origin = z.infer<typeof Origin>;

/** Something that both sides changed in different ways. */
export const Conflict = z.object({
  /** Names the conflict in `resolutions`. The same preview of the same two revisions has the same ids. */
  id: z.string(),
  kind: z.enum(["code", "value", "setting", "deleted", "edge", "group"]),
  lineage: Lineage.nullable(),
  /** The name of the node or group, for people. */
  name: z.string(),
  /** The attribute or setting. For code, the number of the hunk from 1. Empty when it is about the whole object. */
  field: z.string(),
  /** What it is on each side. Missing where a value is not set, or where there is no common version. */
  base: z.unknown(),
  theirs: z.unknown(),
  mine: z.unknown(),
  /** For code: the settled lines before and after the hunk, so that a person sees where it is. */
  around: z.object({ before: z.string(), after: z.string() }).optional(),
});
export type Conflict = z.infer<typeof Conflict>;

/** What a merge would do to the caller's workflow. `theirs` is the workflow that the changes come from. */
export const MergePreview = z.object({
  theirs_revision: z.number(),
  mine_revision: z.number(),
  /** Whether there is a common version. Without one every difference is a conflict. */
  has_base: z.boolean(),
  /** What changes in the workflow, with every conflict resolved as mine. */
  comparison: Comparison,
  conflicts: z.array(Conflict),
});
export type MergePreview = z.infer<typeof MergePreview>;

/** Where changes come from: another workflow. A folder of files comes as an upload instead. */
export const MergePreviewBody = z.object({ from: Id });
export type MergePreviewBody = z.infer<typeof MergePreviewBody>;

export type Resolution = "mine" | "theirs" | { value: unknown };

/** By conflict id. Checked in one loop: a schema for each of thousands would keep others waiting. */
const Resolutions = z.unknown().transform((given, context): Record<string, Resolution> => {
  if (isRecord(given) && Object.keys(given).length > limits.resolutionsMax)
    context.addIssue({ code: "custom", message: `A merge can have at most ${limits.resolutionsMax} decisions.` });
  else if (isResolutions(given)) return given;
  else context.addIssue({ code: "custom", message: 'Each conflict is decided by "mine", "theirs" or a value.' });
  return z.NEVER;
});

function isResolutions(given: unknown): given is Record<string, Resolution> {
  return isRecord(given) && Object.values(given).every(isResolution);
}

function isResolution(given: unknown): boolean {
  return given === "mine" || given === "theirs" || (isRecord(given) && Object.hasOwn(given, "value"));
}

/** The revisions of the preview that the person saw. When either side changed since, the merge is refused. */
export const MergeBody = MergePreviewBody.extend({
  theirs_revision: numberBetween("theirs_revision", { min: 0, max: 2_147_483_647 }, "whole"),
  mine_revision: numberBetween("mine_revision", { min: 0, max: 2_147_483_647 }, "whole"),
  resolutions: formJson(Resolutions, "Invalid JSON", limits.mergeBodyMax).default({}),
});
export type MergeBody = z.infer<typeof MergeBody>;

/** A folder of files comes as a zip in the same form. Its revision is always 0. */
export const MergeFilesBody = MergeBody.omit({ from: true });
export type MergeFilesBody = z.infer<typeof MergeFilesBody>;

/** Without a name or description, the workflow gets those in the folder. */
export const WorkflowFromFilesBody = z.object({
  project_id: Id,
  name: requiredText("Name", formText.nameMax).optional(),
  description: optionalText("Description", formText.descriptionMax).optional(),
});
export type WorkflowFromFilesBody = z.infer<typeof WorkflowFromFilesBody>;
