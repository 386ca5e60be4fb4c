import { withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import { sameJson } from "@miranda/contract/json.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { VersionNode } from "@miranda/contract/schemas/versions.ts";

import { storable } from "../../../platform/database/storable-json.ts";
import type { NodeRow } from "../../../model/graph-rows.ts";
import type { NodeColumns } from "./replace-content-queries.ts";

/** What a node had before: its row, or what is kept of it after it was deleted. */
export type Before = Pick<NodeRow, "field_values" | "git" | "tag_users"> | undefined;

interface Given {
  node: VersionNode;
  api: NodeApi;
  before: Before;
  accountId: string;
  /** Whether the caller may link a node to this template, or the node is linked to it already. */
  keepsTemplate: boolean;
}

/** The columns of a node as a version has it. Its secret values and git credentials stay as they are. */
export function columnsOf({ node, api, before, accountId, keepsTemplate }: Given): NodeColumns {
  const template = keepsTemplate ? node.template : null;
  return storable({
    class: node.class,
    name: node.name,
    description: node.description,
    order: node.order,
    x: node.position.x,
    y: node.position.y,
    colour: node.colour,
    api,
    field_values: valuesOf(node, api, before?.field_values ?? {}),
    body: node.body ?? null,
    source_code: node.source_code,
    tags: node.tags,
    tag_users: Object.fromEntries(node.tags.map((tag) => [tag, before?.tag_users[tag] ?? accountId])),
    locked: node.locked,
    git: before?.git && withoutCredentials(before.git) === node.git ? before.git : node.git,
    git_branch: node.git_branch,
    update_policy: template || !node.template ? node.update_policy : null,
    template_id: template?.id ?? null,
    template_ref: template?.ref ?? null,
    template_version: template?.version ?? null,
  });
}

/**
 * A version has no secret values and none of attributes that its code does not declare, so these stay. A value that was
 * secret and no longer would be is dropped: readers would see it.
 */
function valuesOf(node: VersionNode, api: NodeApi, before: Record<string, unknown>): Record<string, unknown> {
  const shown = new Set(
    api.attributes.filter(({ control }) => control?.type !== "secret").map((attribute) => attribute.name),
  );
  const kept = Object.entries(before).filter(([name]) => !shown.has(name));
  const given = Object.entries(node.values).filter(([name]) => shown.has(name));
  return Object.fromEntries([...kept, ...given]);
}

/** The names of the columns in which a row differs. */
export function changedColumns(row: NodeRow, wanted: NodeColumns): Set<keyof NodeColumns> {
  const now: NodeColumns = {
    class: row.class,
    name: row.name,
    description: row.description,
    order: row.order,
    // A minus zero of the database is a zero in JSON.
    x: row.x + 0,
    y: row.y + 0,
    colour: row.colour,
    api: parseNodeApi(row.api),
    field_values: row.field_values,
    body: row.body ?? null,
    source_code: row.source_code,
    tags: row.tags,
    tag_users: wanted.tag_users,
    locked: row.locked,
    git: row.git,
    git_branch: row.git_branch,
    update_policy: row.update_policy,
    template_id: row.template_id,
    template_ref: row.template_ref,
    template_version: row.template_version,
  };
  const changed = new Set<keyof NodeColumns>();
  for (const column of columnNames) if (!sameJson(now[column], wanted[column])) changed.add(column);
  return changed;
}

const columnNames = [
  "class",
  "name",
  "description",
  "order",
  "x",
  "y",
  "colour",
  "api",
  "field_values",
  "body",
  "source_code",
  "tags",
  "locked",
  "git",
  "git_branch",
  "update_policy",
  "template_id",
  "template_ref",
  "template_version",
] as const satisfies readonly (keyof NodeColumns)[];
