/** What is kept on the machines between sessions. */
export interface ProjectFolders {
  /** In bytes. Null where it could not be measured. Packages count as volumes where they are in one. */
  measure(projects: readonly { projectId: string; graphIds: readonly string[] }[]): Promise<FolderSizes[]>;
  /** Removes everything of a deleted project, or of a deleted workflow. */
  remove(id: string): Promise<void>;
  /** Removes the installed packages of a project, where they have a folder of their own. No session of it may run. */
  removePackages?(projectId: string): Promise<void>;
  /** What ended sessions left, where it is on this machine and not in a container. */
  sessions?: SessionFolders;
}

export interface SessionFolders {
  host: string;
  /** In bytes. Null when it takes too long to find out. */
  measure(jobId: string): Promise<number | null>;
  remove(jobId: string): Promise<void>;
}

export interface FolderSizes {
  projectId: string;
  volumes: number | null;
  packages: number | null;
}
