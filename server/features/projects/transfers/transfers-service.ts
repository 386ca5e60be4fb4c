import type { TransferAnswer, TransferOffer } from "@miranda/contract/schemas/people/transfers.ts";

import type { AuditEvent } from "../../../platform/audit/audit-event.ts";
import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { findLimit } from "../../../platform/limits/account-limits-queries.ts";
import { lockQuota } from "../../../platform/limits/quota-lock.ts";
import type { Auth } from "../../auth/auth-service.ts";
import type { Deployments } from "../../deployments/deployments-service.ts";
import type { ChangeMembership } from "../members/membership-notifications.ts";
import { createProjectQueries } from "../projects-queries.ts";
import type { Projects } from "../projects-service.ts";
import { type OfferRow, transferQueries } from "./transfers-queries.ts";

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "getAccountByLogin" | "nameOf">;
  projects: Pick<Projects, "getProject">;
  deployments: Pick<Deployments, "changed">;
  projectsPerAccount: number;
  changeMembership: ChangeMembership;
}

interface Person {
  id: string;
  username: string;
}

export type Transfers = ReturnType<typeof createTransfers>;

/** Gives a project to somebody else, who accepts it. With it go its purse, and the deployments that the old owner paid for. */
export function createTransfers({ db, auth, projects, deployments, ...rest }: Dependencies) {
  const { projectsPerAccount, changeMembership } = rest;
  const queries = transferQueries(db);

  /** Nobody else can give this account a project until the transaction ends. */
  async function checkRoom(trx: Db, accountId: string, full: "too_many_projects" | "too_many_projects_there") {
    await lockQuota(trx, { what: "projects", owner: accountId });
    const inside = createProjectQueries(trx);
    if (!(await inside.lockOwner(accountId))) throw new AppError("account_not_found");
    const most = await findLimit(trx, "projects", accountId, projectsPerAccount);
    if ((await inside.countOwned(accountId)) >= most) throw new AppError(full);
  }

  async function move(trx: Db, caller: Caller, projectId: string, from: Person, to: Person) {
    if (!(await createProjectQueries(trx).transfer(projectId, from.id, to.id))) throw new AppError("transfer_gone");
    const inside = transferQueries(trx);
    await inside.forget(projectId);
    await recordAuditEvent(trx, { ...actorOf(caller), ...handOverOf(caller, from, to), projectId });
    return inside.moveDeployments(projectId, from.id, to.id);
  }

  async function getOffer(projectId: string): Promise<OfferRow> {
    const offer = await queries.ofProject(projectId);
    if (!offer) throw new AppError("transfer_gone");
    return offer;
  }

  /** Only the two people of an offer and administrators know of it. */
  async function getOwnOffer(caller: Caller, projectId: string): Promise<OfferRow> {
    const offer = await getOffer(projectId);
    // A token of one project knows no offer of another one.
    if (caller.onlyProject !== null && caller.onlyProject !== projectId) throw new AppError("transfer_gone");
    if (!caller.isAdmin && ![offer.from_id, offer.to_id].includes(caller.accountId))
      throw new AppError("transfer_gone");
    return offer;
  }

  return {
    /** An owner offers the project. An administrator transfers those of other people at once. */
    async start(caller: Caller, id: string, user: string): Promise<TransferAnswer> {
      const { owner_id, name } = await projects.getProject(caller, id, "own");
      const account = await auth.getAccountByLogin(caller, user);
      if (account.id === owner_id) throw new AppError("transfer_to_owner");
      const moved = await changeMembership(caller, async (trx, notify) => {
        await checkRoom(trx, account.id, "too_many_projects_there");
        if (caller.accountId !== owner_id) {
          const owner = { id: owner_id, username: await auth.nameOf(owner_id) };
          const served = await move(trx, caller, id, owner, account);
          const body = `${caller.username} transferred it. You decide who may see it, change it and delete it.`;
          if (account.id !== caller.accountId)
            await notify({ accountId: account.id, projectId: id, title: `You own ${name} now`, body });
          await notify({
            ...{ accountId: owner_id, projectId: id, title: `${account.username} owns ${name} now` },
            body: `${caller.username} transferred it. You are an editor.`,
          });
          return served;
        }
        if (!(await createProjectQueries(trx).lockOwned(id, owner_id))) throw new AppError("project_not_found");
        const isNew = await transferQueries(trx).offer(id, owner_id, account.id);
        const subject = { kind: "account", id: account.id, name: account.username };
        await recordAuditEvent(trx, { ...actorOf(caller), kind: "project.transfer_offer", projectId: id, subject });
        if (isNew)
          await notify({
            ...{ accountId: account.id, title: `${caller.username} wants to give you ${name}` },
            body: "Accept or decline it on your home page.",
          });
        return undefined;
      });
      for (const deployment of moved ?? []) deployments.changed(deployment);
      return { state: moved ? "transferred" : "offered" };
    },

    listOwn: async ({ accountId }: Caller): Promise<TransferOffer[]> => (await queries.to(accountId)).map(toOffer),

    async get(caller: Caller, id: string): Promise<TransferOffer> {
      return toOffer(await getOwnOffer(caller, id));
    },

    async accept(caller: Caller, id: string): Promise<void> {
      const { from_id, to_id, from, to, project } = await getOwnOffer(caller, id);
      if (to_id !== caller.accountId) throw new AppError("transfer_not_yours");
      const moved = await changeMembership(caller, async (trx, notify) => {
        await checkRoom(trx, to_id, "too_many_projects");
        if (!(await transferQueries(trx).take(id, { from_id, to_id }))) throw new AppError("transfer_gone");
        const served = await move(trx, caller, id, { ...from, id: from_id }, { ...to, id: to_id });
        const body = `${caller.username} accepted it. You are an editor.`;
        const title = `${caller.username} owns ${project.name} now`;
        await notify({ accountId: from_id, projectId: id, title, body });
        return served;
      });
      for (const deployment of moved) deployments.changed(deployment);
    },

    /** The owner withdraws an offer, or the other person declines it. */
    async end(caller: Caller, id: string): Promise<void> {
      const { from_id, to_id, to, project } = await getOwnOffer(caller, id);
      await changeMembership(caller, async (trx, notify) => {
        if (!(await transferQueries(trx).take(id, { from_id, to_id }))) throw new AppError("transfer_gone");
        const subject = { kind: "account", id: to_id, name: to.username };
        await recordAuditEvent(trx, { ...actorOf(caller), kind: "project.transfer_end", projectId: id, subject });
        const isDeclined = caller.accountId === to_id;
        await notify({
          accountId: isDeclined ? from_id : to_id,
          title: isDeclined
            ? `${caller.username} declined ${project.name}`
            : `${caller.username} no longer offers you ${project.name}`,
          body: isDeclined ? "You still own it." : "Nothing was changed.",
        });
      });
    },
  };
}

/** Who accepts an offer takes the project over. Anybody else who moves it hands it over from one person to another. */
function handOverOf(caller: Caller, from: Person, to: Person): Pick<AuditEvent, "kind" | "subject" | "details"> {
  const isReceiver = caller.accountId === to.id;
  const other = isReceiver ? from : to;
  return {
    kind: isReceiver ? "project.take_over" : "project.transfer",
    subject: { kind: "account", id: other.id, name: other.username },
    details: isReceiver ? { to: to.username } : { giver: ` from ${from.username}`, from: from.username },
  };
}

function toOffer({ project, from, to, deployments, expires_at }: OfferRow): TransferOffer {
  return { project, from, to, deployments, time_expires: expires_at.toISOString() };
}
