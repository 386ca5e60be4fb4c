import { spawn } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

import { largestResult } from "../limits.ts";
import { findPython, pythonVersions, runtimeFolder } from "../platform/python.ts";
import type { Engine, EngineRef, Launch } from "./engine.ts";
import { createLocalFolders, environmentsFolder, removeFolder, sessionFolder, storageFolder } from "./local-folders.ts";
import { createUv, toolsFolder } from "./uv.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { ownMachine, ownMemory } from "./machine-report.ts";
import { descendantsOf, findProcess, markedBy, type ProcessInfo, signal } from "./processes.ts";
import { ignore } from "../platform/errors/safely.ts";

interface LocalSettings {
  dataFolder: string;
  /** The server's present address. */
  address: () => string;
  heartbeatSeconds: number;
  graceSeconds: number;
  giveUpSeconds: number;
  mostProcesses: number;
  parallelNodes: number;
  diskBytes: number;
  /** What sessions must leave free on the disk. */
  diskReserveBytes: number;
  /** How much a project may keep between its sessions. */
  keptBytes: number;
  /** The same for what its nodes sent. */
  resultBytes: number;
  sandbox: Sandbox;
  /** The operator's uv, or `off`; undefined to look for it, or to fetch it. */
  uv: string | undefined;
  log: (line: string) => void;
}

const LocalRef = z.object({ pid: z.number(), start: z.string(), host: z.string().optional() });
type LocalRef = z.infer<typeof LocalRef>;

const killPatience = 10_000;
const unsentFiles = ["unsent-a", "unsent-b"];
/** Twice what an agent writes: runtime/miranda_agent/unsent.py. */
const unsentMost = 64 << 20;
// The variables of our environment that the agent gets. The worker gets fewer.
const passedOn =
  /^(PATH|HOME|LANG|TZ|TMPDIR|USER|LOGNAME|SHELL|LD_LIBRARY_PATH|(LC|PIP|UV|CUDA|NVIDIA)_.*|.*_proxy|.*_PROXY|SSL_CERT_.*|REQUESTS_CA_BUNDLE)$/;

