/** What projects keep on the machines between their sessions. */
export interface ProjectFolders {
  /** In bytes. Null where it could not be measured. Packages count as volumes where they are in one. */
  measure(projects: readonly { projectId: string; graphIds: readonly string[] }[]): Promise<FolderSizes[]>;
  /** Removes everything of a deleted project, or of a deleted workflow. */
  remove(id: string): Promise<void>;
  /** Removes the installed packages of a project, where they have a folder of their own. No session of it may run. */
  removePackages?(projectId: string): Promise<void>;
}

export interface FolderSizes {
  projectId: string;
  volumes: number | null;
  packages: number | null;
}
