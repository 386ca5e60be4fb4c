import { bodyAttributes } from "@miranda/contract/graph/new-node.ts";
import { isBodyClass } from "@miranda/contract/schemas/node-bodies.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { VersionNode } from "@miranda/contract/schemas/versions.ts";

import type { NodeRow } from "../../../model/graph-rows.ts";
import type { Declare } from "../../declarations/declarations-service.ts";
import { declaredOnly } from "../../nodes/node-code-service.ts";
import { secretNames } from "../store/content-of-rows.ts";
import type { VersionContent } from "../version-content.ts";

interface Wish {
  node: VersionNode;
  /** The node as it is. */
  row: NodeRow | undefined;
}

/**
 * The api of each node, by lineage. It is read from the code unless it is known: code that the node has already, or that
 * one of the `trusted` contents has, which were read from a workflow.
 */
export async function apisOf(
  wishes: readonly Wish[],
  trusted: readonly VersionContent[],
  declare: Declare,
): Promise<Map<string, NodeApi>> {
  const apis = new Map<string, NodeApi>();
  const unread: Wish[] = [];
  for (const wish of wishes) {
    const known = knownApi(wish, trusted);
    if (known) apis.set(wish.node.lineage, { ...known, disabled: wish.node.api.disabled });
    else unread.push(wish);
  }
  if (unread.length === 0) return apis;
  const read = await declare(unread.map(({ node: { name, source_code } }) => ({ name, source_code })));
  for (const [at, declared] of read.entries()) {
    const wish = unread[at];
    if (!wish) continue;
    const { node, row } = wish;
    // Wrong code keeps the last good attributes.
    const last = row ? parseNodeApi(row.api).attributes : node.api.attributes;
    const attributes = declared.error === null ? declared.attributes : last;
    apis.set(node.lineage, {
      compiled: declared.error === null,
      error: declared.error,
      disabled: node.api.disabled,
      attributes: withPolicyReceivers(attributes.map(declaredOnly)),
    });
  }
  return apis;
}

function knownApi({ node, row }: Wish, trusted: readonly VersionContent[]): NodeApi | undefined {
  if (row?.class === node.class && row.source_code === node.source_code) return parseNodeApi(row.api);
  if (isBodyClass(node.class))
    return { compiled: true, error: null, disabled: false, attributes: bodyAttributes(node.class) };
  for (const { nodes } of trusted) {
    const same = nodes.get(node.lineage);
    // A version has no defaults of secrets.
    if (same?.source_code === node.source_code && secretNames(same.api).size === 0) return same.api;
  }
  return undefined;
}
