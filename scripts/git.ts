import { findProgram, installFromDebian } from "./debian.ts";

const packages = ["git", "openssl", "openssh-client", "openssh-server"];

/** Why tests with repositories cannot run here; undefined when they can. */
export function gitProblem(): string | undefined {
  return missing(["git", "openssl"]);
}

/** The same of those over ssh: a server of theirs lets root in. */
export function sshProblem(): string | undefined {
  return process.getuid?.() === 0 ? missing(["git", "ssh", "sshd", "ssh-keygen"]) : "they need root";
}

export function getGit(): void {
  if (gitProblem() || sshProblem()) installFromDebian("git and ssh for the tests with repositories", packages);
  const problem = gitProblem() ?? sshProblem();
  if (problem) console.log(`Tests with repositories are left out: ${problem}.`);
}

function missing(needed: string[]): string | undefined {
  const absent = needed.filter((name) => findProgram(name) === undefined);
  return absent.length > 0
    ? `they need ${absent.join(", ")} (Debian: apt-get install ${packages.join(" ")})`
    : undefined;
}
