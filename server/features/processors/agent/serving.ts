import type { Db } from "../../../platform/database/database.ts";
import type { Balance, Charge } from "../../billing/billing-service.ts";
import type { Recorded, ServedRun } from "../../runs/run-records-service.ts";
import type { JobRow } from "../jobs/jobs-queries.ts";
import type { Batch } from "./reduce-events.ts";

/** The nodes of the release that a session has, with their names. */
interface Release {
  versionId: string;
  names: ReadonlyMap<number, string>;
}

export type ReleaseOf = (job: Pick<JobRow, "release_id">) => Release | undefined;

/** What sessions that serve calls need besides. */
export interface Serving {
  /** Undefined when it is deleted. */
  releaseOf: (job: Pick<JobRow, "release_id">) => Promise<Release | undefined>;
  /** Does what needs releases in a transaction. It begins again once those that are not in memory are read. */
  whenRead: <T>(work: (releaseOf: ReleaseOf) => Promise<T>) => Promise<T>;
  /** Ends the call of a session when it has reached a limit. True when it is being ended now. */
  checkLimits: (trx: Db, job: JobRow, run: ServedRun, charge: Charge & Balance) => Promise<boolean>;
  /** After the transaction that stored a batch. */
  reported: (
    before: JobRow,
    job: JobRow,
    stored: { run: Recorded | undefined; bars: Batch["bars"]; isEnding: boolean },
  ) => void;
}
