import type {
  Channel,
  Release,
  ReleaseBody,
  ReleasePage,
  ReleaseProposal,
} from "@miranda/contract/schemas/deployments/deployments.ts";
import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";

import { AppError } from "../../../platform/errors/app-error.ts";
import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { authorOf } from "../../auth/auth-service.ts";
import { moveQueuedCalls } from "../../calls/queued-calls.ts";
import type { Versions } from "../../versions/versions-service.ts";
import type { DeploymentRow } from "../deployments-queries.ts";
import { checkForm } from "./check-form.ts";
import { type EarlierRelease, proposalOf } from "./proposal.ts";
import { releaseQueries, type ReleaseView } from "./releases-queries.ts";

interface Dependencies {
  db: Db;
  versions: Pick<Versions, "read">;
}

/** A release that fits its version, not stored yet. */
interface CheckedRelease {
  version_id: string;
  form: ReleaseForm;
  note: string;
  channel: Channel | undefined;
}

export type Releases = ReturnType<typeof createReleases>;

/** Releases of one deployment. Whoever calls this has checked what the caller may do. */
export function createReleases({ db, versions }: Dependencies) {
  const queries = releaseQueries(db);

  async function readNamed(caller: Caller, graphId: string, number: number) {
    const { version, content } = await versions.read(caller, graphId, number);
    if (!version || version.number === null) throw new AppError("version_not_found");
    return { version: { ...version, number: version.number }, content };
  }

  async function earlierRelease(caller: Caller, graphId: string, deploymentId: string): Promise<EarlierRelease | null> {
    const newest = await queries.newest(deploymentId);
    if (!newest) return null;
    const { content } = await versions.read(caller, graphId, newest.version_id);
    return { form: newest.form, content };
  }

  return {
    async propose(
      caller: Caller,
      { graphId, deploymentId }: { graphId: string; deploymentId: string | undefined },
      number: number,
    ): Promise<ReleaseProposal> {
      const { version, content } = await readNamed(caller, graphId, number);
      const before = deploymentId === undefined ? null : await earlierRelease(caller, graphId, deploymentId);
      return { version: { number: version.number, name: version.name }, ...proposalOf(content, before) };
    },

    /** Refuses a form that does not fit, with everything that is wrong with it. */
    async check(
      caller: Caller,
      graphId: string,
      { version, form, note, channel }: ReleaseBody,
    ): Promise<CheckedRelease> {
      const named = await readNamed(caller, graphId, version);
      const checked = checkForm(form, named.content);
      if ("problems" in checked) throw new AppError("release_form_wrong", checked.problems.join("\n"));
      return { version_id: named.version.id, form: checked.form, note, channel };
    },

    /** Inside a transaction that has locked the deployment. Returns its number. */
    async add(trx: Db, caller: Caller, deploymentId: string, checked: CheckedRelease): Promise<number> {
      const inside = releaseQueries(trx);
      const { version_id, form, note, channel } = checked;
      if (!(await inside.holdVersion(version_id))) throw new AppError("version_not_found");
      const id = newId();
      const number = await inside.insert({
        ...{ id, deployment_id: deploymentId, version_id, form, note, account_id: caller.accountId },
      });
      if (channel) {
        await inside.serve(deploymentId, channel, id);
        await moveQueuedCalls(trx, deploymentId, channel);
      }
      await inside.dropUnused(deploymentId);
      return number;
    },

    /** Publishes a release, or rolls back to it. Calls that wait on the channel go with it. */
    async serve(deploymentId: string, channel: Channel, number: number | null): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const inside = releaseQueries(trx);
        const release = number === null ? null : await inside.find(deploymentId, number);
        if (release === undefined) throw new AppError("release_not_found");
        await inside.serve(deploymentId, channel, release?.id ?? null);
        await moveQueuedCalls(trx, deploymentId, channel);
      });
    },

    async get(deploymentId: string, number: number): Promise<Release> {
      const row = await queries.find(deploymentId, number);
      if (!row) throw new AppError("release_not_found");
      return toRelease(row);
    },

    async list(deploymentId: string, page: PageKeyQuery): Promise<ReleasePage> {
      const rows = await queries.list(deploymentId, page);
      const shown = rows.slice(0, page.limit);
      return { releases: shown.map(toRelease), next: rows.length > page.limit ? (shown.at(-1)?.id ?? null) : null };
    },

    /** The releases of both channels, by id. */
    async served(deployments: readonly Pick<DeploymentRow, "production_id" | "staging_id">[]) {
      const ids = deployments.flatMap(({ production_id, staging_id }) => [production_id, staging_id]);
      const rows = await queries.listByIds([...new Set(ids.filter((id) => id !== null))]);
      return new Map(rows.map((row) => [row.id, toRelease(row)]));
    },
  };
}

function toRelease(row: ReleaseView): Release {
  return {
    ...{ id: row.id, number: row.number, form: row.form, note: row.note },
    version: { id: row.version_id, number: row.version_number, name: row.version_name },
    by: authorOf(row),
    time_created: row.created_at.toISOString(),
    time_served: row.served_at?.toISOString() ?? null,
  };
}