/** Processors as local processes. */
export function createLocalEngine(settings: LocalSettings): Engine {
  const { dataFolder } = settings;
  const folderOf = (jobId: string): string => sessionFolder(dataFolder, jobId);
  const uv = createUv(settings);
  const addressFile = join(dataFolder, "address");

  async function launch({
    jobId,
    token,
    projectId,
    graphId,
    cpus,
    ramBytes,
    maxSeconds,
    servesCalls,
  }: Launch): Promise<LocalRef> {
    const python = await findPython();
    if (!python) throw new Error("There is no Python from 3.11 on on this machine.");
    const folder = folderOf(jobId);
    const work = join(folder, "work");
    const storage = storageFolder(dataFolder, graphId);
    const environments = environmentsFolder(dataFolder, projectId);
    const project = storageFolder(dataFolder, projectId);
    const git = join(folder, "git");
    const results = join(folder, "results");
    const sandboxSettings = await settings.sandbox.prepare(dataFolder, {
      ...{ own: folder, work, git, project, results },
      others: [storage, environments],
      tools: toolsFolder(dataFolder),
    });
    const lines = {
      job: jobId,
      project: projectId,
      token,
      url: settings.address(),
      address_file: addressFile,
      folder: work,
      runtime: runtimeFolder,
      python: python.executable,
      storage,
      environments,
      uv: uv.path ?? "",
      pythons: (await pythonVersions()).join(" "),
      heartbeat: settings.heartbeatSeconds,
      grace: settings.graceSeconds,
      give_up_after: settings.giveUpSeconds,
      processes: settings.mostProcesses,
      parallel: settings.parallelNodes || cpus,
      disk_bytes: settings.diskBytes,
      // Sessions stop before the database does.
      reserve_bytes: 2 * settings.diskReserveBytes,
      cpus,
      ram_bytes: ramBytes,
      max_seconds: maxSeconds,
      ...(servesCalls && { serves_calls: 1 }),
      kept_bytes: settings.keptBytes,
      results,
      result_bytes: largestResult(settings.resultBytes),
      kept_folders: [project, storage, environments].join("\u001f"),
      ...sandboxSettings,
      // Not in a folder that node code sees: the server takes what is there for the agent's word.
      unsent: folder,
    };
    const settingsFile = join(folder, "settings");
    const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(settingsFile, text.join(""), { mode: 0o600 });
    // A file, not a pipe: when the server is killed, a pipe would end the agent that writes to it.
    const log = await open(join(folder, "agent.log"), "a");
    try {
      const script = `import sys; sys.path.insert(0, ${JSON.stringify(runtimeFolder)}); from miranda_agent.agent import main; main(${JSON.stringify(settingsFile)})`;
      const child = spawn(python.executable, ["-I", "-S", "-c", script], {
        cwd: folder,
        detached: true,
        stdio: ["ignore", log.fd, log.fd],
        env: { ...ownEnvironment(), MIRANDA_JOB: jobId },
      });
      const { pid } = child;
      if (pid === undefined) throw await new Promise<Error>((resolve) => child.once("error", resolve));
      child.on("error", ignore);
      child.unref();
      const found = await findProcess(pid);
      const ref = { pid, start: found?.start ?? "", host: hostname() };
      await writeFile(join(folder, "pid"), JSON.stringify(ref));
      return ref;
    } finally {
      await log.close();
    }
  }

  async function findAgent(jobId: string, ref: EngineRef | null): Promise<ProcessInfo | undefined> {
    const known = LocalRef.safeParse(ref ?? (await readRef(folderOf(jobId)))).data;
    if (!known || isElsewhere(known)) return undefined;
    const found = await findProcess(known.pid);
    return found && found.start === known.start && !found.isZombie ? found : undefined;
  }

  async function list(): Promise<string[]> {
    const names = await readdir(join(dataFolder, "jobs")).catch(() => []);
    const running = await Promise.all(names.map(async (name) => ((await findAgent(name, null)) ? name : undefined)));
    return running.filter((name) => name !== undefined);
  }

  const machineId = `local:${hostname()}`;

  return {
    name: "local",
    machineBytes: ownMemory(),
    notice: () => settings.sandbox.notice,
    warnings: settings.sandbox.warnings,
    agentSocketFolder: null,
    launch,

    async listening() {
      await mkdir(dataFolder, { recursive: true, mode: 0o700 });
      // Renamed into place: an agent must never read half an address.
      await writeFile(`${addressFile}.new`, settings.address());
      await rename(`${addressFile}.new`, addressFile);
      await settings.sandbox.warmUp(dataFolder);
    },

    async inspect(jobId, ref) {
      if (isElsewhere(ref)) return { state: "unknown" };
      return { state: (await findAgent(jobId, ref)) ? "running" : "gone" };
    },

    watch: true,

    unsent: async (jobId) => {
      const found = await Promise.all(unsentFiles.map((name) => readUnsent(join(folderOf(jobId), name))));
      return found.filter((text) => text !== "");
    },

    async stop(jobId, ref) {
      const until = Date.now() + killPatience;
      while (Date.now() < until) {
        const agent = await findAgent(jobId, ref);
        const tree = agent ? [agent, ...(await descendantsOf(agent.pid))] : [];
        const all = [...tree, ...(await markedBy(`MIRANDA_JOB=${jobId}`))].filter(({ isZombie }) => !isZombie);
        if (all.length === 0) return;
        // Stop all processes first: one that forks faster than it is killed would never end.
        for (const one of all) signal(one, "SIGSTOP");
        for (const one of all) signal(one, "SIGKILL");
        await sleep(20);
      }
    },

    list,
    machineId,
    machines: async () => [{ ...(await ownMachine(dataFolder)), id: machineId, jobs: await list() }],

    // The agent measures the worker and all its processes.
    usage: undefined,

    packagesWanted: () => uv.want(),

    environmentsFolder: (projectId) => environmentsFolder(dataFolder, projectId),
    volume: (projectId, name) => join(storageFolder(dataFolder, projectId), name),
    clean: (jobId) => removeFolder(folderOf(jobId)),
    folders: createLocalFolders(dataFolder),
  };
}

/** Whether the job is on another server's machine, whose processes we cannot see. */
function isElsewhere(ref: EngineRef | null): boolean {
  const host = ref?.["host"];
  return typeof host === "string" && host !== hostname();
}

async function readRef(folder: string): Promise<unknown> {
  const file = join(folder, "pid");
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Without a sandbox node code could put anything there: a link is not followed, and a pipe is not waited for. */
async function readUnsent(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file) return "";
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= unsentMost ? await file.readFile("utf8") : "";
  } finally {
    await file.close();
  }
}

function ownEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && passedOn.test(name)) kept[name] = value;
  return kept;
}
