import { z } from "zod";

import { Id, requiredText } from "../forms.ts";
import { formText } from "../../limits.ts";
import { AliasName } from "./versions.ts";

// A version at work: as a node of a workflow, or as a deployment.

/** Left out: this very version. With an alias, every run loads the version that has the alias then. */
const Follow = AliasName.optional();

/** `POST /api/v3/models/{id}/versions/{n}/node`: adds a node that loads the version to a workflow of the project. */
export const InsertModelBody = z.object({ graph_id: Id, alias: Follow });
export type InsertModelBody = z.infer<typeof InsertModelBody>;

export const InsertedModel = z.object({
  graph_id: z.string(),
  wob_key: z.number(),
  name: z.string(),
  /** Where the node is in the product. */
  address: z.string(),
});
export type InsertedModel = z.infer<typeof InsertedModel>;

/**
 * `POST /api/v3/models/{id}/versions/{n}/deploy`: makes a workflow that asks for the inputs of the signature and predicts,
 * and publishes it. `address` leads to the form of its deployment, which begins with those inputs.
 */
export const DeployModelBody = z.object({ name: requiredText("Name", formText.nameMax).optional(), alias: Follow });
export type DeployModelBody = z.infer<typeof DeployModelBody>;

export const DeployedModel = z.object({
  project_id: z.string(),
  graph_id: z.string(),
  name: z.string(),
  /** The number of the published version. */
  version: z.number(),
  address: z.string(),
});
export type DeployedModel = z.infer<typeof DeployedModel>;

/** `GET /api/v3/models/{id}/versions/{n}/code`: the code of that node, for "Use it". */
export const ModelCodeQuery = z.object({ alias: Follow });
export type ModelCodeQuery = z.infer<typeof ModelCodeQuery>;

export const ModelCode = z.object({ source_code: z.string() });
export type ModelCode = z.infer<typeof ModelCode>;
