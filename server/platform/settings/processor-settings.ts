import { z } from "zod";

import { StartupError } from "../errors/startup-error.ts";

const amount = (most: number, fallback: number) => z.coerce.number().min(0).max(most).default(fallback);
const whole = (least: number, fallback: number) => z.coerce.number().int().min(least).max(1_000_000).default(fallback);

const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  );
const engineNames = ["auto", "local", "docker", "swarm"] as const;

/** What engines with containers have to know. */
export interface ContainerSettings {
  /** Where Docker answers; undefined for the usual socket. */
  dockerHost: string | undefined;
  /** How long a call to it may stay without an answer, in milliseconds. */
  dockerSilence: number;
  /** The folder of Docker's client configuration, with the passwords of registries; undefined for the usual one. */
  dockerConfig: string | undefined;
  image: string;
  /** Images that compute policies may also name. A star at the end matches anything. */
  allowedImages: string[];
  /** Where agents in containers reach the server. Undefined: a socket mounted into them. */
  runnerUrl: string | undefined;
  /** The volume with this socket, when the server itself runs in a container. Undefined: a folder of this machine. */
  agentSocketVolume: string | undefined;
  network: string | undefined;
  volumeDriver: string | undefined;
  constraints: string[];
  gpuResource: string;
  tokenIn: "secret" | "environment";
}

export const processorEnvironment = {
  MIRANDA_ENGINE: z.enum(engineNames).default("auto"),
  MIRANDA_SANDBOX: z.enum(["auto", "off"]).default("auto"),
  MIRANDA_SANDBOX_PATHS: list,
  MIRANDA_UV: z.string().min(1).optional(),
  MIRANDA_PROCESSOR_NETWORK: z.enum(["open", "internet", "none"]).optional(),
  MIRANDA_PROCESSOR_ALLOW: list,
  MIRANDA_SESSION_UIDS: z
    .string()
    .regex(/^\d{1,10}-\d{1,10}$/, "two numbers with a hyphen between them")
    .default("1879100000-1879165535"),
  MIRANDA_PROCESSOR_TMP_MB: z.coerce.number().min(1).max(1_000_000).default(1_024),
  DOCKER_HOST: z.string().optional(),
  MIRANDA_DOCKER_SECONDS: z.coerce.number().min(1).max(3_600).default(120),
  DOCKER_CONFIG: z.string().optional(),
  MIRANDA_PROCESSOR_IMAGE: z.string().min(1).default("miranda-processor"),
  MIRANDA_IMAGES: list,
  MIRANDA_RUNNER_URL: z.url({ protocol: /^https?$/ }).optional(),
  MIRANDA_DOOR_VOLUME: z.string().optional(),
  MIRANDA_DOCKER_NETWORK: z.string().optional(),
  MIRANDA_VOLUME_DRIVER: z.string().optional(),
  MIRANDA_SWARM_CONSTRAINTS: list,
  MIRANDA_SWARM_GPU: z.string().min(1).default("gpu"),
  MIRANDA_SWARM_TOKEN: z.enum(["secret", "environment"]).default("secret"),
  MIRANDA_PROCESSORS: whole(1, 16),
  MIRANDA_PROCESSORS_PER_ACCOUNT: whole(1, 4),
  MIRANDA_HEARTBEAT_SECONDS: z.coerce.number().min(0.2).max(300).default(10),
  MIRANDA_LOST_SECONDS: z.coerce.number().min(0.1).max(3_600).default(30),
  MIRANDA_GIVE_UP_SECONDS: z.coerce.number().min(1).max(86_400).default(600),
  MIRANDA_ENGINE_AWAY_SECONDS: z.coerce.number().min(0).max(3_600).default(45),
  MIRANDA_IDLE_MINUTES: z.coerce.number().min(0).max(1_000_000).default(30),
  MIRANDA_BUDGET_MINUTES: z.coerce.number().min(0.01).max(1_000_000).default(30),
  MIRANDA_GRACE_SECONDS: z.coerce.number().min(0).max(300).default(3),
  MIRANDA_GIT_SECONDS: z.coerce.number().min(1).max(55).default(55),
  MIRANDA_PRICE_CORE_HOUR: amount(1e6, 0.5),
  MIRANDA_PRICE_RAM_GB_HOUR: amount(1e6, 0.05),
  MIRANDA_PRICE_HOUR: amount(1e6, 0.1),
  MIRANDA_START_CREDITS: amount(1e6, 1),
  MIRANDA_LOG_MB: z.coerce.number().min(0.01).max(100_000).default(256),
  MIRANDA_OUTPUTS_MB: z.coerce.number().min(0.01).max(100_000).default(256),
  MIRANDA_SESSION_DAYS: whole(1, 30),
  MIRANDA_PROJECT_SESSION_FILES_GB: amount(1e6, 20),
  MIRANDA_SESSION_FILES_GB: amount(1e6, 100),
  MIRANDA_PROCESSOR_PROCESSES: whole(0, 512),
  MIRANDA_PARALLEL_NODES: whole(0, 0),
  MIRANDA_PROCESSOR_DISK_GB: amount(1e6, 20),
  MIRANDA_PROJECT_DISK_GB: amount(1e6, 100),
  MIRANDA_RESULT_GB: amount(1e6, 5),
  MIRANDA_PROCESSOR_FILES: z.coerce.number().int().min(1).max(1_000_000).default(100_000),
  MIRANDA_PROCESSOR_RAM_GB: z.coerce.number().min(0).max(1e6).optional(),
  MIRANDA_DISK_RESERVE_MB: amount(1e6, 256),
};

