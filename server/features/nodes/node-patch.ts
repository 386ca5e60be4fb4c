import { isGitBranch, parseGitAddress, withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import { isRecord } from "@miranda/contract/json.ts";
import type { ComputePolicy } from "@miranda/contract/schemas/policies.ts";
import { type BodyClass, bodySchemas } from "@miranda/contract/schemas/node-bodies.ts";
import type { PatchNodeBody } from "@miranda/contract/schemas/nodes.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import { asJson, type NodeRow, type NodeUpdate } from "./nodes-queries.ts";

/** The settings of a compute policy, sent beside the other fields. */
export type PolicyFields = { [Key in keyof ComputePolicy]?: ComputePolicy[Key] | undefined };

/** The columns that a patch changes. */
export function fieldsOf(row: NodeRow, given: PatchNodeBody & PolicyFields): NodeUpdate {
  const { name, description, order, position, colour, locked, git, git_branch, update_policy } = given;
  const address = git ? parseGitAddress(git) : undefined;
  if (address && "refusal" in address) throw new AppError(address.refusal);
  if (git_branch && !isGitBranch(git_branch)) throw new AppError("git_branch");
  if (update_policy && !row.template_id) throw new AppError("not_template");
  const body = bodyOf(row, given);
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(order !== undefined && { order }),
    ...(position !== undefined && { x: position.x, y: position.y }),
    ...(colour !== undefined && { colour }),
    ...(locked !== undefined && { locked }),
    ...(git !== undefined && { git: git ? withoutCredentials(git) : null }),
    ...(git_branch !== undefined && { git_branch: git_branch || null }),
    ...(update_policy !== undefined && { update_policy }),
    ...(body !== undefined && { body: asJson(body) }),
  };
}

function bodyOf(row: NodeRow, given: PatchNodeBody & PolicyFields): object | undefined {
  const { cpu, ram_gb, gpu, image, max_minutes } = given;
  const flat = withoutUndefined({ cpu, ram_gb, gpu, image, max_minutes });
  if (given.body === undefined && Object.keys(flat).length === 0) return undefined;
  if (row.class === "Code_block") {
    if (given.body === undefined || given.body === null) return undefined;
    throw new AppError("code_block_has_no_body");
  }
  const sent = isRecord(given.body) ? given.body : {};
  return changedBody(row.class, row.body, { ...sent, ...flat });
}

/** The settings of a policy or the size of a note with some changed, checked as a whole. */
export function changedBody(kind: BodyClass, before: unknown, given: object): object {
  const old = isRecord(before) ? before : {};
  // A bucket's fields do not apply to a volume.
  const isOtherType = "type" in given && given.type !== old["type"];
  const merged = isOtherType ? given : { ...old, ...given };
  const parsed = bodySchemas[kind].safeParse(merged);
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", [...new Set(parsed.error.issues.map((issue) => issue.message))].join(" "));
}

function withoutUndefined(fields: PolicyFields): PolicyFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
