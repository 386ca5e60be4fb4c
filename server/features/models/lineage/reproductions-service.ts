import type { Reproductions } from "@miranda/contract/schemas/models/lineage.ts";
import type { MetricValue } from "@miranda/contract/schemas/models/models.ts";

import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { type VersionRow, versionRowQueries } from "../versions/version-rows-queries.ts";
import type { ModelVersions } from "../versions/versions-service.ts";
import { tookSeconds } from "../../runs/run-times.ts";
import { lineageQueries, type LineageRun, type RepeatedRun } from "./lineage-queries.ts";

interface Dependencies {
  db: Db;
  models: Pick<ModelVersions, "getRow" | "described">;
}

const listed = 20;

export type ReproductionsFeature = ReturnType<typeof createReproductions>;

/** Whether a version can be made again, and what came of the runs that did. */
export function createReproductions({ db, models }: Dependencies) {
  const queries = lineageQueries(db);
  const rows = versionRowQueries(db);

  async function madeBy(row: VersionRow, runs: readonly RepeatedRun[]): Promise<Reproductions["made"]> {
    const numbers = runs.flatMap(({ number }) => number ?? []);
    const found = await rows.some(row.model_id, [row.number, ...numbers]);
    const versions = await models.described(row.project_id, found);
    const metricsOf = new Map(versions.map(({ number, metrics }) => [number, metrics]));
    const original = metricsOf.get(row.number) ?? {};
    return runs.map(({ id, state, began_at, number }) => ({
      ...{ run_id: id, state, number, time_began: began_at.toISOString() },
      differs: number === null ? null : differing(original, metricsOf.get(number) ?? {}),
    }));
  }

  return {
    async get(caller: Caller, modelId: string, number: number): Promise<Reproductions> {
      const { row } = await models.getRow(caller, modelId, number);
      const run = row.living_run === null ? undefined : await queries.run(row.living_run);
      const { run_id, graph_id } = row;
      const reason = refusal(row, run);
      const repeated =
        run_id === null || graph_id === null ? [] : await queries.repeated(run_id, graph_id, modelId, listed);
      return {
        ...{ possible: reason === "", reason, run_id: run?.id ?? null },
        graph: graph_id === null ? null : { id: graph_id, project_id: row.project_id, name: row.graph_name ?? "" },
        ...{ cost: run?.cost ?? null, seconds: run ? tookSeconds(run) : null },
        ...{ packages: Object.keys(run?.packages ?? {}).length, python: run?.python ?? "" },
        made: await madeBy(row, repeated),
      };
    },
  };
}

/** Why it cannot be made again; empty when it can. */
function refusal(row: VersionRow, run: LineageRun | undefined): string {
  if (row.run_id === null) return "No run of a workflow made this version. A client outside of Miranda did.";
  if (!run || row.graph_id === null) return "The run that made this version was removed.";
  if (run.ended_at === null) return "The run that made this version has not ended yet.";
  if (row.version_id === null) return "What the run was given is not stored.";
  return "";
}

type Metrics = Record<string, MetricValue | null>;

function differing(one: Metrics, other: Metrics): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.filter((name) => !Object.is(one[name] ?? null, other[name] ?? null));
}
