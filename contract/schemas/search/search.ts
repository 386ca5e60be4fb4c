import { z } from "zod";

import { formText } from "../../limits.ts";
import { RunState } from "../../run-states.ts";
import { requiredText } from "../forms.ts";
import { Workflow } from "../graphs.ts";

/** The search over everything except projects, which have their own list. */
export const SearchQuery = z.object({ query: requiredText("Query", formText.queryMax) });
export type SearchQuery = z.infer<typeof SearchQuery>;

const FoundNode = z.object({
  metadata_id: z.number(),
  name: z.string(),
  graph: z.object({ id: z.string(), name: z.string() }),
  project_id: z.string(),
});

const FoundModel = z.object({ id: z.string(), name: z.string(), project_name: z.string() });

const FoundRun = z.object({
  id: z.string(),
  /** The name of its workflow. */
  name: z.string(),
  state: RunState,
  time_began: z.string(),
});

const FoundPerson = z.object({
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  avatar: z.string().nullable(),
});

const FoundDeployment = z.object({
  id: z.string(),
  /** The name in the address of its app. */
  name: z.string(),
  title: z.string(),
  /** Its page, for those who may read the project. The others have its app. */
  page: z.object({ project_id: z.string(), graph_id: z.string() }).nullable(),
});

/** What was found of each kind: a few of the best, only what the caller may read. */
export const SearchAnswer = z.object({
  workflows: z.array(Workflow),
  nodes: z.array(FoundNode),
  models: z.array(FoundModel),
  runs: z.array(FoundRun),
  people: z.array(FoundPerson),
  deployments: z.array(FoundDeployment),
  /** Something took too long and was left out. */
  incomplete: z.boolean(),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;
