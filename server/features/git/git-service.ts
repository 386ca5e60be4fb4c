import type { GitAgentCommand } from "@miranda/contract/protocol/agent.ts";
import { parseGitArgs } from "@miranda/contract/command-args.ts";
import { gitFileName, parseGitAddress } from "@miranda/contract/graph/git-address.ts";
import { commit as commitLimits, node as limits } from "@miranda/contract/limits.ts";
import type { Command } from "@miranda/contract/processor.ts";
import { createHash } from "node:crypto";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Auth } from "../auth/auth-service.ts";
import type { Code, Replaced } from "../code/code-service.ts";
import type { Nodes } from "../nodes/nodes-service.ts";
import { gitQueries } from "./git-queries.ts";
import { GitOrder, GitStep } from "./git-steps.ts";

export { GitOrder, GitStep };
export type Git = ReturnType<typeof createGit>;
type GitCommand = Extract<Command, `git-${string}`>;

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "callerFor" | "describe">;
  nodes: Pick<Nodes, "getNode">;
  code: Code;
}

/** A git command: who gave it, and for which nodes of which graph. */
export interface GivenGitCommand {
  name: GitCommand;
  accountId: string;
  graphId: string;
  nodes: number[];
}

type Repository = GitAgentCommand["repositories"][number];

type Answer = { error: string; code?: string } | Record<string, unknown>;

