import type { SearchAnswer } from "@miranda/contract/schemas/search/search.ts";

import type { Db } from "../../platform/database/database.ts";
import { searchByIndex } from "../../platform/database/name-search-queries.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { avatarAddress } from "../auth/auth-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { Runs } from "../runs/runs-service.ts";
import { boundTime, createSearchQueries } from "./search-queries.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "accessExpression">;
  graphs: Pick<Graphs, "browse">;
  runs: Pick<Runs, "list">;
}

type Names = Pick<SearchAnswer, "nodes" | "models" | "people" | "deployments">;

/** How many of each kind are found. */
const limit = 8;
/** The list also finds workflows by their project's name. They are removed, so more are asked for. */
const workflowsLookedAt = 60;
const milliseconds = 1_000;
const canceled = "57014";

export type Search = ReturnType<typeof createSearch>;

/** Finds workflows, nodes, models, runs, people and deployments by their names: only what the caller may read. */
export function createSearch({ db, projects, graphs, runs }: Dependencies) {
  async function byNames(caller: Caller, query: string): Promise<Names & { incomplete: boolean }> {
    const search = { caller, access: projects.accessExpression(caller), query, limit };
    const found: Names = { nodes: [], models: [], people: [], deployments: [] };
    try {
      await searchByIndex(db, async (trx) => {
        await boundTime(trx, milliseconds);
        const queries = createSearchQueries(trx);
        found.models = await queries.models(search);
        found.deployments = (await queries.deployments(search)).map(
          ({ is_readable, project_id, graph_id, ...row }) => ({
            ...row,
            page: is_readable ? { project_id, graph_id } : null,
          }),
        );
        found.people = (await queries.people(search)).map(({ id, avatar_version, ...row }) => ({
          ...row,
          avatar: avatarAddress(id, avatar_version),
        }));
        found.nodes = (await queries.nodes(search)).map(({ graph_id, graph_name, ...row }) => ({
          ...row,
          graph: { id: graph_id, name: graph_name },
        }));
      });
      return { ...found, incomplete: false };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === canceled)) throw error;
      return { ...found, incomplete: true };
    }
  }

  return {
    async find(caller: Caller, query: string): Promise<SearchAnswer> {
      const [workflows, { runs: found }, names] = await Promise.all([
        graphs.browse(caller, { query, limit: workflowsLookedAt }),
        runs.list(caller, { query, limit }),
        byNames(caller, query),
      ]);
      return {
        workflows: workflows.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase())).slice(0, limit),
        runs: found.map(({ id, graph, state, time_began }) => ({ id, name: graph.name, state, time_began })),
        ...names,
      };
    },
  };
}