export interface ProcessorSettings {
  engine: (typeof engineNames)[number];
  containers: ContainerSettings;
  /** Whether the local engine uses a sandbox when it can, and what else is visible in it. */
  sandbox: boolean;
  sandboxPaths: string[];
  /** What installs the packages of nodes: a path, `off` for pip, undefined to look for it or to fetch it. */
  uv: string | undefined;
  /** What node code may reach in a sandbox; undefined for the best that this machine can do. */
  network: "open" | "internet" | "none" | undefined;
  /** Hosts, addresses and ranges that it may reach besides. */
  networkAllow: string[];
  /** The accounts for sessions of a server that is root. */
  sessionUsers: { first: number; last: number };
  /** The size of the sandbox's /tmp, which is memory. */
  temporaryBytes: number;
  /** How many run at once: in all, and of one account. Others wait. */
  most: number;
  mostPerAccount: number;
  heartbeatSeconds: number;
  /** An agent silent for this long is looked for. Only its engine decides whether it is gone. */
  lostSeconds: number;
  /** An agent that cannot reach a server for this long ends its job. */
  giveUpSeconds: number;
  /** A launch is retried for this long while the engine does not answer. */
  engineAwaySeconds: number;
  /** A session that nobody uses for this long ends; 0 for never. */
  idleSeconds: number;
  /** A run that has reached its limit waits this long for an answer. */
  budgetSeconds: number;
  /** The time between asking a processor to end and killing it. */
  graceSeconds: number;
  /** How long git may take; people wait a minute for its answer. */
  gitSeconds: number;
  prices: { coreHour: number; ramGbHour: number; hour: number };
  /** The credits that an account must have for each running processor when it starts another one. */
  startCredits: number;
  logBytes: number;
  /** How much a session may show. Outputs beyond that are neither stored nor published. */
  outputBytes: number;
  sessionDays: number;
  /** How much the files of ended sessions may take: those of a project, and all. */
  sessionFiles: { ofProject: number; ofAll: number };
  mostProcesses: number;
  /** How many nodes of a session may run at the same time; 0 for as many as it has cores. */
  parallelNodes: number;
  diskBytes: number;
  /** How much a project may keep between its sessions; 0 for no limit. */
  keptBytes: number;
  /** How much of what its nodes sent a project may keep for later sessions; 0 for nothing. */
  resultBytes: number;
  /** How many files a bucket of a storage policy may bring. */
  mostFiles: number;
  /** Memory of a session without a compute policy: 0 for no limit, undefined for half of its machine's. */
  ramBytes: number | undefined;
  /** When less than this is left on the embedded database's disk, sessions that print are ended. */
  diskReserveBytes: number;
}

type Values = z.infer<z.ZodObject<typeof processorEnvironment>>;

