import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";

import { newId } from "../../platform/crypto.ts";
import type { EdgeInsert, GroupInsert, NodeInsert } from "../../model/graph-inserts.ts";
import type { LinkedTemplate } from "../templates/template-links-service.ts";
import type { VersionContent } from "./version-content.ts";

/** The rows of a new workflow with the content of a version. `templates` are those that the caller may read. */
export function copiedContent(
  content: VersionContent,
  apis: ReadonlyMap<string, NodeApi>,
  templates: ReadonlyMap<string, LinkedTemplate>,
): { nodes: NodeInsert[]; edges: EdgeInsert[]; groups: GroupInsert[] } {
  const nodes = [...content.nodes.values()].map((node): NodeInsert => {
    const { lineage, metadata_id: _number, position, values, template, api, update_policy, ...rest } = node;
    const isLinked = template !== null && templates.get(template.id)?.refs.has(template.ref) === true;
    return {
      ...rest,
      ref: lineage,
      id: newId(),
      lineage,
      ...position,
      body: node.body ?? null,
      api: apis.get(lineage) ?? api,
      field_values: values,
      update_policy: isLinked || !template ? update_policy : null,
      ...(isLinked && { template_id: template.id, template_ref: template.ref, template_version: template.version }),
    };
  });
  const groups = [...content.groups.values()].map((group): GroupInsert => ({ ...group, id: newId() }));
  return { nodes, edges: [...content.edges.values()], groups };
}
