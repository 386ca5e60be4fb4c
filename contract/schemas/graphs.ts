import { z } from "zod";

import { Id, OptionalId, yesOrNo } from "./forms.ts";
import { Description, Name, PageQuery } from "./projects.ts";

export const Workflow = z.object({
  id: z.string(),
  metadata_id: z.number(),
  name: z.string(),
  description: z.string(),
  parent: z.object({ id: z.string(), name: z.string() }),
});
export type Workflow = z.infer<typeof Workflow>;

export const WorkflowList = z.array(Workflow);
export type WorkflowList = z.infer<typeof WorkflowList>;

export const BrowseGraphsQuery = PageQuery.extend({
  /** Only workflows in the caller's own projects, or only the others. */
  owned: yesOrNo("owned").optional(),
});
export type BrowseGraphsQuery = z.infer<typeof BrowseGraphsQuery>;

export const CreateGraphBody = z.object({ name: Name, description: Description.default(""), project_id: Id });
export type CreateGraphBody = z.infer<typeof CreateGraphBody>;

export const PatchGraphBody = z.object({
  name: Name.optional(),
  description: Description.optional(),
  dest_parent_id: OptionalId,
});
export type PatchGraphBody = z.infer<typeof PatchGraphBody>;

export const CloneGraphBody = z.object({ to_project: Id });
export type CloneGraphBody = z.infer<typeof CloneGraphBody>;

/** What a graph's calls name in their address. */
export const GraphParams = z.object({ graphId: Id });
export type GraphParams = z.infer<typeof GraphParams>;

/** With include_updates, nodes made from a template include whether it has newer code. */
export const GraphQuery = z.object({ include_updates: yesOrNo("include_updates").default(false) });
export type GraphQuery = z.infer<typeof GraphQuery>;

export const ImportReport = z.object({
  nodes: z.number(),
  edges: z.number(),
  groups: z.number(),
  /** What could not be imported unchanged, in sentences for the person who imports. */
  notes: z.array(z.string()),
});
export type ImportReport = z.infer<typeof ImportReport>;
