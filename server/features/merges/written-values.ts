import { bodySchemas, isBodyClass } from "@miranda/contract/schemas/node-bodies.ts";
import { errors } from "@miranda/contract/errors.ts";
import { readAttributeValue } from "@miranda/contract/graph/attributes/attribute-value.ts";
import { isGitBranch, parseGitAddress, withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import { node as limits } from "@miranda/contract/limits.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import { exactText, jsonLength, numberBetween, optionalText, yesOrNo } from "@miranda/contract/schemas/forms.ts";
import { FormColour, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";
import { Description, Name } from "@miranda/contract/schemas/projects.ts";
import type { VersionNode } from "@miranda/contract/schemas/versions.ts";
import type { z } from "zod";

import { storable } from "../../platform/database/storable-json.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ReadValue } from "./decisions.ts";

// What a person may write instead of choosing a side. It is checked as if it were set on the canvas.

const GitRepository = optionalText("Git", limits.gitMax)
  .refine((address) => address === "" || !("refusal" in parseGitAddress(address)), errors.git_scheme)
  .transform((address) => (address === "" ? null : withoutCredentials(address)))
  .nullable();
const GitBranch = optionalText("Git branch", limits.gitBranchMax)
  .refine((name) => name === "" || isGitBranch(name), errors.git_branch)
  .transform((name) => (name === "" ? null : name))
  .nullable();

export const written = {
  code: reader(exactText("Code", limits.sourceCodeMax)),
  name: reader(Name),
  description: reader(Description),
  order: reader(numberBetween("Order", { min: 0, max: limits.orderMax }, "whole")),
  colour: reader(FormColour),
  yesOrNo: (field: string) => reader(yesOrNo(field)),
  git: reader(GitRepository),
  gitBranch: reader(GitBranch),
  updatePolicy: reader(UpdatePolicy),
  label: reader(optionalText("Label", limits.edgeTextMax)),
} as const;

function reader<Value>(schema: z.ZodType<Value>): ReadValue<Value> {
  return (given) => {
    const read = schema.safeParse(given);
    if (read.success) return read.data;
    throw new AppError("wrong_value", [...new Set(read.error.issues.map(({ message }) => message))].join(" "));
  };
}

/** The value of an attribute, as one of the sides declares it. Code that nobody has read yet may declare another. */
export function writtenValue(name: string, apis: readonly NodeApi[]): ReadValue<unknown> {
  const declared = apis.flatMap(({ attributes }) => attributes).find((attribute) => attribute.name === name);
  return (given) => {
    if (jsonLength(given) > limits.attributeValueMax)
      throw new AppError("wrong_value", `A value can have at most ${limits.attributeValueMax} characters.`);
    if (!declared || given === undefined) return storable(given);
    const read = readAttributeValue(declared, given);
    if ("refusal" in read) throw new AppError("wrong_value", read.refusal);
    return storable(read.value);
  };
}

/** Refuses settings that a policy or a note cannot have. */
export function checkedBody(kind: VersionNode["class"], body: unknown): unknown {
  return isBodyClass(kind) ? reader<unknown>(bodySchemas[kind])(body) : body;
}
