import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const needed = ["dockerd", "mmdebstrap", "bwrap"];
const packages = ["docker.io", "iptables", "iproute2", "mmdebstrap", "bubblewrap"];

export function findProgram(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  for (const folder of [...folders, "/usr/sbin", "/sbin"]) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

/** Why tests with containers cannot run here; undefined when they can. */
export function dockerProblem(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "they need root";
  const missing = needed.filter((name) => findProgram(name) === undefined);
  return missing.length > 0
    ? `they need ${missing.join(", ")} (Debian: apt-get install ${packages.join(" ")})`
    : undefined;
}

/** What the tests with containers need: what is here, or Debian's when we may install it. */
export function getDocker(): void {
  const mayInstall = process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0;
  if (dockerProblem() && mayInstall) {
    console.log("Installing Docker and bubblewrap from Debian for the tests with containers …");
    const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    spawnSync("apt-get", ["update", "-q"], { stdio: "ignore", env: environment });
    const args = ["install", "-y", "-q", "--no-install-recommends", ...packages];
    spawnSync("apt-get", args, { stdio: "ignore", env: environment });
  }
  const problem = dockerProblem();
  if (problem) console.log(`The tests with containers are left out: ${problem}.`);
}
