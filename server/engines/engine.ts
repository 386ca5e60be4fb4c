import type { ProjectFolders } from "../platform/project-folders.ts";

/** The parameters of a launch. The token is for the agent alone. */
export interface Launch {
  jobId: string;
  token: string;
  /** Tried again after the engine was away: parts of the first try may exist. */
  isAgain: boolean;
  /** The project whose files it shares: they are kept between sessions. */
  projectId: string;
  graphId: string;
  /** Cores it may use; 0 for no limit. */
  cpus: number;
  /** Bytes of memory it may use; 0 for no limit. */
  ramBytes: number;
  /** Bytes of memory that a machine must have free, where the engine chooses a machine. 0 for none. */
  reservedRamBytes: number;
  gpus: number;
  /** The image, where the engine has images. Empty for the installation's own. */
  image: string;
  /** How long it may live. 0 for no limit. */
  maxSeconds: number;
  /** It serves calls of a release, which it needs at once. */
  servesCalls: boolean;
  /** Writes a line about a slow step into the session's log. */
  log: (line: string) => Promise<void>;
}

/** What an engine needs to find its job again. Stored as JSON. */
export type EngineRef = Record<string, unknown>;

/** The engine does not answer. The launch may be retried. */
export class EngineAway extends Error {}

/**
 * What has become of an agent. `waiting`: for a machine. `unknown`: the engine does not answer, so nobody may declare
 * the agent lost.
 */
export interface Found {
  state: "running" | "waiting" | "gone" | "unknown";
  /** Why, in words for the session's log. */
  reason?: string;
}

/** The usage of a job since its launch, measured from outside. */
export interface Usage {
  cpuSeconds: number;
  ramBytes: number;
  receivedBytes: number;
  sentBytes: number;
}

/** A machine where an engine launches sessions. Null: not measured. */
export interface MachineReport {
  /** Unique among all engines of the installation. */
  id: string;
  name: string;
  version: string;
  cores: number;
  memoryBytes: number;
  freeMemoryBytes: number | null;
  /** How many programs want a core. */
  load: number | null;
  diskBytes: number | null;
  freeDiskBytes: number | null;
  state: "ready" | "down";
  /** Where the engine itself knows whether it takes new sessions. */
  isClosed?: boolean;
  /** The jobs that have anything there. */
  jobs: string[];
}

export interface EngineWarning {
  code: "no_sandbox" | "open_network";
  message: string;
}

/** Where processors run. What it launches is detached and outlives the server. It never talks to node code. */
export interface Engine {
  name: string;
  /** The memory of the machine where it launches. */
  machineBytes: number;
  /** A line for the session's log that says where it runs. The image is the launch's. */
  notice(image: string): string;
  /** Warnings for the operator about how node code is isolated. Empty when all is well. */
  warnings: EngineWarning[];
  /** A folder in which the server must open a socket for agents without another way to reach it. Null for none. */
  agentSocketFolder: string | null;
  /** The server listens now: agents that lost it must be able to find it. */
  listening(): Promise<void>;
  launch(launch: Launch): Promise<EngineRef>;
  /** Whether the launched agent exists. Another process with the same pid does not count. */
  inspect(jobId: string, ref: EngineRef | null): Promise<Found>;
  /**
   * Calls back when an agent may have ended, where the engine says so. Returns what ends the watching. True: to ask
   * `inspect` every second costs nothing.
   */
  watch: true | ((onEnd: (jobId: string) => void) => () => void) | undefined;
  /** What an agent that is gone had not sent, as it left it, where the engine can read it: runtime/miranda_agent/unsent.py. */
  unsent?(jobId: string): Promise<string[]>;
  /** Ends the agent and all its processes as soon as possible. Does nothing when they are gone. */
  stop(jobId: string, ref: EngineRef | null): Promise<void>;
  /** The jobs that have anything here, running or not. */
  list(): Promise<string[]>;
  /**
   * The usage of a job as the engine measures it, where it does. Undefined: use the agent's numbers for now. Answers
   * soon, except for a session's last sample, which is worth waiting for.
   */
  usage: ((jobId: string, isLast: boolean) => Promise<Usage | undefined>) | undefined;
  /** The machine where everything is launched. Null when the engine chooses among several. */
  machineId: string | null;
  machines(): Promise<MachineReport[]>;
  /** Opens or closes a machine to new sessions, where the engine chooses machines. Otherwise the queue does it. */
  setOpen?(machineId: string, isOpen: boolean): Promise<void>;
  /** Called when a workflow asks for packages: fetches the installer. Images bring their own. */
  packagesWanted?(): Promise<void>;
  /** Where the packages of a project are installed on this machine. Containers have theirs inside. */
  environmentsFolder?(projectId: string): string;
  /** Where a volume of a project is for the job. */
  volume(projectId: string, name: string): string;
  /** Removes the files of a job that has ended. */
  clean(jobId: string): Promise<void>;
  /** What projects keep, where the engine knows it. */
  folders?: ProjectFolders;
}
