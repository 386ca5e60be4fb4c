import { deployment as limits } from "@miranda/contract/limits.ts";
import {
  type Channel,
  type DeployBody,
  type Deployment,
  DeploymentName,
  type DeploymentPage,
  type DeploymentPatch,
  type Release,
  type ReleaseBody,
  type ReleasePage,
  type ReleaseProposal,
} from "@miranda/contract/schemas/deployments/deployments.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";

import { recordAuditEvent, withAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { newId } from "../../platform/crypto.ts";
import { type Db, violatedUnique } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Auth } from "../auth/auth-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import type { Versions } from "../versions/versions-service.ts";
import type { Who } from "./deployment-access-queries.ts";
import { toDeployment } from "./deployment-view.ts";
import { deploymentQueries, type DeploymentRow, type ReleaseRow } from "./deployments-queries.ts";
import { releaseQueries } from "./releases/releases-queries.ts";
import { createReleases } from "./releases/releases-service.ts";
import { changesOf, deploymentAuditEvent } from "./deployment-audit-events.ts";
import { columnsOf, needsManager } from "./settings.ts";

export type { Who };
export type Deployments = ReturnType<typeof createDeployments>;
export type DeploymentRight = Deployment["right"];

/** A deployment that somebody may use, and the release of the channel that they asked for. */
export interface UsedDeployment {
  deployment: DeploymentRow;
  release: ReleaseRow;
  channel: Channel;
  /** `use`: may call it, and cannot read its workflow. */
  right: "use" | DeploymentRight;
}

/** The same for somebody who looks at it, or at calls that they made. */
export interface SeenDeployment extends Omit<UsedDeployment, "release"> {
  release: ReleaseRow | null;
  /** Why it serves no calls; null when it does. */
  refusal: AppError | null;
}

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "getAccountByLogin">;
  projects: Pick<Projects, "getProject">;
  graphs: Pick<Graphs, "getGraph">;
  versions: Pick<Versions, "read">;
  realtime: Pick<Realtime, "publish">;
}

/** The settings of a new deployment, where the account that deploys it gives none. */
const defaults = { access: "project", day_budget: null, at_once: 2, warm: 0 } as const;

