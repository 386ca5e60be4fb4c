import { fieldProblem, type FieldProblem, problemsOf } from "@miranda/contract/graph/attributes/field-problem.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { resolveGraph } from "@miranda/contract/graph/resolution/resolve-graph.ts";
import type { Attribute, NodeApi } from "@miranda/contract/schemas/attributes.ts";
import { messages } from "@miranda/contract/words/messages.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import { mapInSlices } from "../../platform/time-slicing.ts";
import { withValues } from "../../model/graph-rows.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import { codeQueries } from "./code-queries.ts";

interface Dependencies {
  db: Db;
  graphs: Pick<Graphs, "content">;
}

/** Which nodes a run reaches, and what its unsaved code declares. */
export interface CheckedRun {
  isReached: (node: { metadata_id: number }) => boolean;
  declared?: ReadonlyMap<number, readonly Attribute[]>;
}

/** Refuses runs of nodes with a field that nobody can read: they would use another value than the one on the screen. */
export function createUnfitFields({ db, graphs }: Dependencies) {
  const queries = codeQueries(db);

  async function refuse(graphId: string, { isReached, declared = new Map() }: CheckedRun): Promise<void> {
    const reached = (await queries.withValues(graphId)).filter(isReached);
    const found = await mapInSlices(reached, ({ metadata_id, api, field_values }) => {
      const set = withValues(declaredBy(parseNodeApi(api), declared.get(metadata_id)), field_values, false);
      return set.attributes.some((attribute) => fieldProblem(attribute) !== undefined) ? [metadata_id] : [];
    });
    const problem = found.length > 0 ? await firstProblem(graphId, found.flat(), declared) : undefined;
    if (!problem) return;
    const { node, name, field, words } = problem;
    throw new AppError("field_unfit", messages.unfitField(name, words), undefined, { node, field });
  }

  /** Only the whole graph tells which fields get their value through an edge. */
  async function firstProblem(
    graphId: string,
    suspects: readonly number[],
    declared: ReadonlyMap<number, readonly Attribute[]>,
  ): Promise<(FieldProblem & { node: number; name: string }) | undefined> {
    const { graph, values } = await graphs.content(graphId);
    const nodes = { ...graph.nodes };
    for (const [id, attributes] of declared) {
      const node = nodes[id];
      if (node) nodes[id] = { ...node, api: withValues(declaredBy(node.api, attributes), values.get(id) ?? {}, false) };
    }
    // A disabled node sends nothing, so the field's own value counts.
    const edges = graph.edges.filter(({ source_wob_key: source }) => nodes[source]?.api.disabled === false);
    const resolved = resolveGraph({ nodes, edges }).nodes;
    for (const id of suspects) {
      const node = resolved[id];
      const [problem] = node ? problemsOf(node) : [];
      if (node && problem) return { ...problem, node: id, name: node.name };
    }
    return undefined;
  }

  return { refuse };
}

function declaredBy(api: NodeApi, attributes: readonly Attribute[] | undefined): NodeApi {
  return attributes ? { ...api, attributes: [...attributes] } : api;
}
