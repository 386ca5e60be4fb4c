import type { Db } from "../../../platform/database/database.ts";
import type { ProjectFolders } from "../../../platform/project-folders.ts";
import { createFolderQueries, type ProjectRow } from "./folders-queries.ts";

interface Dependencies {
  db: Db;
  /** Undefined where the engine does not know them. */
  folders: ProjectFolders | undefined;
  report: (error: unknown) => void;
}

const batch = 20;

export type Folders = ReturnType<typeof createFolders>;

/** What projects keep on the machines between their sessions: volumes, files of workflows, installed packages. */
export function createFolders({ db, folders, report }: Dependencies) {
  const queries = createFolderQueries(db);

  async function measure(projects: readonly ProjectRow[]): Promise<void> {
    for (const sizes of (await folders?.measure(projects)) ?? []) await queries.save(sizes);
  }

  return {
    hasSession: queries.hasSession,

    /** Measures one project now. */
    measureNow: async (projectId: string): Promise<void> => {
      // The sizes of before are better than none.
      await measure(await queries.find(projectId)).catch(report);
    },

    removePackages: async (projectId: string): Promise<void> => folders?.removePackages?.(projectId),

    /** A chore. */
    async *measureAll(): AsyncGenerator<void> {
      let last: string | null = null;
      do {
        const projects: ProjectRow[] = folders ? await queries.projectsAfter(last, batch) : [];
        if (projects.length > 0) await measure(projects);
        last = projects.at(-1)?.projectId ?? null;
        yield;
      } while (last !== null);
    },

    /** A chore. Folders that cannot be removed now are tried again in an hour. */
    async *removeDeleted(): AsyncGenerator<void> {
      let last: string | null = null;
      do {
        const ids: string[] = folders ? await queries.toRemove(last, batch) : [];
        for (const id of ids) {
          await folders
            ?.remove(id)
            .then(() => queries.forget(id))
            .catch(report);
          yield;
        }
        last = ids.at(-1) ?? null;
      } while (last !== null);
    },
  };
}