export function createDeployments({ db, auth, projects, graphs, versions, realtime }: Dependencies) {
  const queries = deploymentQueries(db);
  const releases = createReleases({ db, versions });
  const listeners = new Set<(deploymentId: string) => void>();

  /** Tells everybody who looks at it, and whoever serves its calls. */
  function changed(deploymentId: string): void {
    realtime.publish(deploymentId, "update[DEPLOYMENT]", { deployment_id: deploymentId });
    for (const listener of listeners) listener(deploymentId);
  }

  /** Also when it serves no calls. `nameOrId` may be `byLink`: the deployment whose link is given. */
  async function forView(who: Who, nameOrId: string, channel: Channel = "production"): Promise<SeenDeployment> {
    const row = await queries.findUsed(who, keyOf(who, nameOrId), channel);
    if (!row) throw new AppError("deployment_not_found");
    const { release_id, release_number, version_id, form, project_access, ...deployment } = row;
    const right = rightOf(who.accountId, project_access, deployment);
    if (channel === "staging" && right !== "release" && right !== "manage") throw new AppError("release_not_found");
    const release =
      release_id === null || release_number === null || version_id === null || form === null
        ? null
        : { id: release_id, number: release_number, version_id, form };
    return { deployment, release, channel, right, refusal: refusalOf(deployment, release) };
  }

  /** For those who read or change the deployment of a workflow. */
  async function forManage(
    caller: Caller,
    graphId: string,
    wanted: DeploymentRight,
  ): Promise<{ deployment: DeploymentRow; right: DeploymentRight; projectId: string }> {
    const { access, project_id: projectId } = await graphs.getGraph(
      caller,
      graphId,
      wanted === "read" ? "read" : "write",
    );
    const deployment = await queries.findOfGraph(graphId);
    if (!deployment) throw new AppError("deployment_not_found");
    const right = managerRight(caller.accountId, access, deployment);
    if (wanted === "manage" && right !== "manage") throw new AppError("deployment_money");
    return { deployment, right, projectId };
  }

  async function describe(caller: Caller, graphId: string): Promise<Deployment> {
    const { deployment, right } = await forManage(caller, graphId, "read");
    const [served, counts, people] = await Promise.all([
      releases.served([deployment]),
      queries.counts([deployment.id]),
      right === "read" ? undefined : queries.people(deployment.id),
    ]);
    return toDeployment(deployment, {
      ...{ right, releases: served, counts: counts.get(deployment.id), ...(people && { people }) },
      pausedReason: pausedReason(deployment),
    });
  }

  /** The accounts of a list of usernames and e-mail addresses. Refuses with all that do not exist. */
  async function accountsOf(caller: Caller, logins: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    const unknown: string[] = [];
    for (const login of new Set(logins)) {
      try {
        found.push((await auth.getAccountByLogin(caller, login)).id);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "account_not_found") throw error;
        unknown.push(login);
      }
    }
    if (unknown.length > 0) throw new AppError("account_not_found", `There is no account ${unknown.join(", ")}.`);
    return found;
  }

  /** Whoever may not see the app that has the name learns no more than that it cannot be used. */
  async function refusingTaken(caller: Caller, name: string | undefined, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const index = violatedUnique(error);
      if (index === "deployments_graph_id_key") throw new AppError("deployment_exists");
      if (index !== "deployments_name_key") throw error;
      const isSeen = name !== undefined && (await queries.findUsed(caller, { name }, "production")) !== undefined;
      throw new AppError(isSeen ? "deployment_name_taken" : "deployment_name_unusable");
    }
  }

  return {
    forView,
    forManage,
    changed,
    pausedReason,

    /** Called after every change of a deployment, on this server. */
    onChange: (listener: (deploymentId: string) => void) => void listeners.add(listener),

    describe,

    /** Deploys a workflow with its first release. The caller owns it, and pays. */
    async deploy(
      caller: Caller,
      graphId: string,
      { name, title, release, ...settings }: DeployBody,
    ): Promise<Deployment> {
      const { project_id: projectId } = await graphs.getGraph(caller, graphId, "write");
      if (await queries.findOfGraph(graphId)) throw new AppError("deployment_exists");
      const checked = await releases.check(caller, graphId, release);
      const people = await accountsOf(caller, settings.people ?? []);
      const columns = columnsOf(settings, defaults);
      const id = newId();
      await refusingTaken(caller, name, () =>
        db.transaction().execute(async (trx) => {
          const inside = deploymentQueries(trx);
          await inside.insert({ id, graph_id: graphId, owner_id: caller.accountId, name, title });
          await inside.update(id, columns);
          if (people.length > 0) await inside.replacePeople(id, people);
          await releases.add(trx, caller, id, checked);
          const access = columns.access ?? defaults.access;
          await recordAuditEvent(
            trx,
            deploymentAuditEvent("deployment.deploy", caller, { id, title, projectId }, { access }),
          );
        }),
      );
      changed(id);
      return describe(caller, graphId);
    },

    async change(caller: Caller, graphId: string, patch: DeploymentPatch): Promise<Deployment> {
      const { deployment, projectId } = await forManage(caller, graphId, needsManager(patch) ? "manage" : "release");
      const people = patch.people && (await accountsOf(caller, patch.people));
      const columns = columnsOf(patch, deployment);
      await refusingTaken(caller, patch.name, () =>
        db.transaction().execute(async (trx) => {
          const inside = deploymentQueries(trx);
          const change = { ...columns, ...(patch.take_over && { owner_id: caller.accountId }) };
          if (!(await inside.update(deployment.id, change))) throw new AppError("deployment_not_found");
          if (people) await inside.replacePeople(deployment.id, people);
          const place = { ...deployment, projectId };
          await recordAuditEvent(trx, deploymentAuditEvent("deployment.change", caller, place, changesOf(patch)));
        }),
      );
      changed(deployment.id);
      return describe(caller, graphId);
    },

    /** Its calls end, and its addresses open nothing any more. */
    async remove(caller: Caller, graphId: string): Promise<void> {
      const { deployment, projectId } = await forManage(caller, graphId, "manage");
      const event = deploymentAuditEvent("deployment.withdraw", caller, { ...deployment, projectId });
      await withAuditEvent(db, event, (trx) => deploymentQueries(trx).remove(deployment.id));
      changed(deployment.id);
    },

    async listOfProject(caller: Caller, projectId: string, page: PageKeyQuery): Promise<DeploymentPage> {
      const { access } = await projects.getProject(caller, projectId, "read");
      const found = await queries.listOfProject(projectId, page);
      const rows = found.slice(0, page.limit);
      const [served, counts] = await Promise.all([releases.served(rows), queries.counts(rows.map(({ id }) => id))]);
      const shown = rows.map((row) =>
        toDeployment(row, {
          ...{ right: managerRight(caller.accountId, access, row), releases: served, counts: counts.get(row.id) },
          pausedReason: pausedReason(row),
        }),
      );
      return { deployments: shown, next: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null };
    },

    async propose(caller: Caller, graphId: string, version: number): Promise<ReleaseProposal> {
      await graphs.getGraph(caller, graphId, "read");
      const deployment = await queries.findOfGraph(graphId);
      return releases.propose(caller, { graphId, deploymentId: deployment?.id }, version);
    },

    async listReleases(caller: Caller, graphId: string, page: PageKeyQuery): Promise<ReleasePage> {
      const { deployment } = await forManage(caller, graphId, "read");
      return releases.list(deployment.id, page);
    },

    async release(caller: Caller, graphId: string, body: ReleaseBody): Promise<Release> {
      const { deployment, projectId } = await forManage(caller, graphId, "release");
      const checked = await releases.check(caller, graphId, body);
      const number = await db.transaction().execute(async (trx) => {
        if (!(await releaseQueries(trx).lockDeployment(deployment.id))) throw new AppError("deployment_not_found");
        const added = await releases.add(trx, caller, deployment.id, checked);
        const place = { ...deployment, projectId };
        await recordAuditEvent(trx, deploymentAuditEvent("deployment.release", caller, place, { number: added }));
        return added;
      });
      changed(deployment.id);
      return releases.get(deployment.id, number);
    },

    /** Publishes a release or rolls back to it. Calls that run end where they run; those that wait move. */
    async serve(caller: Caller, graphId: string, channel: Channel, release: number | null): Promise<Deployment> {
      const { deployment, projectId } = await forManage(caller, graphId, "release");
      await releases.serve(deployment.id, channel, release);
      const details = { channel, release: release === null ? "nothing" : `release ${release}` };
      await recordAuditEvent(
        db,
        deploymentAuditEvent("deployment.serve", caller, { ...deployment, projectId }, details),
      );
      changed(deployment.id);
      return describe(caller, graphId);
    },

    /** For a call: refuses when the deployment serves none. */
    async forUse(who: Who, nameOrId: string, channel: Channel = "production"): Promise<UsedDeployment> {
      const { refusal, release, ...seen } = await forView(who, nameOrId, channel);
      if (refusal) throw refusal;
      if (!release) throw new AppError("deployment_empty");
      return { ...seen, release };
    },
  };
}

