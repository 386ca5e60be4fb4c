import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { findPython, type Python, runtimeFolder } from "../../platform/python.ts";
import { lastLineOf } from "../../platform/errors/error-details.ts";
import { StartupError } from "../../platform/errors/startup-error.ts";
import type { EngineWarning } from "../engine.ts";
import { copySettings, machineFiles, writeOwnFiles } from "./machine-files.ts";
import { openNetwork, type Network, type NetworkMode } from "./network.ts";
import { findProgram } from "./programs.ts";
import { createSessionUsers, makePrivate, type UserRange } from "./session-users.ts";
import { systemCallFilter } from "./system-call-filter.ts";
import { withTunnel } from "./tunnel-device.ts";

const run = promisify(execFile);
const probeWithin = 20_000;
/** File descriptors that the agent prepares: runtime/miranda_agent/sandbox.py. */
const filterAt = "5";
const infoAt = "6";
const kept = ["storage", "environments"] as const;

export interface SandboxSettings {
  /** Whether to use a sandbox when this machine can. */
  sandbox: boolean;
  /** Further paths visible in the sandbox. */
  sandboxPaths: string[];
  network: NetworkMode | undefined;
  networkAllow: string[];
  sessionUsers: UserRange;
  temporaryBytes: number;
  /** Where sessions will be. Trying the sandbox there makes what the first of them needs. */
  dataFolder?: string;
}

/** The folders of a session. All but the first are shared with other sessions of its project. */
export interface SessionFolders {
  /** For the server only. */
  own: string;
  work: string;
  git: string;
  project: string;
  others: string[];
  /** Results that the agent loads for node code, which may read and not write them. */
  results: string;
  /** Programs of the installation, which every session may read and none may write. Empty when there are none. */
  tools: string;
}

export interface Sandbox {
  /** Where the processor runs, for the session's log. */
  notice: string;
  /** Warnings for the operator. Empty when node code is isolated. */
  warnings: EngineWarning[];
  /** Prepares what the first session would otherwise wait for. */
  warmUp(dataFolder: string): Promise<void>;
  /** Creates a session's folders. Returns settings for its agent. */
  prepare(dataFolder: string, folders: SessionFolders): Promise<Record<string, string>>;
}

const here = "This processor runs as a process of the server's machine";
const install = "Install bubblewrap and pasta (Debian: apt-get install bubblewrap passt)";

/** Runs node code with the server's own rights. */
export function withoutSandbox(reason: string | undefined): Sandbox {
  const why = reason === undefined ? "" : `: ${reason}`;
  return {
    notice: `${here}, with the server's own rights${why}.`,
    warnings: [
      {
        code: "no_sandbox",
        message:
          `Node code runs with the server's own rights${why}. Everybody who may edit a workflow can read the server's ` +
          `files, its secrets and its database. ${install}, or let processors run in containers.`,
      },
    ],
    warmUp: async () => undefined,
    async prepare(_dataFolder, { own, work, project, others, results }) {
      await makePrivate([own, work, project, results, ...others]);
      return {};
    },
  };
}

