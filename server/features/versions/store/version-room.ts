import { messages } from "@miranda/contract/words/messages.ts";

import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import { addWithinQuota } from "../../../platform/limits/quota-lock.ts";
import type { Quotas } from "../../../platform/limits/quota-settings.ts";
import { type VersionBytes, versionRoomQueries } from "./version-room-queries.ts";

interface Dependencies {
  db: Db;
  quotas: Pick<Quotas, "versionBytes">;
  /** Tells everybody in a workflow that its list of versions has changed. */
  announce: (graphId: string) => void;
}

export type VersionRoom = ReturnType<typeof createVersionRoom>;

const noVersion = "00000000-0000-0000-0000-000000000000";

/** Keeps the versions of each project within its quota. Automatic ones are removed, named ones are refused. */
export function createVersionRoom({ db, quotas, announce }: Dependencies) {
  const most = quotas.versionBytes;

  return {
    bytesOf: (trx: Db, projectId: string): Promise<VersionBytes> => versionRoomQueries(trx).bytesOf(projectId),

    /** After a named version is added, in the same transaction. `before` is what there was without it. */
    async refuseFull(trx: Db, projectId: string, before: VersionBytes): Promise<void> {
      const { named } = await versionRoomQueries(trx).bytesOf(projectId);
      if (named > most)
        throw new AppError("versions_full", messages.versionsFull(before.named, named - before.named, most));
    },

    /**
     * Removes the oldest automatic versions of a workflow's project until all fit. Never in the transaction that adds a
     * version: two of them that remove each other's would wait for each other.
     */
    async makeRoom(graphId: string, keep: string = noVersion): Promise<void> {
      const projectId = await versionRoomQueries(db).projectOf(graphId);
      if (projectId === undefined) return;
      // Twice as many each time: thousands that share most of their parts free little each.
      for (let count = 1; ; count *= 2) {
        if ((await versionRoomQueries(db).bytesOf(projectId)).all <= most) return;
        const counted = { what: "version bytes", owner: projectId } as const;
        const changed = await addWithinQuota(db, counted, (trx) =>
          versionRoomQueries(trx).removeOldest(projectId, count, keep),
        );
        for (const id of new Set(changed)) announce(id);
        if (changed.length < count) return;
      }
    },
  };
}
