import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { findPython, runtimeFolder } from "../platform/python.ts";

const run = promisify(execFile);
const probeWithin = 10_000;

/** What is the machine's and no secret. */
const shown = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc", "/sys", "/run/systemd/resolve"];
/** What is in there all the same and readable for a server that is root. */
const hidden = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers"];
const hiddenFolders = ["/etc/ssl/private", "/etc/ssh"];
const devices = /^(nvidia.*|dri|kfd)$/;

export interface Sandbox {
  /** The program and arguments to put before the worker's own; null when there is no sandbox. */
  around: ((dataFolder: string, folders: string[], home: string) => string[]) | null;
  /** Where the processor is, in words for the session's log. */
  notice: string;
}

const here = "This processor runs as a process of the server's machine";

export const noSandbox: Sandbox = { around: null, notice: `${here}, with the server's own rights.` };

/** The best that this machine can do to keep node code to itself. */
export async function openSandbox({
  sandbox,
  sandboxPaths,
}: {
  sandbox: boolean;
  sandboxPaths: string[];
}): Promise<Sandbox> {
  const program = sandbox ? findBubblewrap() : undefined;
  const python = await findPython();
  if (!program || !python) return noSandbox;
  const around = (dataFolder: string, folders: string[], home: string): string[] => [
    program,
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL"],
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run"],
    ...[...shown, ...python.prefixes, runtimeFolder, ...sandboxPaths].flatMap((path) => ["--ro-bind-try", path, path]),
    ...hidden.flatMap((path) => (existsSync(path) ? ["--ro-bind", "/dev/null", path] : [])),
    ...hiddenFolders.flatMap((path) => (existsSync(path) ? ["--tmpfs", path] : [])),
    ...deviceFiles().flatMap((path) => ["--dev-bind", path, path]),
    // It may lie in one of those that are shown.
    ...["--tmpfs", dataFolder, ...folders.flatMap((path) => ["--bind", path, path])],
    ...["--remount-ro", dataFolder, "--remount-ro", "/"],
    ...["--setenv", "HOME", home, "--unsetenv", "TMPDIR", "--chdir", home, "--"],
  ];
  try {
    const [command = "", ...args] = around("/tmp/probe", [], "/");
    await run(command, [...args, python.executable, "-I", "-S", "-c", "pass"], { timeout: probeWithin });
  } catch (error) {
    const words =
      String((error as { stderr?: string }).stderr ?? error)
        .trim()
        .split("\n")
        .at(-1) ?? "";
    return { around: null, notice: `${here}, with the server's own rights: its sandbox could not be made (${words}).` };
  }
  return { around, notice: `${here}, in a sandbox of its own.` };
}

function findBubblewrap(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, "bwrap")).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function deviceFiles(): string[] {
  return readdirSync("/dev")
    .filter((name) => devices.test(name))
    .map((name) => join("/dev", name));
}
