import type { Db } from "../../../platform/database/database.ts";
import { safely } from "../../../platform/errors/safely.ts";
import type { SessionFolders } from "../../../platform/project-folders.ts";
import type { ProcessorSettings } from "../../../platform/settings/processor-settings.ts";
import { createSessionFileQueries } from "./session-files-queries.ts";

interface Dependencies {
  db: Db;
  /** Undefined where sessions run in containers, which take their files with them. */
  folders: SessionFolders | undefined;
  settings: Pick<ProcessorSettings, "sessionFiles" | "diskBytes">;
  report: (error: unknown) => void;
}

/** In milliseconds. A session may leave many gigabytes, so that every hour would be too late. */
const lookEvery = 60_000;

export type SessionFiles = ReturnType<typeof createSessionFiles>;

/** What ended sessions left in their folders, and its limits. */
export function createSessionFiles({ db, folders, settings, report }: Dependencies) {
  const queries = createSessionFileQueries(db);
  let busy: Promise<void> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  async function measureNew({ host, measure }: SessionFolders): Promise<void> {
    let last: string | null = null;
    do {
      const ids = await queries.toMeasure(host, last);
      // What has too many files to be counted in time counts as the most that a session may leave.
      for (const id of ids) await queries.save(id, host, (await measure(id)) ?? settings.diskBytes);
      last = ids.at(-1) ?? null;
    } while (last !== null);
  }

  async function remove({ host, remove: removeFolder }: SessionFolders, ids: readonly string[]): Promise<number> {
    let removed = 0;
    for (const id of ids)
      try {
        await removeFolder(id);
        await queries.save(id, host, 0);
        removed++;
      } catch (error) {
        // A folder that node code made hard to remove must not keep the others.
        report(error);
      }
    return removed;
  }

  async function limit(): Promise<void> {
    if (!folders) return;
    await measureNew(folders);
    // Those that could not be removed stay first in the list: without any progress it is over.
    for (;;) {
      const ids = await queries.beyond(folders.host, settings.sessionFiles);
      if (ids.length === 0 || (await remove(folders, ids)) === 0) return;
    }
  }

  function look(): Promise<void> {
    busy ??= limit()
      .catch(report)
      .finally(() => (busy = undefined));
    return busy;
  }

  return {
    look,
    bytesOlderThan: queries.bytesOlderThan,

    removeOlderThan: async (projectId: string, days: number): Promise<void> => {
      if (folders) await remove(folders, await queries.olderThan(folders.host, projectId, days));
    },

    start(): void {
      if (!folders) return;
      void look();
      timer = setInterval(
        safely(() => void look()),
        lookEvery,
      );
      timer.unref();
    },

    async stop(): Promise<void> {
      clearInterval(timer);
      await busy;
    },
  };
}