/** The best sandbox that this machine can make. */
export async function openSandbox(settings: SandboxSettings): Promise<Sandbox> {
  if (!settings.sandbox) return withoutSandbox(undefined);
  const bubblewrap = findProgram("bwrap");
  if (!bubblewrap) return withoutSandbox("bubblewrap is not installed");
  const python = await findPython();
  if (!python) return withoutSandbox("there is no Python from 3.11 on");
  const filter = systemCallFilter(machineFiles.devices().length > 0);
  const isRoot = process.getuid?.() === 0;
  const setpriv = findProgram("setpriv");
  if (isRoot && !setpriv) return withoutSandbox("setpriv is not installed (Debian: util-linux)");
  const network = openNetwork(settings);
  if (settings.network === "internet" && network.warning !== undefined)
    throw new StartupError(`MIRANDA_PROCESSOR_NETWORK is internet, but: ${network.warning}`);
  const build = (place: Place) =>
    isRoot && setpriv ? aroundAsRoot(bubblewrap, setpriv, place) : aroundAsAnybody(bubblewrap, place);

  const settingsIn = new Map<string, Promise<string>>();
  function copiesIn(folder: string): Promise<string> {
    const copies = settingsIn.get(folder) ?? makePrivate([folder]).then(() => copySettings(folder));
    settingsIn.set(folder, copies);
    return copies;
  }

  const placeOf = async (dataFolder: string, folders: SessionFolders, shown: string[], uid: number | undefined) => {
    const place = shown.length > 0 ? dataFolder : settings.dataFolder;
    const copies = await copiesIn(place === undefined ? folders.own : join(place, "sandbox"));
    const files = { "/etc": copies, ...(await writeOwnFiles(folders.own, uid, network.nameservers)) };
    const tools = [folders.tools, folders.results].filter(Boolean);
    const rest = { tools, settings, python, network, hasFilter: filter !== undefined, files };
    return { ...rest, dataFolder, shown, home: shown[0] ?? "/", uid };
  };

  const problem = await probe(settings, placeOf, build);
  if (problem !== undefined) return withoutSandbox(`its sandbox could not be made (${problem})`);
  const users = new Map<string, ReturnType<typeof createSessionUsers>>();
  return {
    notice: `${here}, in a sandbox of its own.`,
    warnings: network.warning === undefined ? [] : [{ code: "open_network", message: network.warning }],
    warmUp: async (dataFolder) => void (await copiesIn(join(dataFolder, "sandbox"))),
    async prepare(dataFolder, folders) {
      const { own, work, git, project, others } = folders;
      await makePrivate([own, ...kept.map((name) => join(dataFolder, name))]);
      for (const folder of [folders.tools, folders.results]) await mkdir(folder, { recursive: true, mode: 0o755 });
      let uid: number | undefined;
      if (isRoot) {
        const claim = users.get(dataFolder) ?? createSessionUsers(dataFolder, settings.sessionUsers);
        users.set(dataFolder, claim);
        uid = await claim(project, [work, ...others]);
      } else await makePrivate([work, project, ...others]);
      const plan = network.mode === "internet" ? await network.plan() : null;
      const place = await placeOf(dataFolder, folders, [work, project, ...others], uid);
      const asUser =
        uid === undefined
          ? []
          : [...(plan ? await withTunnel(join(dataFolder, "sandbox")) : []), setpriv ?? "", ...identity(uid), "--"];
      const separated = (parts: string[]): string => parts.join("\u001f");
      return {
        sandbox_worker: separated(build(place)),
        sandbox_git: separated(build({ ...place, shown: [git], tools: [folders.tools], home: git })),
        sandbox_filter: filter?.toString("hex") ?? "",
        ...(plan && {
          sandbox_connect: separated([...asUser, ...plan.connect]),
          sandbox_rules: JSON.stringify(plan.rules),
        }),
        git_folder: git,
        ...(uid !== undefined && { git_owner: String(uid) }),
      };
    },
  };
}

interface Place {
  settings: SandboxSettings;
  python: Python;
  network: Network;
  hasFilter: boolean;
  /** Our files that replace the machine's: path inside the sandbox to path outside. */
  files: Record<string, string>;
  dataFolder: string;
  /** Folders that node code may write. */
  shown: string[];
  tools: string[];
  home: string;
  uid: number | undefined;
}

type Build = (place: Place) => string[];

