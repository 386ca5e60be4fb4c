import { findProgram, installFromDebian } from "./debian.ts";

const needed = ["dockerd", "mmdebstrap", "docker-registry"];
const packages = ["docker.io", "iptables", "iproute2", "mmdebstrap", "docker-registry"];

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
  if (dockerProblem()) installFromDebian("Docker for the tests with containers", packages);
  const problem = dockerProblem();
  if (problem) console.log(`The tests with containers are left out: ${problem}.`);
}
