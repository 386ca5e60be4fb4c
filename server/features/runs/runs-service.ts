import type { LogEntry, LogsQuery, NodeOutput } from "@miranda/contract/schemas/processors.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import type {
  RunDetails,
  RunException,
  RunLogsQuery,
  RunNode,
  RunOutputsQuery,
  RunPage,
  RunsQuery,
} from "@miranda/contract/schemas/runs.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Projects, Right } from "../projects/projects-service.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import type { IsKnown, Versions } from "../versions/versions-service.ts";
import { sharesOf } from "./node-costs.ts";
import { runTimes } from "./run-times.ts";
import { createRunLists } from "./run-lists-queries.ts";
import { readUsage } from "./run-usage-queries.ts";
import { isPrivateCall, toRun, withoutContent } from "./run-view.ts";
import { createRunQueries, type RunRow } from "./runs-queries.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "getProject">;
  graphs: Pick<Graphs, "getGraph" | "accessExpression">;
  versions: Pick<Versions, "graph">;
  realtime: Pick<Realtime, "publish">;
  /** The log of a session. */
  readLog: (jobId: string, query: LogsQuery) => Promise<AsyncIterable<LogEntry[]>>;
}

type Queries = ReturnType<typeof createRunQueries>;
type NodeRow = Awaited<ReturnType<Queries["nodes"]>>[number];
type ExceptionRow = Awaited<ReturnType<Queries["exceptions"]>>[number];

// How many of the last lines of a run are sent when nobody asks for those after a line.
const lastLines = 10_000;

export type Runs = ReturnType<typeof createRuns>;

