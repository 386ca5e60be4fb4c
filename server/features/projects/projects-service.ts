import type {
  BrowseProjectsQuery,
  CreateProjectBody,
  DeletePreview,
  KnowledgeObject,
  PageQuery,
  PatchProjectBody,
  Project,
  ProjectAccess,
} from "@miranda/contract/schemas/projects.ts";
import { paging } from "@miranda/contract/limits.ts";

import { shareQueries } from "../../model/shared-results-queries.ts";
import { actorOf, recordAuditEvent, withAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { BackgroundWork } from "../../platform/background-work.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { removal } from "../../limits.ts";
import { type CountedPage, findCounted } from "../../platform/http/list-total.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { findLimit } from "../../platform/limits/account-limits-queries.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import { type Auth, avatarAddress } from "../auth/auth-service.ts";
import { createHandOver } from "./hand-over.ts";
import { deletedProjectQueries } from "./deleted-projects-queries.ts";
import { createProjectLists, type ProjectPage } from "./project-lists-queries.ts";
import { accessFor, createProjectQueries } from "./projects-queries.ts";

export type Right = "read" | "write" | "own";

export type Projects = ReturnType<typeof createProjects>;

/** No read access: not found. Read access only: refused. */
function demand(
  access: ProjectAccess | null,
  right: Right,
  words: { hidden: AppError; readOnly: AppError },
): ProjectAccess {
  if (access === null) throw words.hidden;
  if (right === "write" && access === "viewer") throw words.readOnly;
  if (right === "own" && access !== "owner") throw access === "viewer" ? words.readOnly : new AppError("owner_only");
  return access;
}

interface Dependencies {
  db: Db;
  auth: Auth;
  quotas: Pick<Quotas, "projectsPerAccount">;
  background: Pick<BackgroundWork, "add" | "wake">;
}

export function createProjects(deps: Dependencies) {
  const { background } = deps;
  const deleted = deletedProjectQueries(deps.db);
  background.add(async () => {
    await deleted.detachRunning();
    return (await deleted.removeBatch(removal.rowsPerBatch)) ? "more" : "done";
  });
  const queries = createProjectQueries(deps.db);
  const lists = createProjectLists(deps.db);
  const { projectsPerAccount } = deps.quotas;
  type Row = NonNullable<Awaited<ReturnType<typeof queries.find>>>;

  async function getProject(caller: Caller, id: string, right: Right): Promise<Row & { access: ProjectAccess }> {
    const row = await queries.find(caller, id);
    return { ...permitted(row, right), access: row?.access ?? "viewer" };
  }

  function permitted(row: Row | undefined, right: Right): Row {
    const hidden = new AppError("project_not_found");
    demand(row?.access ?? null, right, { hidden, readOnly: new AppError("project_read_only") });
    if (!row) throw hidden;
    return row;
  }

  function toProject(caller: Caller, row: Row): Project {
    return {
      id: row.id,
      metadata_id: row.metadata_id,
      name: row.name,
      description: row.description,
      following: row.following,
      created_by: {
        you: row.owner_id === caller.accountId,
        avatar: avatarAddress(row.owner_id, row.avatar_version),
        first_name: row.first_name,
      },
      visibility: row.visibility,
      access: row.access ?? "viewer",
    };
  }

  async function removeDisowned(): Promise<void> {
    await deleted.detachRunning();
    background.wake();
  }

  async function listPage(
    caller: Caller,
    page: PageQuery,
    find: (page: ProjectPage) => Promise<string[]>,
  ): Promise<CountedPage<Project>> {
    const { items: ids, total } = await findCounted(page, (limit) => find({ ...page, limit }));
    return { items: (await queries.list(caller, ids)).map((row) => toProject(caller, row)), total };
  }

  async function workflowPage(projectId: string, page: PageQuery): Promise<CountedPage<KnowledgeObject>> {
    const { items: ids, total } = await findCounted(page, (limit) =>
      queries.findWorkflows(projectId, { ...page, limit }),
    );
    return { items: await queries.listWorkflows(ids), total };
  }

  return {
    getProject,
    accessExpression: accessFor,

    /** The caller's access as a member: null for those who only read a public project. */
    memberAccess: (caller: Caller, id: string): Promise<ProjectAccess | null> => queries.memberAccess(caller, id),

    /** The caller's own empty project becomes private when private content is copied into it. */
    hideIfEmpty: (caller: Caller, id: string): Promise<boolean> =>
      deps.db.transaction().execute(async (trx) => {
        if (!(await createProjectQueries(trx).hideIfEmpty(id, caller.accountId))) return false;
        const event = { kind: "project.visibility", ...actorOf(caller), projectId: id } as const;
        await recordAuditEvent(trx, { ...event, details: { visibility: "private" } });
        return true;
      }),

    /** The caller's access to a project. Null when it does not exist for them. */
    async accessTo(caller: Caller, id: string): Promise<ProjectAccess | null> {
      return (await queries.find(caller, id))?.access ?? null;
    },

    browse(caller: Caller, { include_own: withOwn, writable, by, ...page }: BrowseProjectsQuery) {
      if (by) return listPage(caller, page, (part) => lists.ofPerson(by, accessFor(caller), part));
      const find = writable ? lists.writable : lists.readable;
      return listPage(caller, page, (part) => find(caller, part, { withOwn }));
    },

    listOwned: (caller: Caller, page: PageQuery) => listPage(caller, page, (part) => lists.own(caller, part)),
    /** Other people's projects that the caller is in, by themselves or through a team. What was shared last comes first. */
    async listShared(caller: Caller, page: PageQuery): Promise<CountedPage<Project>> {
      const { items: ids, total } = await findCounted(page, (limit) => lists.shared(caller, { ...page, limit }));
      const rows = new Map((await queries.list(caller, ids)).map((row) => [row.id, row]));
      return { items: ids.flatMap((id) => rows.get(id) ?? []).map((row) => toProject(caller, row)), total };
    },
    listFollowed: (caller: Caller, page: PageQuery) => listPage(caller, page, (part) => lists.followed(caller, part)),

    async details(caller: Caller, id: string): Promise<CountedPage<KnowledgeObject> & { project: Project }> {
      const row = await getProject(caller, id, "read");
      return { project: toProject(caller, row), ...(await workflowPage(id, { query: "", limit: paging.page })) };
    },

    async listWorkflows(caller: Caller, id: string, page: PageQuery): Promise<CountedPage<KnowledgeObject>> {
      await getProject(caller, id, "read");
      return workflowPage(id, page);
    },

    async create(caller: Caller, body: CreateProjectBody): Promise<{ id: string; metadata_id: number }> {
      const id = newId();
      await addWithinQuota(deps.db, { what: "projects", owner: caller.accountId }, async (trx) => {
        const inside = createProjectQueries(trx);
        if (!(await inside.lockOwner(caller.accountId))) throw new AppError("not_signed_in");
        const most = await findLimit(trx, "projects", caller.accountId, projectsPerAccount);
        if ((await inside.countOwned(caller.accountId)) >= most) throw new AppError("too_many_projects");
        await inside.insert({ ...body, id, owner_id: caller.accountId });
        await recordAuditEvent(trx, { kind: "project.create", ...actorOf(caller), projectId: id });
      });
      const { metadata_id } = await getProject(caller, id, "own");
      return { id, metadata_id };
    },

    async change(caller: Caller, id: string, patch: PatchProjectBody): Promise<Project> {
      const before = await getProject(caller, id, "own");
      const { name, description, visibility } = patch;
      await deps.db.transaction().execute(async (trx) => {
        await createProjectQueries(trx).update(id, {
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...(visibility !== undefined && { visibility }),
        });
        // What callers shared with everybody ends with the openness of the project.
        if (visibility === "private" && before.visibility === "public") await shareQueries.end(trx, id);
        if (visibility !== undefined && visibility !== before.visibility) {
          const event = { kind: "project.visibility", ...actorOf(caller), projectId: id } as const;
          await recordAuditEvent(trx, { ...event, details: { visibility } });
        }
      });
      return toProject(caller, await getProject(caller, id, "own"));
    },

    async preview(caller: Caller, id: string): Promise<DeletePreview> {
      const { name } = await getProject(caller, id, "own");
      return { id, name, ...(await queries.countContent(id)), ...(await queries.deployments(id)) };
    },

    /** Nobody sees the project from now on. Its content is removed in the background. */
    async remove(caller: Caller, id: string): Promise<void> {
      await getProject(caller, id, "own");
      await withAuditEvent(deps.db, { kind: "project.delete", ...actorOf(caller), projectId: id }, async (trx) => {
        if (!(await deletedProjectQueries(trx).disown(id))) throw new AppError("project_not_found");
      });
      await removeDisowned();
    },

    removeDisowned,
    ...createHandOver({ projectsPerAccount }),

    async follow(caller: Caller, metadataId: number, following: boolean): Promise<void> {
      const { id } = permitted(await queries.findByMetadataId(caller, metadataId), "read");
      await (following ? queries.follow(caller.accountId, id) : queries.unfollow(caller.accountId, id));
    },
  };
}
