import type { CodeLines, LastChange, NodeChanges } from "@miranda/contract/schemas/comments/last-changes.ts";

import { createHash } from "node:crypto";

import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { finishInSlices } from "../../platform/time-slicing.ts";
import type { Nodes } from "../nodes/nodes-service.ts";
import { blame } from "./blame.ts";
import { type ChangeRow, lastChangeQueries } from "./last-changes-queries.ts";
import { createLineCache } from "./line-cache.ts";

/** The newest commits that are compared, and how much of them. */
const compared = { commits: 100, characters: 2_000_000 } as const;

export type LastChanges = ReturnType<typeof createLastChanges>;

/** Who changed a node last, and who wrote each line of its code. */
export function createLastChanges({ db, nodes }: { db: Db; nodes: Pick<Nodes, "getNode"> }) {
  const queries = lastChangeQueries(db);
  const cache = createLineCache();
  return {
    async ofNode(caller: Caller, metadataId: number): Promise<NodeChanges> {
      await nodes.getNode(caller, metadataId, "read");
      const row = await queries.ofNode(metadataId);
      return { last: row ? toChange(row) : null };
    },

    /** Of the code that is committed. Lines without a writer are older than the newest commits, or took too long to compare. */
    async ofLines(caller: Caller, metadataId: number): Promise<CodeLines> {
      const node = await nodes.getNode(caller, metadataId, "read");
      const rows = await queries.commits(metadataId, compared.commits, compared.characters);
      const code = node.source_code.replaceAll(/\r\n?/g, "\n");
      const texts = rows.map(({ source_code }) => source_code.replaceAll(/\r\n?/g, "\n"));
      // The node's code may have changed without a commit, for example by an import.
      const isCommitted = texts.at(-1) === code;
      const key = `${rows[0]?.number} ${rows.at(-1)?.number} ${createHash("sha256").update(code).digest("base64")}`;
      let lines = cache.find(metadataId, key);
      if (!lines) {
        const versions = isCommitted ? texts : [...texts, code];
        const { origins, isComplete } = await finishInSlices(blame(versions, rows[0]?.number === 1));
        cache.keep(metadataId, key, origins, isComplete);
        lines = origins;
      }
      return {
        commits: rows.map(({ number, message, with: writers, ...row }) => ({
          ...toChange(row),
          ...{ number, message, with: writers },
        })),
        lines: lines.map((at) => (at !== null && at < rows.length ? at : null)),
      };
    },
  };
}

function toChange({ changed_at, username, first_name, last_name }: ChangeRow): LastChange {
  const name = `${first_name ?? ""} ${last_name ?? ""}`.trim();
  return { by: username, name: name || (username ?? "A deleted account"), time: changed_at.toISOString() };
}