export function toProcessorSettings(value: Values): ProcessorSettings {
  if (value.MIRANDA_LOST_SECONDS <= value.MIRANDA_HEARTBEAT_SECONDS)
    throw new StartupError(
      `MIRANDA_LOST_SECONDS (${value.MIRANDA_LOST_SECONDS}) must be more than MIRANDA_HEARTBEAT_SECONDS ` +
        `(${value.MIRANDA_HEARTBEAT_SECONDS}), or every processor would be asked after all the time.`,
    );
  if (value.MIRANDA_DOOR_VOLUME && value.MIRANDA_RUNNER_URL)
    throw new StartupError(
      "MIRANDA_DOOR_VOLUME and MIRANDA_RUNNER_URL are two ways for agents to reach the server. Set one of them.",
    );
  return {
    engine: value.MIRANDA_ENGINE,
    sandbox: value.MIRANDA_SANDBOX === "auto",
    sandboxPaths: value.MIRANDA_SANDBOX_PATHS,
    uv: value.MIRANDA_UV,
    network: value.MIRANDA_PROCESSOR_NETWORK,
    networkAllow: value.MIRANDA_PROCESSOR_ALLOW,
    sessionUsers: toUsers(value.MIRANDA_SESSION_UIDS),
    temporaryBytes: Math.round(value.MIRANDA_PROCESSOR_TMP_MB * 1e6),
    containers: {
      dockerHost: value.DOCKER_HOST,
      dockerSilence: value.MIRANDA_DOCKER_SECONDS * 1_000,
      dockerConfig: value.DOCKER_CONFIG,
      image: value.MIRANDA_PROCESSOR_IMAGE,
      allowedImages: value.MIRANDA_IMAGES,
      runnerUrl: value.MIRANDA_RUNNER_URL?.replace(/\/$/, ""),
      agentSocketVolume: value.MIRANDA_DOOR_VOLUME,
      network: value.MIRANDA_DOCKER_NETWORK,
      volumeDriver: value.MIRANDA_VOLUME_DRIVER,
      constraints: value.MIRANDA_SWARM_CONSTRAINTS,
      gpuResource: value.MIRANDA_SWARM_GPU,
      tokenIn: value.MIRANDA_SWARM_TOKEN,
    },
    most: value.MIRANDA_PROCESSORS,
    mostPerAccount: value.MIRANDA_PROCESSORS_PER_ACCOUNT,
    heartbeatSeconds: value.MIRANDA_HEARTBEAT_SECONDS,
    lostSeconds: value.MIRANDA_LOST_SECONDS,
    giveUpSeconds: value.MIRANDA_GIVE_UP_SECONDS,
    engineAwaySeconds: value.MIRANDA_ENGINE_AWAY_SECONDS,
    idleSeconds: value.MIRANDA_IDLE_MINUTES * 60,
    budgetSeconds: value.MIRANDA_BUDGET_MINUTES * 60,
    graceSeconds: value.MIRANDA_GRACE_SECONDS,
    gitSeconds: value.MIRANDA_GIT_SECONDS,
    prices: {
      coreHour: value.MIRANDA_PRICE_CORE_HOUR,
      ramGbHour: value.MIRANDA_PRICE_RAM_GB_HOUR,
      hour: value.MIRANDA_PRICE_HOUR,
    },
    startCredits: value.MIRANDA_START_CREDITS,
    logBytes: value.MIRANDA_LOG_MB * 1e6,
    outputBytes: value.MIRANDA_OUTPUTS_MB * 1e6,
    sessionDays: value.MIRANDA_SESSION_DAYS,
    sessionFiles: {
      ofProject: value.MIRANDA_PROJECT_SESSION_FILES_GB * 1e9,
      ofAll: value.MIRANDA_SESSION_FILES_GB * 1e9,
    },
    mostProcesses: value.MIRANDA_PROCESSOR_PROCESSES,
    parallelNodes: value.MIRANDA_PARALLEL_NODES,
    diskBytes: value.MIRANDA_PROCESSOR_DISK_GB * 1e9,
    keptBytes: value.MIRANDA_PROJECT_DISK_GB * 1e9,
    resultBytes: value.MIRANDA_RESULT_GB * 1e9,
    mostFiles: value.MIRANDA_PROCESSOR_FILES,
    ramBytes: value.MIRANDA_PROCESSOR_RAM_GB === undefined ? undefined : value.MIRANDA_PROCESSOR_RAM_GB * 1e9,
    diskReserveBytes: value.MIRANDA_DISK_RESERVE_MB * 1e6,
  };
}

function toUsers(range: string): { first: number; last: number } {
  const [first = 0, last = 0] = range.split("-").map(Number);
  if (first < 1 || last < first)
    throw new StartupError(
      `MIRANDA_SESSION_UIDS (${range}) must be two accounts, the lower one first, and not root's.`,
    );
  return { first, last };
}
