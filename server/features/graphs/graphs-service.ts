import { graphmlLimits } from "./graphml/types.ts";
import { formText } from "@miranda/contract/limits.ts";
import type {
  BrowseGraphsQuery,
  CreateGraphBody,
  ImportReport,
  PatchGraphBody,
  Workflow,
} from "@miranda/contract/schemas/graphs.ts";
import type { DeletePreview, ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import type { Readable } from "node:stream";

import type { AuditEvent } from "../../platform/audit/audit-event.ts";
import { actorOf, recordAuditEvent, withAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { addWithinQuota, oneAtATime, lockQuota } from "../../platform/limits/quota-lock.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import type { Projects, Right } from "../projects/projects-service.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import { copiedEdge, copiedNode } from "../../model/copied-rows.ts";
import { toContent } from "../../model/graph-rows.ts";
import type { EdgeInsert, GroupInsert, NodeInsert } from "../../model/graph-inserts.ts";
import { createGraphLists } from "./graph-lists-queries.ts";
import { createGraphQueries } from "./graphs-queries.ts";
import { createGraphReading, type GraphSnapshot, type ReadGraph } from "./graph-reading.ts";
import { createGraphRoom } from "./graph-room-service.ts";
import { readGraphml } from "./graph-import.ts";
import { createImportQueue, type ImportPlace } from "./imports/import-queue.ts";

export type Graphs = ReturnType<typeof createGraphs>;

const rowsAtOnce = 500;
const importGap = 200;

/** A clone that is being added, and the rows of its source. */
interface Cloned {
  source: string;
  copy: string;
  /** Null for a person who may only read the source. */
  accountId: string | null;
  rows: GraphSnapshot;
}

interface NewWorkflow {
  project_id: string;
  name: string;
  description: string;
  content: { nodes: NodeInsert[]; edges: EdgeInsert[]; groups: GroupInsert[] };
  /** Stored in the same transaction. */
  alongside: (trx: Db, id: string) => Promise<void>;
}

/** Without a name it gets that of the workflow, or a free one like it. */
type CopyWish = Pick<NewWorkflow, "project_id" | "content" | "alongside"> & Partial<Pick<NewWorkflow, "name">>;

interface Dependencies {
  db: Db;
  projects: Projects;
  realtime: Pick<Realtime, "publish">;
  quotas: Pick<Quotas, "workflowsPerProject" | "nodesPerWorkflow">;
}

export function createGraphs(deps: Dependencies) {
  const { projects, quotas } = deps;
  const room = createGraphRoom(quotas.nodesPerWorkflow);
  const queriesIn = (db: Db) => createGraphQueries(db, projects, room);
  const queries = queriesIn(deps.db);
  const reading = createGraphReading(deps.db, queriesIn);
  const lists = createGraphLists(deps.db);
  const imports = createImportQueue();

  async function getGraph(caller: Caller, id: string, right: Right) {
    const { accountId, isAdmin, onlyProject } = caller;
    const graph = await queries.find({ id, accountId, isAdmin, onlyProject });
    if (!graph?.access) throw new AppError("graph_not_found");
    const { access } = graph;
    if (right !== "read" && access === "viewer") throw new AppError("graph_read_only");
    return { ...graph, access };
  }

  async function freeName(projectId: string, name: string): Promise<string> {
    for (let copy = 1; ; copy++) {
      const ending = copy === 1 ? "" : copy === 2 ? " (copy)" : ` (copy ${copy - 1})`;
      const candidate = name.slice(0, formText.nameMax - ending.length) + ending;
      if (!(await queries.hasName(projectId, candidate))) return candidate;
    }
  }

  let rememberClone = async (_trx: Db, _given: Cloned): Promise<void> => undefined;
  let afterClone = async (_source: string): Promise<void> => undefined;

  async function addCopy(
    caller: Caller,
    source: Awaited<ReturnType<typeof getGraph>>,
    { project_id, name, content, alongside }: CopyWish,
  ): Promise<string> {
    const destination = await projects.getProject(caller, project_id, "write");
    // Otherwise a reader of a private workflow could publish it with one click.
    const wouldPublish = source.visibility === "private" && destination.visibility === "public";
    if (wouldPublish && source.access === "viewer" && !(await projects.hideIfEmpty(caller, project_id)))
      throw new AppError("clone_needs_private");
    const named = { name: name ?? (await freeName(project_id, source.name)), description: source.description };
    return insertWhole(caller, { project_id, ...named, content, alongside });
  }

  /** All or nothing. The caller may write to the project. */
  async function insertWhole(caller: Caller, { content, alongside, ...given }: NewWorkflow): Promise<string> {
    const graph = { id: newId(), ...given, created_by: caller.accountId };
    const { nodes, edges, groups } = content;
    const rows = { nodes: inParts(nodes), edges: inParts(edges), groups };
    const counted = { what: "workflows", owner: given.project_id } as const;
    const insert = async (trx: Db): Promise<void> => {
      await lockQuota(trx, counted);
      await refuseFull(trx, given.project_id);
      await queriesIn(trx).insert(graph);
      await recordAuditEvent(trx, eventOf("workflow.create", caller, graph));
      await alongside(trx, graph.id);
    };
    await oneAtATime(counted, () => queries.addContent(graph.id, caller, rows, insert));
    return graph.id;
  }

  async function refuseFull(trx: Db, projectId: string): Promise<void> {
    const there = await queriesIn(trx).countIn(projectId);
    if (there >= quotas.workflowsPerProject) throw new AppError("project_full");
  }

  return {
    getGraph,
    room,

    projectOf: queries.projectOf,
    accessExpression: projects.accessExpression,

    async browse(caller: Caller, page: BrowseGraphsQuery): Promise<Workflow[]> {
      const rows = await queries.list(caller, await lists.find(caller, page));
      return rows.map(({ project_id, project_name, ...row }) => ({
        ...row,
        parent: { id: project_id, name: project_name },
      }));
    },

    async describe(caller: Caller, id: string): Promise<Workflow> {
      const { metadata_id, name, description, project_id, project_name } = await getGraph(caller, id, "read");
      return { id, metadata_id, name, description, parent: { id: project_id, name: project_name } };
    },

    async create(caller: Caller, { project_id, name, description }: CreateGraphBody): Promise<string> {
      await projects.getProject(caller, project_id, "write");
      const id = newId();
      await addWithinQuota(deps.db, { what: "workflows", owner: project_id }, async (trx) => {
        await refuseFull(trx, project_id);
        await queriesIn(trx).insert({ id, project_id, name, description, created_by: caller.accountId });
        await recordAuditEvent(trx, eventOf("workflow.create", caller, { id, project_id, name }));
      });
      return id;
    },

    async change(caller: Caller, id: string, patch: PatchGraphBody): Promise<void> {
      const graph = await getGraph(caller, id, "write");
      const { name, description, dest_parent_id } = patch;
      if (dest_parent_id !== undefined) {
        if (dest_parent_id === graph.project_id) throw new AppError("already_there");
        const destination = await projects.accessTo(caller, dest_parent_id);
        if (destination === null) throw new AppError("project_not_found");
        if (destination === "viewer") throw new AppError("move_needs_write");
      }
      const described = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
      if (dest_parent_id === undefined) return void (await queries.update(id, described));
      await addWithinQuota(deps.db, { what: "workflows", owner: dest_parent_id }, async (trx) => {
        await refuseFull(trx, dest_parent_id);
        await queriesIn(trx).move(id, { ...described, project_id: dest_parent_id });
      });
    },

    async preview(caller: Caller, id: string): Promise<DeletePreview> {
      const { name } = await getGraph(caller, id, "write");
      const { nodes, processors } = await queries.countNodes(id);
      const ended = await queries.deployments(id);
      return { id, name, graphs: 1, nodes, running_processors: processors, ...ended };
    },

    async remove(caller: Caller, id: string): Promise<void> {
      const graph = await getGraph(caller, id, "write");
      await withAuditEvent(deps.db, eventOf("workflow.delete", caller, graph), (trx) => queriesIn(trx).remove(id));
    },

    /** The whole graph (`GraphResponse`), or "known" when the client already has the one with this tag. */
    async read(
      caller: Caller,
      id: string,
      includeUpdates: boolean,
      isKnown: (tag: string) => boolean,
    ): Promise<ReadGraph | "known"> {
      const { access } = await getGraph(caller, id, "read");
      return reading.read(caller, { id, viewOnly: isViewOnly(access), includeUpdates, isKnown });
    },

    nameOf: queries.nameOf,

    /** The whole graph for a run, with set values apart from what the code declares, and the rows it is made from. */
    async content(id: string) {
      const { nodes, edges, whole } = await reading.rowsForRun(id);
      const values = new Map(nodes.map((row) => [row.metadata_id, row.field_values]));
      return { graph: toContent(nodes, edges, false), values, rows: whole };
    },

    /** Adds nodes and edges in one step. `before` may refuse. Returns their numbers by reference. */
    add(
      caller: Caller,
      id: string,
      content: { nodes: NodeInsert[]; edges: EdgeInsert[]; groups?: GroupInsert[] },
      before: (trx: Db) => Promise<void>,
    ): Promise<{ revision: number; numbers: Map<string, number> }> {
      const { nodes, edges, groups = [] } = content;
      const rows = { nodes: inParts(nodes), edges: inParts(edges), groups };
      return queries.addContent(id, caller, rows, before);
    },

    /** Without secrets, history, git credentials, and links to templates that the caller may not read. */
    async clone(caller: Caller, id: string, toProject: string): Promise<string> {
      const source = await getGraph(caller, id, "read");
      const rows = await reading.rows(id);
      const templates = await queries.readableTemplates(id, caller);
      const nodes = rows.nodes.map((row): NodeInsert => ({
        ...copiedNode(row),
        ref: String(row.metadata_id),
        id: newId(),
        lineage: row.lineage,
        update_policy: null,
        ...(row.template_id !== null &&
          templates.has(row.template_id) && {
            update_policy: row.update_policy,
            template_id: row.template_id,
            template_ref: row.template_ref,
            template_version: row.template_version,
          }),
      }));
      const edges = rows.edges.map((row) => copiedEdge(row, String(row.source_id), String(row.target_id)));
      const groups = rows.groups.map(({ members, ...group }) => ({
        ...group,
        id: newId(),
        members: members.map(String),
      }));
      // People who may only read a workflow leave no trace in its history.
      const accountId = source.access === "viewer" ? null : caller.accountId;
      const alongside = (trx: Db, copy: string) => rememberClone(trx, { source: id, copy, accountId, rows });
      const content = { nodes, edges, groups };
      const copied = await addCopy(caller, source, { project_id: toProject, content, alongside });
      await afterClone(id);
      return copied;
    },

    /** Adds a workflow with the content of another one. Refuses what `clone` refuses. */
    async addCopy(caller: Caller, sourceId: string, wish: CopyWish): Promise<string> {
      return addCopy(caller, await getGraph(caller, sourceId, "read"), wish);
    },

    /** Adds a workflow with its whole content. */
    async addWorkflow(caller: Caller, wish: NewWorkflow): Promise<string> {
      await projects.getProject(caller, wish.project_id, "write");
      return insertWhole(caller, { ...wish, name: await freeName(wish.project_id, wish.name) });
    },

    /** `remember` is called for each clone, in the transaction that adds it, and `after` when that is done. */
    onClone(remember: typeof rememberClone, after: typeof afterClone): void {
      [rememberClone, afterClone] = [remember, after];
    },

    /**
     * Reserves a place for a file of this size. Call it before reading the file: waiting files would fill the memory.
     */
    openImport: (caller: Caller, bytes: number): ImportPlace => imports.open(caller.accountId, bytes),

    /** Adds the content of a GraphML file below the existing nodes. */
    async importGraphml(caller: Caller, id: string, file: Uint8Array, place: ImportPlace): Promise<ImportReport> {
      await getGraph(caller, id, "write");
      if (file.byteLength > graphmlLimits.bytes) throw new AppError("graphml_too_large");
      return place.run(file.byteLength, async () => {
        const { nodes, bottom } = await queries.countNodes(id);
        const { report, ...rows } = await readGraphml(file, nodes === 0 ? 0 : (bottom ?? 0) + importGap);
        // Waiting and reading take time: check write access again, and that the workflow still exists.
        await getGraph(caller, id, "write");
        const { revision } = await queries.addContent(id, caller, rows);
        deps.realtime.publish(id, "update[GRAPH]", { graph_id: id, revision, by: caller.username, reload: true });
        return report;
      });
    },

    async exportGraphml(caller: Caller, id: string): Promise<{ name: string; text: Readable }> {
      const graph = await getGraph(caller, id, "read");
      return { name: graph.name, text: await reading.exportGraphml(graph) };
    },
  };
}

function eventOf(
  kind: "workflow.create" | "workflow.delete",
  caller: Caller,
  { id, project_id, name }: Pick<NewWorkflow, "project_id" | "name"> & { id: string },
): AuditEvent {
  return { kind, ...actorOf(caller), projectId: project_id, subject: { kind: "workflow", id, name } };
}

/** The graph is view-only unless the caller may write. */
function isViewOnly(access: ProjectAccess): boolean {
  return access === "viewer";
}

function* inParts(rows: object[]): Iterable<string> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) yield JSON.stringify(rows.slice(at, at + rowsAtOnce));
}
