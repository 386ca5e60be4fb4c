import type { Deployment, Release } from "@miranda/contract/schemas/deployments/deployments.ts";

import { authorOf } from "../auth/auth-service.ts";
import type { DeploymentCounts, DeploymentQueries, DeploymentRow } from "./deployments-queries.ts";

type People = Awaited<ReturnType<DeploymentQueries["people"]>>;

/** What is shown beside the row. */
interface Beside {
  right: Deployment["right"];
  releases: ReadonlyMap<string, Release>;
  counts: DeploymentCounts | undefined;
  pausedReason: string | null;
  /** For those who may release. */
  people?: People;
}

export function toDeployment(
  row: DeploymentRow,
  { right, releases, counts, pausedReason, people }: Beside,
): Deployment {
  const { queued = 0, running = 0, today = 0, failed_today = 0, cost_today = 0 } = counts ?? {};
  return {
    ...{ id: row.id, name: row.name, title: row.title, description: row.description, tags: row.tags },
    picture: pictureAddress(row),
    graph: {
      ...{ id: row.graph_id, name: row.graph_name },
      ...{ project_id: row.project_id, project_name: row.project_name },
    },
    owner: authorOf(row),
    access: row.access,
    policy: {
      ...{ at_once: row.at_once, warm: row.warm, idle_minutes: row.idle_minutes, queue_max: row.queue_max },
      ...{ call_budget: row.call_budget, day_budget: row.day_budget, call_seconds: row.call_seconds },
      ...{ payer: row.payer, compute: row.compute },
    },
    production: releases.get(row.production_id ?? "") ?? null,
    staging: releases.get(row.staging_id ?? "") ?? null,
    paused: row.paused,
    paused_reason: pausedReason,
    calls: { queued, running, today, failed_today },
    cost_today,
    right,
    ...(people && { sharing: sharingOf(row, people) }),
    time_created: row.created_at.toISOString(),
    time_changed: row.changed_at.toISOString(),
  };
}

function sharingOf(row: DeploymentRow, people: People): NonNullable<Deployment["sharing"]> {
  return {
    people: people.map(authorOf).filter((person) => person !== null),
    link: row.link,
    embed_origins: row.embed_origins,
    hook: row.has_hook
      ? {
          ...{ hint: row.hook_hint, signed: row.hook_signed, field: row.hook_field },
          time_created: (row.hook_at ?? row.changed_at).toISOString(),
        }
      : null,
  };
}

/** The version cannot be guessed: whoever knows the address may see the picture, also without an account. */
export function pictureAddress({ id, picture_version }: Pick<DeploymentRow, "id" | "picture_version">): string | null {
  return picture_version === null ? null : `/api/v3/deployments/${id}/picture?v=${picture_version}`;
}
