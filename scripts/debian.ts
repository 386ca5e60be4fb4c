import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  for (const folder of [...folders, "/usr/sbin", "/sbin"]) {
    for (const name of names) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not in this folder.
      }
    }
  }
  return undefined;
}

/** Installs what tests need when we may: as root, on Debian. */
export function installFromDebian(what: string, packages: string[]): void {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) return;
  console.log(`Installing ${what} from Debian …`);
  // Without a runlevel, a package that brings a service does not start it.
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  spawnSync("apt-get", ["update", "-q"], { stdio: "ignore", env: environment });
  const args = ["install", "-y", "-q", "--no-install-recommends", ...packages];
  spawnSync("apt-get", args, { stdio: "ignore", env: environment });
}
