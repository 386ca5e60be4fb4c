import { durationText } from "@miranda/contract/words/duration-text.ts";
import { model as limits } from "@miranda/contract/limits.ts";
import type { Lineage, MadeModel, MadeModels } from "@miranda/contract/schemas/models/lineage.ts";
import type { VersionKey } from "@miranda/contract/schemas/versions.ts";
import { fileSize } from "@miranda/contract/words/file-size.ts";
import { stateWords } from "@miranda/contract/words/state-words.ts";

import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { Nodes } from "../../nodes/nodes-service.ts";
import type { Runs } from "../../runs/runs-service.ts";
import type { Versions } from "../../versions/versions-service.ts";
import {
  commitAddress,
  deploymentAddress,
  modelAddress,
  nodeAddress,
  runAddress,
  trackedRunAddress,
  versionAddress,
} from "../addresses.ts";
import type { VersionRow } from "../versions/version-rows-queries.ts";
import { metricValue } from "../versions/version-view.ts";
import type { ModelVersions } from "../versions/versions-service.ts";
import { sharesOf } from "../../runs/node-costs.ts";
import { tookSeconds } from "../../runs/run-times.ts";
import { lineageQueries, type LineageNodeRun, type LineageRun, type MadeRow } from "./lineage-queries.ts";
import { draw, drawFile, drawn, emptyPicture, fact, join, type Picture } from "./picture.ts";
import { filesOf, usedNodes } from "./used-nodes.ts";

interface Dependencies {
  db: Db;
  graphs: Pick<Graphs, "getGraph">;
  nodes: Pick<Nodes, "getNode">;
  runs: Pick<Runs, "getRun">;
  versions: Pick<Versions, "read" | "get">;
  models: Pick<ModelVersions, "getRow" | "describe">;
}

export type LineageFeature = ReturnType<typeof createLineage>;

