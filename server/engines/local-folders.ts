import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { opendir, rename } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import type { FolderSizes, ProjectFolders } from "../platform/project-folders.ts";

const run = promisify(execFile);
/** Node code may have made millions of files. */
const measurePatience = 60_000;

/** Where the node setups of a project install packages. */
export function environmentsFolder(dataFolder: string, projectId: string): string {
  return join(dataFolder, "environments", projectId);
}

/** What a session writes, and what its agent needs. */
export function sessionFolder(dataFolder: string, jobId: string): string {
  return join(dataFolder, "jobs", jobId);
}

/** The volumes of a project, or the files of a workflow. */
export function storageFolder(dataFolder: string, id: string): string {
  return join(dataFolder, "storage", id);
}

/** Removes a folder, also one that is nested deeper than a path can name. */
export async function removeFolder(folder: string): Promise<void> {
  // To start a program for each of many thousand missing folders would take hours.
  if (existsSync(folder)) await run("rm", ["-rf", "--", folder]);
}

/** Renamed first: a session that starts meanwhile gets a folder of its own. */
async function removeKept(folder: string): Promise<void> {
  const renamed = `${folder}.removed`;
  // What a server left there that was killed.
  await removeFolder(renamed);
  if (!existsSync(folder)) return;
  await rename(folder, renamed);
  await removeFolder(renamed);
}

/** What is kept on this machine between sessions. */
export function createLocalFolders(dataFolder: string): ProjectFolders {
  return {
    async measure(projects) {
      const sizes: FolderSizes[] = [];
      // One after the other: the disk serves people too.
      for (const { projectId, graphIds } of projects) {
        const volumes = await bytesOf([projectId, ...graphIds].map((id) => storageFolder(dataFolder, id)));
        sizes.push({ projectId, volumes, packages: await bytesOf([environmentsFolder(dataFolder, projectId)]) });
      }
      return sizes;
    },
    async remove(id) {
      await removeKept(storageFolder(dataFolder, id));
      await removeKept(environmentsFolder(dataFolder, id));
    },
    removePackages: (projectId) => removeKept(environmentsFolder(dataFolder, projectId)),
    sessions: {
      host: hostname(),
      measure: (jobId) => bytesOf([sessionFolder(dataFolder, jobId)]),
      remove: (jobId) => removeFolder(sessionFolder(dataFolder, jobId)),
    },
  };
}

/** Every session leaves folders behind, and most of them are empty. */
async function hasContent(folder: string): Promise<boolean> {
  const opened = await opendir(folder).catch(() => undefined);
  if (!opened) return false;
  await using entries = opened;
  return (await entries.read()) !== null;
}

/** The room that folders take on the disk. Links are not followed. Null when it takes too long to find out. */
async function bytesOf(folders: readonly string[]): Promise<number | null> {
  const filled: string[] = [];
  for (const folder of folders) if (await hasContent(folder)) filled.push(folder);
  if (filled.length === 0) return 0;
  const options = ["--summarize", "--one-file-system", "--block-size=1", "--total", "--"];
  const answer = await run("nice", ["-n", "19", "du", ...options, ...filled], { timeout: measurePatience }).catch(
    // Files that disappear meanwhile make it fail, after it has counted the others.
    (error: { stdout?: string; killed?: boolean }) => (error.killed ? undefined : { stdout: error.stdout ?? "" }),
  );
  const bytes = /(\d+)\ttotal\n$/.exec(answer?.stdout ?? "")?.[1];
  return bytes === undefined ? null : Number(bytes);
}
