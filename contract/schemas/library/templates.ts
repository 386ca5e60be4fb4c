import { z } from "zod";

import { batch, formText, node, template as templateLimits } from "../../limits.ts";
import { NodeApi } from "../attributes.ts";
import { formJson, Id, IdParams, MetadataId, numberBetween, optionalText, requiredText, yesOrNo } from "../forms.ts";
import { NodeClass } from "../nodes.ts";
import { PageKeyQuery } from "../pages.ts";
import { Description, Name, SearchText } from "../projects.ts";

const versions = { min: 1, max: templateLimits.versionMost };

const Template = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  /** Part of what the installation ships; nobody may change it. */
  shipped: z.boolean(),
  /** Published by the caller. */
  yours: z.boolean(),
  public: z.boolean(),
  version: z.number(),
  /** Not in the library. Its owner still has it among their own templates. */
  withdrawn: z.boolean(),
  last_updated: z.string(),
  /** The shelf of the shipped library that it is on. */
  category: z.string().optional(),
  /** The address of a picture of what it shows, for templates of the shipped library. */
  picture: z.string().optional(),
});

/** A node published as a template. */
export const Prefab = Template.extend({ class: NodeClass, api: NodeApi });
export type Prefab = z.infer<typeof Prefab>;

export const PrefabList = z.array(Prefab);
export type PrefabList = z.infer<typeof PrefabList>;

export const PrefabDetails = Prefab.extend({ source_code: z.string(), body: z.unknown() });
export type PrefabDetails = z.infer<typeof PrefabDetails>;

/** A subgraph published as a template. */
export const Blueprint = Template.extend({ node_count: z.number(), edge_count: z.number() });
export type Blueprint = z.infer<typeof Blueprint>;

export const BlueprintList = z.array(Blueprint);
export type BlueprintList = z.infer<typeof BlueprintList>;

/** Templates are listed by name. `after_name` and `after` are the name and the id of the last one of the page before. */
export const TemplatePageQuery = PageKeyQuery.extend({ after_name: Name.optional(), query: SearchText.default("") });
export type TemplatePageQuery = z.infer<typeof TemplatePageQuery>;

const described = {
  name: Name,
  description: Description,
  tags: formJson(
    z.array(requiredText("Tag", formText.tagMax), "Tags must be a list.").max(node.tagsMax),
    "Tags must be a list.",
  ),
  public: yesOrNo("public"),
};

/** Missing fields are taken from the node. Without `public` a template is as visible as its project. */
export const PublishPrefabBody = z.object({ metadata_id: MetadataId, ...z.object(described).partial().shape });
export type PublishPrefabBody = z.infer<typeof PublishPrefabBody>;

export const PublishBlueprintBody = z.object({
  project_id: Id,
  metadata_ids: formJson(
    z
      .array(MetadataId, "metadata_ids must be a list.")
      .min(1, "Choose at least one node.")
      .max(batch.nodesMax, `At most ${batch.nodesMax} nodes at once.`),
  ),
  ...z.object(described).partial().shape,
  name: Name,
});
export type PublishBlueprintBody = z.infer<typeof PublishBlueprintBody>;

/** With `metadata_id` a prefab takes that node's present code; with `project_id` and `metadata_ids`, a blueprint. */
export const PatchTemplateBody = z
  .object({
    ...described,
    metadata_id: MetadataId,
    project_id: Id,
    metadata_ids: PublishBlueprintBody.shape.metadata_ids,
    /** What is new in this version, for the people who use it. */
    changes: optionalText("changes", templateLimits.changesMax),
    /** The version that the newer one is based on. The call is refused when another one was published since. */
    base_version: numberBetween("base_version", versions, "whole"),
    /** Withdrawn templates are not in the library. Nodes made from them keep working. */
    withdrawn: yesOrNo("withdrawn"),
  })
  .partial();
export type PatchTemplateBody = z.infer<typeof PatchTemplateBody>;

/** One of the caller's templates, with how much it is used. */
export const OwnTemplate = Template.extend({
  kind: z.enum(["prefab", "blueprint"]),
  node_count: z.number(),
  /** How many nodes are linked to it, in how many workflows. */
  used_by: z.object({ nodes: z.number(), workflows: z.number() }),
});
export type OwnTemplate = z.infer<typeof OwnTemplate>;

export const OwnTemplateList = z.array(OwnTemplate);
export type OwnTemplateList = z.infer<typeof OwnTemplateList>;

/** A published version. Templates of the shipped library have none. */
export const TemplateVersion = z.object({
  version: z.number(),
  /** What its owner said about it; may be empty. */
  changes: z.string(),
  /** The username of who published it; null once the account is deleted. */
  by: z.string().nullable(),
  time_published: z.string(),
});
export type TemplateVersion = z.infer<typeof TemplateVersion>;

export const TemplateVersionList = z.array(TemplateVersion);
export type TemplateVersionList = z.infer<typeof TemplateVersionList>;

export const TemplateVersionParams = IdParams.extend({
  version: numberBetween("version", versions, "whole"),
});

/** The code of a version, node by node. */
export const TemplateCode = z.object({
  nodes: z.array(z.object({ ref: z.string(), name: z.string(), source_code: z.string() })),
});
export type TemplateCode = z.infer<typeof TemplateCode>;

/** The workflows that use a template, as far as the caller may read them. */
export const TemplateUses = z.object({
  workflows: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      project: z.object({ id: z.string(), name: z.string() }),
      nodes: z.number(),
      oldest_version: z.number(),
    }),
  ),
  /** How many more workflows use it. */
  others: z.number(),
});
export type TemplateUses = z.infer<typeof TemplateUses>;

/** What taking the newest version of its template would change in a node. */
export const TemplateOffer = z.object({
  version: z.number(),
  /** The versions since the node's, newest first. */
  changes: TemplateVersionList,
  source_code: z.string(),
  /** Ports that edges end at and that the newer code does not have. */
  lost_ports: z.array(z.object({ name: z.string(), edges: z.number() })),
  /** Packages of which the newer code and another node of the workflow want different versions. */
  /** The newest run in which the node ran with the code that it has. */
  last_run: z.string().nullable(),
  package_conflicts: z.array(z.object({ wanted: z.string(), present: z.string(), node: z.string() })),
});
export type TemplateOffer = z.infer<typeof TemplateOffer>;

/** The version that the person looked at. The update is refused when another one was published since. */
export const TakeUpdateBody = z.object({ version: numberBetween("version", versions, "whole").optional() }).nullish();
export type TakeUpdateBody = z.infer<typeof TakeUpdateBody>;