/** Runs of workflows, for people. */
export function createRuns({ db, projects, graphs, versions, realtime, readLog }: Dependencies) {
  const queries = createRunQueries(db);
  const lists = createRunLists(db);

  /** Who may not read the workflow does not learn that there is such a run. */
  async function getRun(caller: Caller, id: string, right: Right): Promise<{ row: RunRow; access: ProjectAccess }> {
    const row = await queries.find(id);
    if (!row) throw new AppError("run_not_found");
    try {
      const { access } = await graphs.getGraph(caller, row.graph_id, right);
      return { row, access };
    } catch (error) {
      if (error instanceof AppError && error.code === "graph_not_found") throw new AppError("run_not_found");
      throw error;
    }
  }

  /** The same for what it was given, showed and logged: of a call that is for who called, and for editors. */
  async function getContent(caller: Caller, id: string): Promise<RunRow> {
    const { row, access } = await getRun(caller, id, "read");
    if (isPrivateCall(row, readerOf(caller, access))) throw new AppError("call_content_private");
    return row;
  }

  /** The runs of a page in which the caller may read nothing but their states. */
  async function privateAmong(caller: Caller, rows: readonly RunRow[]): Promise<(row: RunRow) => boolean> {
    const places = rows.filter((row) => isPrivateCall(row, caller.accountId)).map(({ project_id }) => project_id);
    const readOnly = await queries.readOnly([...new Set(places)], graphs.accessExpression(caller));
    return (row) => readOnly.has(row.project_id) && isPrivateCall(row, caller.accountId);
  }

  async function idsOf(caller: Caller, given: RunsQuery): Promise<string[]> {
    // A token of one project lists the runs of this project.
    const query = { ...given, project_id: given.project_id ?? caller.onlyProject ?? undefined };
    const filter = { ...query, query: query.query ?? "", limit: query.limit + 1 };
    const viewer = { accountId: caller.accountId, access: graphs.accessExpression(caller) };
    if (query.graph_id !== undefined) await graphs.getGraph(caller, query.graph_id, "read");
    if (query.project_id !== undefined) await projects.getProject(caller, query.project_id, "read");
    if (query.graph_id !== undefined || query.project_id !== undefined) return lists.ofPlace(filter);
    const isNarrow = query.job_id !== undefined || query.version_id !== undefined;
    return isNarrow ? lists.readable(filter, viewer) : lists.ofPerson(filter, viewer);
  }

  return {
    getRun,
    getContent,

    async list(caller: Caller, query: RunsQuery): Promise<RunPage> {
      const ids = await idsOf(caller, query);
      const shown = ids.slice(0, query.limit);
      const rows = shown.length > 0 ? await queries.listed(shown) : [];
      const isPrivate = await privateAmong(caller, rows);
      const runs = rows.map((row) => (isPrivate(row) ? withoutContent(toRun(row)) : toRun(row)));
      return { runs, next: ids.length > query.limit ? (shown.at(-1) ?? null) : null };
    },

    /** Variables of exceptions are not for readers. */
    async get(caller: Caller, id: string): Promise<RunDetails> {
      const { row, access } = await getRun(caller, id, "read");
      const [more, nodes, exceptions, models] = await Promise.all([
        queries.details(id),
        queries.nodes(id),
        queries.exceptions(id),
        queries.models(id),
      ]);
      const usage = more.usage ?? (row.ended_at === null ? await readUsage(db, id) : null);
      const isReader = access === "viewer";
      const isPrivate = isPrivateCall(row, readerOf(caller, access));
      const run = {
        ...toRun(row),
        ...more,
        usage,
        models,
        ...withCosts(row, nodes),
        exceptions: isPrivate ? [] : exceptions.map((exception) => toException(exception, isReader)),
      };
      return isPrivate ? withoutContent(run) : run;
    },

    /** What was run, as `versions.graph` gives it. */
    async graph(caller: Caller, id: string, isKnown: IsKnown): ReturnType<Versions["graph"]> {
      const { row } = await getRun(caller, id, "read");
      if (row.version_id === null) throw new AppError("run_graph_unknown");
      return versions.graph(caller, row.graph_id, row.version_id, isKnown);
    },

    async outputs(caller: Caller, id: string, query: RunOutputsQuery): Promise<NodeOutput[]> {
      const rows = await queries.outputs(await getContent(caller, id), query);
      return rows.map(({ node_id, show_id, ...output }) => ({ ...output, wob_key: node_id, id: show_id }));
    },

    /** The lines of the session's log that are the run's. None once the session is removed. */
    async logs(caller: Caller, id: string, { node, after }: RunLogsQuery): Promise<AsyncIterable<LogEntry[]>> {
      const row = await getContent(caller, id);
      const { first_line, last_line } = await queries.details(id);
      const log = await readLog(row.job_id, {
        after: Math.max(first_line - 1, after ?? (last_line === null ? 0 : last_line - lastLines)),
        ...(last_line !== null && { before: last_line + 1 }),
      });
      return node === undefined ? log : ofNode(log, node);
    },

    async remove(caller: Caller, id: string): Promise<void> {
      const { row } = await getRun(caller, id, "write");
      if (!(await queries.remove(row))) throw new AppError((await queries.find(id)) ? "run_alive" : "run_not_found");
      realtime.publish(row.graph_id, "delete[RUN]", { run_id: id });
    },
  };
}

/** The account of a person who only reads the workflow. */
function readerOf({ accountId }: Caller, access: ProjectAccess): string | undefined {
  return access === "viewer" ? accountId : undefined;
}

async function* ofNode(log: AsyncIterable<LogEntry[]>, node: number): AsyncGenerator<LogEntry[]> {
  for await (const entries of log) yield entries.filter(({ wob_key }) => wob_key === node);
}

function withCosts(row: RunRow, rows: readonly NodeRow[]): { run_nodes: RunNode[]; installing_cost: number } {
  const { nodes, installing } = sharesOf({ cost: row.cost, installing: runTimes(row).installing }, rows);
  return {
    run_nodes: rows.map(({ node_id, ...node }) => ({ ...node, wob_key: node_id, cost: nodes.get(node_id) ?? 0 })),
    installing_cost: installing,
  };
}

function toException({ node_id, raised_at, frames, ...rest }: ExceptionRow, isReader: boolean): RunException {
  return { ...rest, wob_key: node_id, time_raised: raised_at.toISOString(), frames: isReader ? [] : frames };
}
