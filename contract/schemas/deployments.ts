import { z } from "zod";

import { formJson, Id } from "./forms.ts";
import { Description, Name } from "./projects.ts";

/** A field the owner ticked: one input of the deployment's form. */
export const ExposedField = z.object({ metadata_id: z.number(), name: z.string() });
export type ExposedField = z.infer<typeof ExposedField>;

/** A numbered, frozen copy of a graph. */
export const Deployment = z.object({
  id: z.string(),
  graph_id: z.string(),
  project_id: z.string(),
  number: z.number(),
  name: z.string(),
  description: z.string(),
  exposed: z.array(ExposedField),
  schedule: z.string().nullable(),
  time_created: z.string(),
});
export type Deployment = z.infer<typeof Deployment>;

export const DeploymentList = z.array(Deployment);
export type DeploymentList = z.infer<typeof DeploymentList>;

export const CreateDeploymentBody = z.object({
  graph_id: Id,
  name: Name,
  description: Description.default(""),
  exposed: formJson(z.array(ExposedField, "Exposed fields must be a list.")).optional(),
});
export type CreateDeploymentBody = z.infer<typeof CreateDeploymentBody>;

/** Values of the form, by node and then by field name. */
export const RunDeploymentBody = z.object({
  values: formJson(z.record(z.string(), z.record(z.string(), z.unknown()), "Values must be an object.")).optional(),
});
export type RunDeploymentBody = z.infer<typeof RunDeploymentBody>;
