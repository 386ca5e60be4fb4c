import type {
  App,
  AppCard,
  AppPage,
  AppsQuery,
  AppTags,
  Channel,
} from "@miranda/contract/schemas/deployments/deployments.ts";

import { AppError } from "../../../platform/errors/app-error.ts";
import type { Db } from "../../../platform/database/database.ts";
import { authorOf } from "../../auth/auth-service.ts";
import { pictureAddress } from "../deployment-view.ts";
import type { Deployments, Who } from "../deployments-service.ts";
import { appPageKey, readAppPageKey } from "./app-page-key.ts";
import { appQueries, type AppRow } from "./apps-queries.ts";

/** Cards show the beginning. */
const listedDescription = 500;
const wordsMax = 10;
const tagsMax = 50;

interface Dependencies {
  db: Db;
  deployments: Pick<Deployments, "forView" | "pausedReason">;
}

export type Apps = ReturnType<typeof createApps>;

/** Deployments as their users see them. */
export function createApps({ db, deployments }: Dependencies) {
  const queries = appQueries(db);

  function toCard(row: AppRow): AppCard {
    return {
      ...{ id: row.id, name: row.name, title: row.title, tags: row.tags, favourite: row.favourite },
      description: row.description.slice(0, listedDescription),
      picture: pictureAddress(row),
      owner: authorOf(row),
      time_used: row.used_at?.toISOString() ?? null,
      alive_call: row.alive_call,
      paused_reason: deployments.pausedReason(row),
    };
  }

  return {
    async list(who: Who, { query = "", tag, show, after, limit }: AppsQuery): Promise<AppPage> {
      const words = query.split(/\s+/).filter(Boolean).slice(0, wordsMax);
      const place = readAppPageKey(show, after);
      const rows = await queries.list(who, { show, words, tag: tag || undefined, after: place, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { apps: shown.map(toCard), next: last ? appPageKey(show, last) : null };
    },

    async tags(who: Who): Promise<AppTags> {
      return { tags: await queries.tags(who, tagsMax) };
    },

    /** Without names of nodes, and without what it costs its owner. */
    async get(who: Who, nameOrId: string, channel: Channel): Promise<App> {
      const { deployment, release, right, refusal } = await deployments.forView(who, nameOrId, channel);
      const mark = who.accountId === null ? undefined : await queries.findMark(who.accountId, deployment.id);
      const { graph_id, project_id } = deployment;
      const form = release?.form;
      return {
        ...{ id: deployment.id, name: deployment.name, title: deployment.title, tags: deployment.tags, channel },
        description: deployment.description,
        picture: pictureAddress(deployment),
        owner: authorOf(deployment),
        favourite: mark?.favourite ?? false,
        time_used: mark?.used_at?.toISOString() ?? null,
        alive_call: mark?.alive_call ?? null,
        paused_reason: refusal?.message ?? null,
        release: release?.number ?? 0,
        fields: (form?.fields ?? []).map(({ wob_key: _node, attribute: _attribute, ...field }) => field),
        outputs: (form?.outputs ?? []).map(({ name, label }) => ({ name, label })),
        steps: (form?.steps ?? []).map(({ label }) => label),
        payer: deployment.payer,
        designer: right === "release" || right === "manage" ? { project_id, graph_id } : null,
      };
    },

    async setFavourite(who: Who, nameOrId: string, favourite: boolean): Promise<void> {
      if (who.accountId === null) throw new AppError("not_signed_in");
      const { deployment } = await deployments.forView(who, nameOrId);
      await queries.setFavourite(who.accountId, deployment.id, favourite);
    },
  };
}
