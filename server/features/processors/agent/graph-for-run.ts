import type { Engine } from "../../../engines/engine.ts";
import type { ProcessorSettings } from "../../../platform/settings/processor-settings.ts";
import type { Trial } from "../../../tables/run-tables.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { VersionForRun } from "../../versions/versions-service.ts";
import { type RunnerGraph, toRunnerGraph } from "./graph-for-agent.ts";

interface Dependencies {
  graphs: Pick<Graphs, "content" | "nameOf">;
  versionForRun: VersionForRun;
  engine: Pick<Engine, "volume" | "packagesWanted">;
  settings: Pick<ProcessorSettings, "mostFiles">;
}

/** Reads the graph for the worker of a session: as it is, with the rows it is made from, or as a version has it. */
export function createGraphForRun({ graphs, versionForRun, engine, settings }: Dependencies) {
  return async (
    { graph_id, project_id }: { graph_id: string | null; project_id: string | null },
    versionId: string | null,
    trial: Trial | null,
  ) => {
    if (!graph_id) return { graph: { name: "", nodes: [], edges: [] } satisfies RunnerGraph };
    const [name, read] = await Promise.all([
      graphs.nameOf(graph_id),
      versionId === null
        ? graphs.content(graph_id)
        : versionForRun(graph_id, versionId).then((version) => ({ ...version, rows: undefined })),
    ]);
    const room = {
      volumeFolder: (volume: string) => engine.volume(project_id ?? graph_id, volume),
      mostFiles: settings.mostFiles,
    };
    const graph: RunnerGraph = { name, ...toRunnerGraph(read.graph, read.values, room) };
    const tried = graph.nodes.find(({ id }) => id === trial?.node);
    if (tried && trial) tried.source_code = trial.source_code;
    if (graph.nodes.some(({ source_code }) => source_code.includes("# /// script"))) await engine.packagesWanted?.();
    return { graph, rows: read.rows };
  };
}
