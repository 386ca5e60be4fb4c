import { findProgram, installFromDebian } from "./debian.ts";

const needed = ["bwrap", "pasta"];
const packages = ["bubblewrap", "passt"];

/** Why tests with a sandbox cannot run here; undefined when they can. */
export function sandboxProblem(): string | undefined {
  const missing = needed.filter((name) => findProgram(name) === undefined);
  return missing.length > 0
    ? `they need ${missing.join(", ")} (Debian: apt-get install ${packages.join(" ")})`
    : undefined;
}

/** What the tests with a sandbox need: what is here, or Debian's when we may install it. */
export function getSandbox(): void {
  if (sandboxProblem()) installFromDebian("bubblewrap and pasta for the tests with a sandbox", packages);
  const problem = sandboxProblem();
  if (problem) console.log(`The tests with a sandbox are left out: ${problem}.`);
}
