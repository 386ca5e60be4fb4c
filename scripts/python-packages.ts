import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(import.meta.dirname, "..", "node_modules", ".cache", "uv");
const uv = join(folder, "bin", "uv");

/** A new environment at this place. */
export function makeEnvironment(python: string, place: string): boolean {
  return spawnSync(python, ["-m", "venv", "--clear", place], { stdio: "ignore" }).status === 0;
}

/** Installs packages into an environment: by uv, which takes a fifth of the time, or by pip where uv cannot. */
export function installPackages(environment: string, packages: readonly string[]): boolean {
  const python = join(environment, "bin", "python");
  const quick = ["pip", "install", "--quiet", "--python", python, ...packages];
  if (hasUv(python) && spawnSync(uv, quick, { stdio: "ignore" }).status === 0) return true;
  return pip(environment, ["install", ...packages]);
}

export function pip(environment: string, [command = "", ...rest]: readonly string[]): boolean {
  const args = ["-m", "pip", command, "--quiet", "--disable-pip-version-check", ...rest];
  const stdio = ["ignore", "ignore", "inherit"] as const;
  return spawnSync(join(environment, "bin", "python"), args, { stdio: [...stdio] }).status === 0;
}

function hasUv(python: string): boolean {
  return existsSync(uv) || (makeEnvironment(python, folder) && pip(folder, ["install", "uv"]));
}