/** The server's part of git. The processor talks to repositories; nodes and their histories are here. */
export function createGit({ db, auth, nodes, code }: Dependencies) {
  const queries = gitQueries(db);

  async function placeOf(caller: Caller, metadataId: number, graphId: string) {
    const node = await nodes.getNode(caller, metadataId, "write");
    if (node.graph_id !== graphId || node.git === null) throw new AppError("git_not_set");
    const address = parseGitAddress(node.git);
    if ("refusal" in address) throw new AppError(address.refusal);
    const repository = `${address.url}#${address.path ?? gitFileName(node.name)}`;
    const branch = node.git_branch ?? "";
    const synced = await queries.find(metadataId);
    // The state of another repository does not apply to this one.
    const isSame = synced?.repository === repository && synced.branch === branch;
    return { node, repository, branch, shown: address.shown, synced: isSame ? synced : undefined };
  }

  async function pulled(caller: Caller, command: GivenGitCommand, step: Extract<GitStep, { step: "pulled" }>) {
    const { node: id, commit, blob, code: text } = step;
    if (text.length > limits.sourceCodeMax) throw new AppError("code_too_long");
    const { repository, branch, shown, synced, node } = await placeOf(caller, id, command.graphId);
    const row = { metadata_id: id, graph_id: node.graph_id, repository, branch, commit_hash: commit, blob_hash: blob };
    const isSoft = command.name === "git-soft-pull";
    const check = ({ code: before, isUnsaved, commits }: Replaced): void => {
      const own = commits.filter(({ number }) => number > (synced?.number ?? 0));
      const isOwn = isUnsaved || (synced ? !synced.code_hash.equals(hashOf(before)) : own.length > 0);
      if (before !== text && isOwn) throw new Diverged(node.name, before, own);
    };
    const { changed } = await code.replace(caller, id, {
      code: text,
      message: `Pulled from ${shown}@${commit.slice(0, 7)}`,
      check: isSoft ? check : () => undefined,
      alongside: (trx, number) => gitQueries(trx).save({ ...row, number, code_hash: hashOf(text) }),
    });
    return { changed };
  }

  /** The code to push. Unsaved code is committed first. */
  async function push(caller: Caller, command: GivenGitCommand, id: number) {
    const { shown, synced, node } = await placeOf(caller, id, command.graphId);
    const { source_code, number, messages } = await code.settle(caller, id, `Pushed to ${shown}`, synced?.number ?? 0);
    // Automatic messages, which do not describe the code.
    const isEmpty = (one: string): boolean =>
      one === "" || one === commitLimits.runMessage || one.startsWith("Pushed to ");
    const described = messages.filter((one) => !isEmpty(one)).toReversed();
    const [only = `Update ${node.name}`] = described;
    const message =
      described.length > 1 ? `Update ${node.name}\n\n${described.map((one) => `- ${one}`).join("\n")}` : only;
    return { code: source_code, number, message, blob: synced?.blob_hash ?? null };
  }

  async function pushed(caller: Caller, command: GivenGitCommand, step: Extract<GitStep, { step: "pushed" }>) {
    const { node: id, commit, blob, number, code: text } = step;
    const { repository, branch, node } = await placeOf(caller, id, command.graphId);
    const row = { metadata_id: id, graph_id: node.graph_id, repository, branch, commit_hash: commit, blob_hash: blob };
    await queries.save({ ...row, number, code_hash: hashOf(text) });
    return {};
  }

  return {
    /** The command for the processor: the repositories, their files, and the author. */
    async order(
      caller: Caller,
      graphId: string,
      name: GitCommand,
      args: string,
    ): Promise<Omit<GitAgentCommand, "seconds">> {
      const wanted = parseGitArgs(args);
      if (!wanted) throw new AppError("invalid_args");
      const found = await queries.nodes(graphId, wanted.node);
      if (found.length === 0) throw new AppError(wanted.node === undefined ? "git_none_set" : "node_not_found");
      const repositories = new Map<string, Repository>();
      for (const node of found) {
        if (node.class !== "Code_block") throw new AppError("node_has_no_code");
        if (node.git === null) throw new AppError("git_not_set");
        if (node.locked && name !== "git-push" && wanted.node !== undefined)
          throw new AppError("node_locked", `${node.name} is locked.`);
        const address = parseGitAddress(node.git);
        if ("refusal" in address) throw new AppError(address.refusal);
        const { scheme, url, host, shown, path = gitFileName(node.name) } = address;
        const branch = node.git_branch ?? "";
        const key = `${url} ${branch}`;
        const number = repositories.size + 1;
        const group = repositories.get(key) ?? { number, scheme, url, host, shown, branch, nodes: [] };
        group.nodes.push({ id: node.metadata_id, name: node.name, path });
        repositories.set(key, group);
      }
      const { account } = await auth.describe(caller.accountId);
      const author = { name: authorName(account), email: account.email };
      return { command: name, repositories: [...repositories.values()], author };
    },

    /** Handles a step of a running command. Refusals are answers: the processor reports them to the person. */
    async take(command: GivenGitCommand, step: GitStep): Promise<Answer> {
      try {
        if (!command.nodes.includes(step.node)) throw new AppError("node_not_found");
        const caller = await auth.callerFor(command.accountId);
        if (step.step === "pulled") return await pulled(caller, command, step);
        if (step.step === "push") return await push(caller, command, step.node);
        return await pushed(caller, command, step);
      } catch (error) {
        if (error instanceof Diverged) return { error: error.message, code: error.own };
        if (error instanceof AppError) return { error: error.message };
        throw error;
      }
    },
  };
}

/** The node has changes that a pull would overwrite. */
class Diverged extends AppError {
  readonly own: string;

  constructor(name: string, own: string, commits: { number: number; message: string }[]) {
    const list = commits.map(({ number, message }) => `#${number}${message ? ` ${message.split("\n")[0]}` : ""}`);
    super(
      "git_diverged",
      list.length > 0
        ? `${name} has commits of its own since the last pull: ${list.toReversed().join(", ")}.`
        : `${name} has changes of its own since the last pull.`,
    );
    this.own = own;
  }
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Git refuses names made of punctuation only, and these characters would end the name. */
function authorName({ first_name, last_name, username }: { first_name: string; last_name: string; username: string }) {
  const name = `${first_name} ${last_name}`.replaceAll(/[<>\p{Cc}]/gu, "").trim();
  return /[\p{L}\p{N}]/u.test(name) ? name : username;
}
