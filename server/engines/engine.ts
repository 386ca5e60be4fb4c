/** What a job is launched with. The token is for the agent alone. */
export interface Launch {
  jobId: string;
  token: string;
  /** The name of the folder that node code keeps between sessions. */
  storage: string;
  /** Bytes of memory the job may use; 0 for no limit. */
  ramBytes: number;
  /** How long it may live; 0 for as long as it likes. */
  maxSeconds: number;
}

/** What an engine needs to find again what it launched. It is stored, so it is plain JSON. */
export type EngineRef = Record<string, unknown>;

/** Where processors run. What it launches is detached and outlives the server; it never talks to node code. */
export interface Engine {
  name: string;
  /** What to tell people in the session's log about where they are; null for nothing. */
  notice: string | null;
  /** The server listens now: agents that lost it must be able to find it. */
  listening(): Promise<void>;
  launch(launch: Launch): Promise<EngineRef>;
  /** Whether the agent it launched is there. A stranger under the same pid is not. */
  inspect(jobId: string, ref: EngineRef | null): Promise<"running" | "gone">;
  /** Ends the agent and everything below it, now. Ending what is gone already is no error. */
  stop(jobId: string, ref: EngineRef | null): Promise<void>;
  /** The jobs that have a process here. */
  list(): Promise<string[]>;
  /** Where a volume of a project is for the job. */
  volume(projectId: string, name: string): string;
  /** Removes the files of a job that has ended. */
  clean(jobId: string): Promise<void>;
}
