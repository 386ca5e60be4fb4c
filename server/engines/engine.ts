/** What a job is launched with. The token is for the agent alone. */
export interface Launch {
  jobId: string;
  token: string;
  /** It was tried before, when the engine went away: something of that may be there. */
  isAgain: boolean;
  /** Whose files it shares: those of a project are kept between its sessions. */
  projectId: string;
  graphId: string;
  /** Cores it may use; 0 for no limit. */
  cpus: number;
  /** Bytes of memory it may use; 0 for no limit. */
  ramBytes: number;
  /** Bytes of memory that a machine must have left for it, where the engine looks for a machine; 0 for none. */
  reservedRamBytes: number;
  gpus: number;
  /** What it runs in, where engines have images; empty for the installation's own. */
  image: string;
  /** How long it may live; 0 for as long as it likes. */
  maxSeconds: number;
  /** Says in the session's log what takes so long. */
  log: (line: string) => Promise<void>;
}

/** What an engine needs to find again what it launched. It is stored, so it is plain JSON. */
export type EngineRef = Record<string, unknown>;

/** The engine itself does not answer: what was to be launched may be tried again. */
export class EngineAway extends Error {}

/**
 * What has become of an agent. `waiting` is for a place to run, `unknown` when the engine itself does not answer: nobody
 * may be declared lost for that.
 */
export interface Found {
  state: "running" | "waiting" | "gone" | "unknown";
  /** Why, in words for the session's log. */
  reason?: string;
}

/** What a job has used since it was launched, measured from outside it. */
export interface Usage {
  cpuSeconds: number;
  ramBytes: number;
  receivedBytes: number;
  sentBytes: number;
}

export interface EngineWarning {
  code: "no_sandbox" | "open_network";
  message: string;
}

/** Where processors run. What it launches is detached and outlives the server; it never talks to node code. */
export interface Engine {
  name: string;
  /** The memory of the machine where it launches. */
  machineBytes: number;
  /** What to tell people in the session's log about where they are; the image is the launch's. */
  notice(image: string): string;
  /** What the operator must know about how well node code is kept to itself; empty when all is well. */
  warnings: EngineWarning[];
  /** A folder in which the server must open a socket for agents that reach it by no other way; null for none. */
  agentSocketFolder: string | null;
  /** The server listens now: agents that lost it must be able to find it. */
  listening(): Promise<void>;
  launch(launch: Launch): Promise<EngineRef>;
  /** Whether the agent it launched is there. A stranger under the same pid is not. */
  inspect(jobId: string, ref: EngineRef | null): Promise<Found>;
  /** Ends the agent and everything below it, as soon as it can. Ending what is gone already is no error. */
  stop(jobId: string, ref: EngineRef | null): Promise<void>;
  /** The jobs that have something here, running or not. */
  list(): Promise<string[]>;
  /**
   * What a job uses by the engine's own account, if it has one; undefined for now when the agent's counts. Soon, but for a
   * session's last sample: that is worth waiting for.
   */
  usage: ((jobId: string, isLast: boolean) => Promise<Usage | undefined>) | undefined;
  /** A workflow asks for packages: what installs them should be there soon. Images bring their own. */
  packagesWanted?(): Promise<void>;
  /** Where the packages of a project are installed on this machine. Containers keep theirs to themselves. */
  environmentsFolder?(projectId: string): string;
  /** Where a volume of a project is for the job. */
  volume(projectId: string, name: string): string;
  /** Removes the files of a job that has ended. */
  clean(jobId: string): Promise<void>;
}
