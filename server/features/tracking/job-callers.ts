import { isAlive } from "@miranda/contract/processor.ts";
import { timingSafeEqual } from "node:crypto";

import { hashToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { findJob } from "./job-callers-queries.ts";

/** The job and its token, as agents write them (runtime/miranda_agent/tracking/forwarding.py). */
const form = /^job\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(.{1,200})$/;

/** Node code, whose calls its agent passes on. They end with the session, and count as those of who runs it. */
export function createJobCallers({ db }: { db: Db }) {
  return {
    isToken: (bearer: string): boolean => form.test(bearer),

    async authenticate(bearer: string): Promise<Caller | undefined> {
      const [, jobId = "", token = ""] = form.exec(bearer) ?? [];
      const credential = hashToken(token);
      const found = await findJob(db, jobId);
      if (!found?.token_hash || !timingSafeEqual(found.token_hash, credential)) return undefined;
      const { project_id, graph_id, account_id, username, run_id, run } = found;
      if (!isAlive(found.state) || project_id === null) return undefined;
      const job = { id: jobId, projectId: project_id, graphId: graph_id, runId: run_id, run: run ?? 0 };
      // Never with an administrator's rights: node code is not theirs.
      return { accountId: account_id, username, isAdmin: false, via: "token", credential, onlyProject: null, job };
    },
  };
}
