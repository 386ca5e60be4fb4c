import { z } from "zod";

import { batch, formText, node } from "../limits.ts";
import { NodeApi } from "./attributes.ts";
import { formJson, Id, MetadataId, requiredText, yesOrNo } from "./forms.ts";
import { NodeClass } from "./nodes.ts";
import { PageKeyQuery } from "./pages.ts";
import { Description, Name, SearchText } from "./projects.ts";

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
  })
  .partial();
export type PatchTemplateBody = z.infer<typeof PatchTemplateBody>;
