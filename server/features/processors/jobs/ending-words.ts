import type { WorkerDeath } from "@miranda/contract/protocol/agent.ts";

// The log lines about failed runs and dead workers, with the names of nodes.

/** More names than these would fill the log. */
const mostNames = 20;

const signals: Readonly<Record<string, string>> = {
  SIGSEGV: "segmentation fault",
  SIGABRT: "it aborted itself",
  SIGFPE: "arithmetic fault",
  SIGILL: "illegal instruction",
  SIGBUS: "bus error",
  SIGKILL: "killed, perhaps because the machine ran out of memory",
  SIGTERM: "ended by a process outside Miranda",
};

export function failedWords(names: readonly string[]): string {
  const more = names.length - mostNames;
  return `Failed: ${names.slice(0, mostNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Several nodes may have been running, and it is unknown which of them it was. */
export function deathWords(names: readonly string[], death: WorkerDeath): string {
  const { exit_code, signal, used_gb, limit_gb } = death;
  if (used_gb !== null && limit_gb !== null) {
    const were = names.length > 1 ? "were" : "was";
    return `${listed(names, "and")} ${were} killed: the session used ${short(used_gb)} of ${short(limit_gb)} GB of memory.`;
  }
  if (signal !== null) return `${listed(names, "or")}: ${signals[signal] ?? "ended by a signal"} (${signal})`;
  return `${listed(names, "or")} ended the worker: exit code ${exit_code ?? "unknown"}`;
}

function listed(names: readonly string[], last: "and" | "or"): string {
  const some = names.slice(0, mostNames);
  const more = names.length - some.length;
  if (more > 0) some.push(`${more} more`);
  return some.length < 2 ? some.join("") : `${some.slice(0, -1).join(", ")} ${last} ${some.at(-1)}`;
}

/** 4.1, 4 or 0.25: enough digits to differ from the limit. */
function short(gigabytes: number): string {
  return String(Number(gigabytes.toPrecision(3)));
}
