import { z } from "zod";

import { formText } from "../limits.ts";
import { optionalText, requiredText, yesOrNo } from "./forms.ts";
import { PageKeyQuery } from "./pages.ts";

export const Name = requiredText("Name", formText.nameMax);
export const Description = optionalText("Description", formText.descriptionMax);

export const Visibility = z.enum(["public", "private"], "Visibility must be public or private.");
export type Visibility = z.infer<typeof Visibility>;

/** What the asking account may do with a project. */
export const ProjectAccess = z.enum(["owner", "editor", "viewer"]);
export type ProjectAccess = z.infer<typeof ProjectAccess>;

const Creator = z.object({ you: z.boolean(), avatar: z.string().nullable(), first_name: z.string() });
export type Creator = z.infer<typeof Creator>;

/** A project as lists show it. */
export const Project = z.object({
  id: z.string(),
  metadata_id: z.number(),
  name: z.string(),
  description: z.string(),
  following: z.boolean(),
  created_by: Creator,
  visibility: Visibility,
  access: ProjectAccess,
});
export type Project = z.infer<typeof Project>;

export const ProjectList = z.array(Project);
export type ProjectList = z.infer<typeof ProjectList>;

/** A workflow as its project lists it. */
export const KnowledgeObject = z.object({
  id: z.string(),
  metadata_id: z.number(),
  name: z.string(),
  description: z.string(),
});
export type KnowledgeObject = z.infer<typeof KnowledgeObject>;

export const KnowledgeObjectList = z.array(KnowledgeObject);
export type KnowledgeObjectList = z.infer<typeof KnowledgeObjectList>;

/** With the newest workflows only. The others are fetched by page. */
export const ProjectDetails = z.object({ project: Project, knowledge_objects: KnowledgeObjectList });
export type ProjectDetails = z.infer<typeof ProjectDetails>;

export const SearchText = optionalText("Query", formText.queryMax);

/** A page of the items whose names contain `query`. */
export const PageQuery = PageKeyQuery.extend({ query: SearchText.default("") });
export type PageQuery = z.infer<typeof PageQuery>;

export const BrowseProjectsQuery = PageQuery.extend({
  include_own: yesOrNo("include_own").default(false),
  /** Only projects into which the caller may put a workflow. */
  writable: yesOrNo("writable").default(false),
  /** Only projects of the person with this username. */
  by: optionalText("by", formText.queryMax).optional(),
});
export type BrowseProjectsQuery = z.infer<typeof BrowseProjectsQuery>;

/** Without a visibility, the installation's setting decides. */
export const CreateProjectBody = z.object({
  name: Name,
  description: Description.default(""),
  visibility: Visibility.optional(),
});
export type CreateProjectBody = z.infer<typeof CreateProjectBody>;

export const PatchProjectBody = z.object({ name: Name, description: Description, visibility: Visibility }).partial();
export type PatchProjectBody = z.infer<typeof PatchProjectBody>;

/** With preview=true, only lists what would be deleted. */
export const DeleteQuery = z.object({ preview: yesOrNo("preview").default(false) });
export type DeleteQuery = z.infer<typeof DeleteQuery>;

export const DeletePreview = z.object({
  id: z.string(),
  name: z.string(),
  graphs: z.number(),
  nodes: z.number(),
  running_processors: z.number(),
  /** Those that it would end, and the titles of the first ones. */
  deployments: z.number(),
  deployment_titles: z.array(z.string()),
});
export type DeletePreview = z.infer<typeof DeletePreview>;