/** Where versions of models came from, and what came of runs, workflows and nodes. */
export function createLineage({ db, graphs, nodes, runs, versions, models }: Dependencies) {
  const queries = lineageQueries(db);
  const made = async (rows: Promise<MadeRow[]>): Promise<MadeModels> => (await rows).map(toMade);

  /** The workflow as it was run: the nodes that the model came of, their code and what they used. */
  async function drawWorkflow(
    picture: Picture,
    caller: Caller,
    row: VersionRow,
    run: LineageRun | undefined,
    ran: ReadonlyMap<number, LineageNodeRun>,
    end: string,
  ): Promise<void> {
    if (row.graph_id === null) return;
    const { graph_id: graphId, project_id: projectId } = row;
    if (row.version_id === null) {
      draw(picture, {
        id: "workflow",
        kind: "workflow",
        label: row.graph_name ?? "",
        detail: "Its version is not stored.",
      });
      join(picture, "workflow", end);
      return;
    }
    const version = { id: row.version_id, number: row.version_number };
    const { content, version: described } = await versions.read(caller, graphId, row.version_id);
    draw(picture, {
      ...{ id: "workflow", kind: "workflow", label: row.graph_name ?? "" },
      detail: version.number === null ? (described?.time_created ?? "") : `Version ${version.number}`,
      facts: [
        ...fact("Name", row.version_name),
        ...fact("Nodes", content.nodes.size),
        ...fact("Stored", described?.time_created),
      ],
      address: versionAddress(projectId, graphId, version),
    });
    join(picture, "workflow", end);
    const used = usedNodes(content, row.node_id ?? undefined);
    const ids = new Map(used.nodes.map(({ lineage, metadata_id }) => [lineage, `node ${metadata_id}`]));
    const costs = run && sharesOf({ cost: run.cost, installing: run.installing_seconds }, [...ran.values()]).nodes;
    for (const node of used.nodes) {
      const done = ran.get(node.metadata_id);
      const isDrawn = draw(picture, {
        ...{ id: `node ${node.metadata_id}`, kind: "node", label: node.name },
        detail: node.metadata_id === row.node_id ? "Made the model" : stateWords(done?.status ?? ""),
        facts: done ? [...fact("Took", durationText(done.seconds)), ...fact("State", stateWords(done.status))] : [],
        address: nodeAddress(projectId, graphId, node.metadata_id),
        cost: (done && costs?.get(done.node_id)) ?? null,
      });
      if (!isDrawn) continue;
      join(picture, `node ${node.metadata_id}`, "workflow");
      for (const file of filesOf(node))
        drawFile(picture, file, nodeAddress(projectId, graphId, node.metadata_id), `node ${node.metadata_id}`);
    }
    for (const { from, to } of used.edges) join(picture, ids.get(from) ?? "", ids.get(to) ?? "");
    await drawCommits(picture, row, used.nodes.slice(0, limits.lineageMax), run);
    await drawResults(picture, projectId, [...ran.values()]);
  }

  async function drawCommits(
    picture: Picture,
    row: VersionRow,
    used: readonly { metadata_id: number; source_code: string }[],
    run: LineageRun | undefined,
  ): Promise<void> {
    const codes = used.map(({ metadata_id: node, source_code: code }) => ({ node, code }));
    for (const { metadata_id, id, number, message } of await queries.commits(codes, run?.began_at ?? row.created_at)) {
      const node = `node ${metadata_id}`;
      draw(picture, {
        ...{ id: `commit ${id}`, kind: "commit", label: `Commit ${number}`, detail: message.slice(0, 100) },
        address: commitAddress(row.project_id, row.graph_id ?? "", metadata_id, id),
      });
      join(picture, `commit ${id}`, node);
    }
  }

  /** Results of earlier runs that were used instead of running a node again. */
  async function drawResults(picture: Picture, projectId: string, ran: readonly LineageNodeRun[]): Promise<void> {
    const used = ran.filter(
      ({ planned, result, node_id }) => !planned && result !== null && picture.nodes.has(`node ${node_id}`),
    );
    const kept = new Map(
      (
        await queries.results(
          projectId,
          used.map(({ result }) => result ?? ""),
        )
      ).map((one) => [one.key, one]),
    );
    for (const { node_id, name, result } of used) {
      const known = kept.get(result ?? "");
      const id = `result ${result}`;
      draw(picture, {
        ...{ id, kind: "result", label: `Kept result of ${name}`, detail: (result ?? "").slice(0, 12), gone: !known },
        facts: [
          ...fact("Key", result),
          ...fact("Size", known && fileSize(known.bytes)),
          ...fact("Kept", known?.created_at.toISOString()),
        ],
      });
      join(picture, id, `node ${node_id}`);
    }
  }

  function drawRun(picture: Picture, row: VersionRow, run: LineageRun | undefined): string {
    if (row.run_id === null && row.tracked_run_id === null) return "model";
    const seconds = run ? tookSeconds(run) : null;
    draw(picture, {
      ...{ id: "run", kind: "run", label: run ? `Run ${run.number}` : row.tracked_name || "Run" },
      detail: run?.state ?? row.tracked_status?.toLowerCase() ?? "",
      facts: [
        ...fact("By", run?.username ?? row.author),
        ...fact("Began", run?.began_at.toISOString()),
        ...fact("Took", seconds === null ? null : durationText(seconds)),
        ...fact("Experiment", row.experiment_name),
      ],
      address: run ? runAddress(run.id) : trackedAddress(row),
      gone: row.run_id !== null && !run,
      cost: run?.cost ?? null,
    });
    join(picture, "run", "model");
    return "run";
  }

  async function drawDatasets(picture: Picture, trackedRunId: string | null, user: string): Promise<void> {
    const found = trackedRunId === null ? [] : await queries.datasets(trackedRunId, limits.lineageMax + 1);
    for (const { name, digest, source_type, source, profile } of found) {
      const id = `dataset ${digest} ${name}`;
      const facts = [
        ...fact("Digest", digest),
        ...fact("Kind", source_type),
        ...fact("From", source),
        ...fact("Profile", profile),
      ];
      draw(picture, { id, kind: "dataset", label: name, detail: digest, facts });
      join(picture, id, user);
    }
  }

  return {
    async get(caller: Caller, modelId: string, number: number): Promise<Lineage> {
      const { row } = await models.getRow(caller, modelId, number);
      const picture = emptyPicture();
      draw(picture, {
        ...{ id: "model", kind: "model", label: `${row.model_name} ${number}`, detail: row.aliases.join(", ") },
        address: modelAddress(modelId, number),
      });
      const run = row.living_run === null ? undefined : await queries.run(row.living_run);
      const ran = new Map((run ? await queries.nodeRuns(run.id) : []).map((one) => [one.node_id, one]));
      const end = drawRun(picture, row, run);
      await drawWorkflow(picture, caller, row, run, ran, end);
      const maker = picture.nodes.has(`node ${row.node_id}`) ? `node ${row.node_id}` : end;
      await drawDatasets(picture, row.tracked_run_id, maker);
      const packages = run?.packages ?? {};
      if (run && (Object.keys(packages).length > 0 || run.python !== "")) {
        const count = Object.keys(packages).length;
        draw(picture, {
          ...{ id: "packages", kind: "packages", label: countWords(count) },
          detail: run.python === "" ? "" : `Python ${run.python}`,
          facts: Object.entries(packages)
            .slice(0, limits.lineageMax)
            .map(([label, value]) => ({ label, value })),
          address: runAddress(run.id),
        });
        join(picture, "packages", end);
      }
      const { deployments } = await models.describe(caller, modelId);
      for (const { id, title, graph_id, project_id, uri } of deployments.filter((one) => isOf(one.uri, row))) {
        draw(picture, {
          id: `deployment ${id}`,
          kind: "deployment",
          label: title,
          detail: uri,
          address: deploymentAddress(project_id, graph_id),
        });
        join(picture, "model", `deployment ${id}`);
      }
      return {
        ...drawn(picture),
        ...{ cost: run?.cost ?? null, seconds: run ? tookSeconds(run) : null, python: run?.python ?? "", packages },
      };
    },

    async ofRun(caller: Caller, runId: string): Promise<MadeModels> {
      const { row } = await runs.getRun(caller, runId, "read");
      return made(queries.made({ runId }, row.project_id, limits.madeMax));
    },

    async ofVersion(caller: Caller, graphId: string, key: VersionKey): Promise<MadeModels> {
      const { project_id: projectId } = await graphs.getGraph(caller, graphId, "read");
      const version = await versions.get(caller, graphId, key);
      return made(queries.made({ graphId, versionId: version.id }, projectId, limits.madeMax));
    },

    async ofNode(caller: Caller, node: number): Promise<MadeModels> {
      const { graph_id: graphId } = await nodes.getNode(caller, node, "read");
      const { project_id: projectId } = await graphs.getGraph(caller, graphId, "read");
      return made(queries.made({ graphId, nodeId: node }, projectId, limits.madeMax));
    },
  };
}

/** Where the run of a client is. Null for a run of a workflow that is gone. */
function trackedAddress({ project_id, experiment, tracked_run_id, run_id }: VersionRow): string | null {
  if (run_id !== null || experiment === null || tracked_run_id === null) return null;
  return trackedRunAddress(project_id, experiment, tracked_run_id);
}

/** Whether an address such as `models:/name@alias` leads to this version. */
function isOf(uri: string, { number, aliases }: VersionRow): boolean {
  return uri.endsWith(`/${number}`) || aliases.some((alias) => uri.endsWith(`@${alias}`));
}

export function toMade({ created_at, metrics, ...row }: MadeRow): MadeModel {
  const values = Object.entries(metrics).map(([name, value]) => [name, metricValue(value)] as const);
  return { ...row, metrics: Object.fromEntries(values), time_created: created_at.toISOString() };
}

function countWords(count: number): string {
  if (count === 0) return "No packages";
  return count === 1 ? "1 package" : `${count} packages`;
}