/** What is visible in a sandbox: the machine's programs, a few of its files, and the session's own folders. */
function view({ settings, python, files, dataFolder, shown, tools, home }: Place): string[] {
  const size = String(settings.temporaryBytes);
  const installed = [...machineFiles.programs, ...python.prefixes, runtimeFolder];
  const paths = [...installed, ...machineFiles.named(), ...settings.sandboxPaths];
  const readable = paths.flatMap((path) => ["--ro-bind-try", path, path]);
  return [
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--perms", "1777", "--size", size, "--tmpfs", "/tmp"],
    // Unless listed here, parent folders are created for the account that runs bubblewrap only.
    ...foldersAbove([...paths, dataFolder]),
    ...Object.entries(files).flatMap(([there, path]) => ["--ro-bind", path, there]),
    ...readable,
    ...machineFiles.devices().flatMap((path) => ["--dev-bind", path, path]),
    // The data folder may be inside a visible folder.
    ...["--perms", "0755", "--tmpfs", dataFolder, ...foldersAbove(shown, dataFolder)],
    ...shown.flatMap((path) => ["--bind", path, path]),
    ...tools.flatMap((path) => ["--ro-bind", path, path]),
    ...["--remount-ro", dataFolder, "--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--setenv", "HOME", home, "--unsetenv", "TMPDIR"],
  ];
}

const apart = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"];

function inside({ network, hasFilter }: Place): string[] {
  return [
    ...(network.mode === "open" ? [] : ["--unshare-net"]),
    ...(network.mode === "internet" ? ["--info-fd", infoAt] : []),
    ...(hasFilter ? ["--seccomp", filterAt] : []),
  ];
}

/** Without root, a user namespace gives bubblewrap every right it needs. */
function aroundAsAnybody(bubblewrap: string, place: Place): string[] {
  return [bubblewrap, "--unshare-user", ...apart, ...inside(place), ...view(place), "--chdir", place.home, "--"];
}

/**
 * Root builds the view, because parts of it may be in folders that only root can enter. Then the process drops root for
 * good and gets a user namespace for its own account.
 */
function aroundAsRoot(bubblewrap: string, setpriv: string, place: Place): string[] {
  const needed = [
    "--cap-drop",
    "ALL",
    ...["SETUID", "SETGID", "SETPCAP"].flatMap((name) => ["--cap-add", `CAP_${name}`]),
  ];
  return [
    // Not into the session's folder: root without its capabilities may not enter it.
    ...[bubblewrap, ...apart, ...needed, ...view(place), "--chdir", "/", "--"],
    ...[setpriv, ...identity(place.uid ?? 65_534), "--inh-caps=-all", "--bounding-set=-all", "--"],
    ...[bubblewrap, "--unshare-user", "--die-with-parent", ...inside(place), "--dev-bind", "/", "/"],
    ...["--chdir", place.home, "--"],
  ];
}

function identity(uid: number): string[] {
  const groups = machineFiles.deviceGroups();
  return [`--reuid=${uid}`, `--regid=${uid}`, groups.length > 0 ? `--groups=${groups.join(",")}` : "--clear-groups"];
}

function foldersAbove(paths: string[], from = "/"): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const parts = path.slice(from.length).split("/").filter(Boolean);
    for (let count = 1; count <= parts.length - 1; count++) found.add(join(from, ...parts.slice(0, count)));
  }
  return [...found]
    .toSorted((one, other) => one.length - other.length)
    .flatMap((path) => ["--perms", "0755", "--dir", path]);
}

/** Tries the sandbox once with everything that a session has, so that the first session does not fail. */
async function probe(
  settings: SandboxSettings,
  placeOf: (data: string, folders: SessionFolders, shown: string[], uid: number | undefined) => Promise<Place>,
  build: Build,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-sandbox-"));
  try {
    const folders = { own: join(folder, "own"), work: "", git: "", project: "", others: [], results: "", tools: "" };
    await makePrivate([folders.own]);
    const uid = process.getuid?.() === 0 ? settings.sessionUsers.first : undefined;
    const place = await placeOf("/tmp/probe", folders, [], uid);
    const [command = "", ...args] = build({
      ...place,
      hasFilter: false,
      network: { ...place.network, mode: unconnected(place) },
    });
    await run(command, [...args, place.python.executable, "-I", "-S", "-c", "pass"], { timeout: probeWithin });
    return undefined;
  } catch (error) {
    return lastLineOf(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function unconnected({ network }: Place): NetworkMode {
  return network.mode === "open" ? "open" : "none";
}
