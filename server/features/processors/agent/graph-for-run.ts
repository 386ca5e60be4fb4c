import type { Engine } from "../../../engines/engine.ts";
import type { ProcessorSettings } from "../../../platform/settings/processor-settings.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { VersionForRun } from "../../versions/versions-service.ts";
import { toRunnerGraph } from "./graph-for-agent.ts";

interface Dependencies {
  graphs: Pick<Graphs, "content">;
  versionForRun: VersionForRun;
  engine: Pick<Engine, "volume" | "packagesWanted">;
  settings: Pick<ProcessorSettings, "mostFiles">;
}

/** Reads the graph for the worker of a session: as it is, with the rows it is made from, or as a version has it. */
export function createGraphForRun({ graphs, versionForRun, engine, settings }: Dependencies) {
  return async (
    { graph_id, project_id }: { graph_id: string | null; project_id: string | null },
    versionId: string | null,
  ) => {
    if (!graph_id) return { graph: { nodes: [], edges: [] } };
    const read =
      versionId === null
        ? await graphs.content(graph_id)
        : { ...(await versionForRun(graph_id, versionId)), rows: undefined };
    const graph = toRunnerGraph(read.graph, read.values, {
      volumeFolder: (name) => engine.volume(project_id ?? graph_id, name),
      mostFiles: settings.mostFiles,
    });
    if (graph.nodes.some(({ source_code }) => source_code.includes("# /// script"))) await engine.packagesWanted?.();
    return { graph, rows: read.rows };
  };
}
