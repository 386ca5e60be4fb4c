import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { ReleaseField } from "@miranda/contract/schemas/deployments/release-forms.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

interface Queue {
  deploymentId: string;
  channel: Channel;
}

const servedId = sql`case when calls.channel = 'production' then deployments.production_id else deployments.staging_id end`;

export const queuedCallsQueries = {
  /** The fields of the release that a channel serves. Undefined when it serves none. */
  served: async (trx: Db, { deploymentId, channel }: Queue) => {
    const { rows } = await sql<{ id: string; fields: ReleaseField[] }>`
      select releases.id, releases.form->'fields' as fields from deployments join releases
        on releases.id = case when ${channel} = 'production' then production_id else staging_id end
      where deployments.id = ${deploymentId}`.execute(trx);
    return rows[0];
  },

  /** The other releases that calls of a channel wait for. */
  awaited: async (trx: Db, { deploymentId, channel }: Queue) => {
    const { rows } = await sql<{ id: string; fields: ReleaseField[] }>`
      select releases.id, releases.form->'fields' as fields from releases where releases.id in (
        select calls.release_id from calls join deployments on deployments.id = calls.deployment_id
        where calls.deployment_id = ${deploymentId} and calls.channel = ${channel} and calls.state = 'queued'
          and calls.release_id <> ${servedId})`.execute(trx);
    return rows;
  },

  /** What calls that wait for a release were given, by id. */
  inputs: async (trx: Db, { deploymentId, channel }: Queue, releaseId: string, after: string | null, limit: number) => {
    const { rows } = await sql<{ id: string; inputs: Record<string, unknown> }>`
      select id, inputs from calls where deployment_id = ${deploymentId} and channel = ${channel} and state = 'queued'
        and release_id = ${releaseId} and (${after}::uuid is null or id > ${after}::uuid)
      order by id limit ${limit}`.execute(trx);
    return rows;
  },

  /** Only calls that still wait: one that a session takes at this moment ends where it runs. */
  move: async (trx: Db, { deploymentId, channel }: Queue, from: string, to: string, only?: readonly string[]) => {
    await sql`
      update calls set release_id = ${to} where deployment_id = ${deploymentId} and channel = ${channel}
        and state = 'queued' and release_id = ${from}
        and (${only === undefined}::boolean or id = any(${only ?? []}::uuid[]))`.execute(trx);
  },
};