function keyOf({ link }: Who, nameOrId: string): { name: string } | { id: string } | { link: string } {
  if (nameOrId === limits.byLink && link !== undefined) return { link };
  if (Id.safeParse(nameOrId).success) return { id: nameOrId };
  if (!DeploymentName.safeParse(nameOrId).success) throw new AppError("deployment_not_found");
  return { name: nameOrId };
}

function rightOf(
  accountId: string | null,
  access: ProjectAccess | null,
  deployment: Pick<DeploymentRow, "owner_id">,
): UsedDeployment["right"] {
  return accountId === null || access === null ? "use" : managerRight(accountId, access, deployment);
}

function managerRight(
  accountId: string,
  access: ProjectAccess,
  { owner_id }: Pick<DeploymentRow, "owner_id">,
): DeploymentRight {
  if (access === "viewer") return "read";
  return access === "owner" || owner_id === accountId ? "manage" : "release";
}

/** Why it serves no calls, in words. */
function pausedReason(deployment: Pick<DeploymentRow, "paused" | "is_owned" | "production_id">): string | null {
  return refusalOf(deployment, deployment.production_id)?.message ?? null;
}

function refusalOf(
  { paused, is_owned }: Pick<DeploymentRow, "paused" | "is_owned">,
  release: unknown,
): AppError | null {
  if (!is_owned) return new AppError("deployment_ownerless");
  if (paused) return new AppError("deployment_paused");
  return release === null ? new AppError("deployment_empty") : null;
}
