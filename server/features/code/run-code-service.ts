import type { RunArgs } from "@miranda/contract/command-args.ts";
import { messages } from "@miranda/contract/words/messages.ts";
import { commit as limits, draft } from "@miranda/contract/limits.ts";
import { createHash } from "node:crypto";
import * as Y from "yjs";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { mapInSlices } from "../../platform/time-slicing.ts";
import type { DeclaredApi, Declarations } from "../declarations/declarations-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Nodes } from "../nodes/nodes-service.ts";
import { codeQueries } from "./code-queries.ts";
import type { Documents } from "./documents-service.ts";
import { createUnfitFields } from "./unfit-fields.ts";

interface Dependencies {
  db: Db;
  nodes: Pick<Nodes, "storeCodes">;
  declarations: Pick<Declarations, "declare">;
  documents: Pick<Documents, "settle" | "committed">;
  graphs: Pick<Graphs, "content">;
}

interface Taken {
  metadata_id: number;
  name: string;
  epoch: string;
  /** The hash of the document that the code is from. */
  hash: Buffer;
  code: string;
  declared: DeclaredApi;
}

/** The unsaved code that one run uses. All of it parses. */
export interface CodeForRun {
  /** The SHA-256 of the code, by node. */
  hashes(): Record<string, string>;
  /** Commits it inside a transaction. Call the returned function after the transaction: it publishes the change. */
  commit(trx: Db): Promise<() => void>;
}

export type RunCode = ReturnType<typeof createRunCode>;

/**
 * Decides which code a run uses. It takes the unsaved code of enabled nodes that the run reaches: the runner's own, and
 * other people's only when the runner asks for it, because it would run with the runner's secrets. A run of code or of
 * fields that cannot be read is refused.
 */
export function createRunCode({ db, nodes, declarations, documents, graphs }: Dependencies) {
  const queries = codeQueries(db);
  const unfitFields = createUnfitFields({ db, graphs });

  /** Which nodes a run reaches: every one, unless it is about one node. */
  async function reachOf(graphId: string, { mode, node }: Pick<RunArgs, "mode" | "node">) {
    const isWhole = node === undefined || mode === "changed" || mode === "all";
    const reach = isWhole ? undefined : await queries.reachOf(graphId, node, mode === "from");
    return ({ metadata_id }: { metadata_id: number }): boolean => !reach || reach.has(metadata_id);
  }

  /** Refuses fields that cannot be read, where no unsaved code is used. */
  async function refuseUnfitFields(graphId: string, wish: Pick<RunArgs, "mode" | "node">): Promise<void> {
    await unfitFields.refuse(graphId, { isReached: await reachOf(graphId, wish) });
  }

  async function take(caller: Caller, graphId: string, args: RunArgs): Promise<CodeForRun> {
    await documents.settle(graphId);
    const { include = [] } = args;
    const [drafts, wrong, isReached] = await Promise.all([
      queries.draftsForRun(graphId, caller.accountId, include),
      queries.wrongIn(graphId),
      reachOf(graphId, args),
    ]);
    const reached = drafts.filter(isReached);
    refuseOutdated(reached);
    const found = await readCode(reached);
    const replaced = new Set(found.map(({ metadata_id }) => metadata_id));
    const left = wrong.filter((row) => isReached(row) && !replaced.has(row.metadata_id));
    const sources = [...found, ...left.map((row) => ({ ...row, code: row.source_code }))];
    const apis =
      sources.length === 0
        ? []
        : await declarations.declare(
            caller,
            sources.map(({ name, code }) => ({ name, source_code: code })),
          );
    const taken: Taken[] = [];
    for (const [at, declared] of apis.entries()) {
      if (sources[at]) refuseWrong(sources[at], declared);
      if (found[at]) taken.push({ ...found[at], declared });
    }
    // Code with an error keeps the last good attributes.
    const read = taken.filter(({ declared }) => declared.error === null);
    const declared = new Map(read.map(({ metadata_id, declared: api }) => [metadata_id, api.attributes]));
    await unfitFields.refuse(graphId, { isReached, declared });
    if (taken.length === 0) return nothing;
    return {
      hashes: () => Object.fromEntries(taken.map(({ metadata_id, code }) => [metadata_id, hashOf(code)])),
      commit: (trx) => commit(trx, caller, graphId, taken),
    };
  }

  async function readCode(drafts: readonly { metadata_id: number; name: string; bytes: number }[]) {
    if (drafts.length === 0) return [];
    if (drafts.reduce((sum, { bytes }) => sum + bytes, 0) > draft.runBytesMax) throw new AppError("too_much_unsaved");
    const names = new Map(drafts.map(({ metadata_id, name }) => [metadata_id, name]));
    const rows = await queries.readDrafts([...names.keys()]);
    return mapInSlices(rows, ({ metadata_id, epoch, document }) => ({
      metadata_id,
      epoch,
      name: names.get(metadata_id) ?? "",
      hash: createHash("sha256").update(document).digest(),
      code: textOf(document),
    }));
  }

  async function commit(trx: Db, caller: Caller, graphId: string, taken: readonly Taken[]): Promise<() => void> {
    if (taken.length === 0) return () => undefined;
    const inside = codeQueries(trx);
    const rows = await inside.lockDrafts(taken.map(({ metadata_id }) => metadata_id));
    const now = new Map(rows.map((row) => [row.metadata_id, row]));
    // Code that was committed since it was read is already in the history.
    const open = taken.filter(({ metadata_id, epoch }) => {
      const row = now.get(metadata_id);
      return row?.unsaved === true && row.epoch === epoch;
    });
    if (open.length === 0) return () => undefined;
    refuseOutdated(open.flatMap(({ metadata_id }) => now.get(metadata_id) ?? []));
    const codes = new Map(open.map(({ metadata_id, code, declared }) => [metadata_id, { code, declared }]));
    const stored = await nodes.storeCodes(trx, caller, graphId, codes);
    for (const after of stored.rows) {
      const latest = await inside.latest(after.metadata_id);
      await inside.insert({
        id: newId(),
        metadata_id: after.metadata_id,
        graph_id: graphId,
        number: (latest?.number ?? 0) + 1,
        author_id: caller.accountId,
        message: limits.runMessage,
        source_code: after.source_code,
        api: JSON.stringify(after.api),
        restored: null,
        written_by: (now.get(after.metadata_id)?.authors ?? []).filter((writer) => writer !== caller.accountId),
      });
    }
    const committed = new Set(stored.rows.map(({ metadata_id }) => metadata_id));
    // A node stays unsaved where more was typed meanwhile.
    const clean = open
      .filter(({ metadata_id, hash }) => committed.has(metadata_id) && now.get(metadata_id)?.hash.equals(hash))
      .map(({ metadata_id }) => metadata_id);
    await inside.markCommitted(clean);
    const committedCodes = new Map(stored.rows.map((row) => [row.metadata_id, row.source_code]));
    for (const [id, code] of committedCodes) if (!clean.includes(id)) await inside.setBase(id, code);
    return () => {
      documents.committed(graphId, committedCodes, clean, caller.username);
      stored.publish();
    };
  }

  return { take, refuseUnfitFields };
}

const nothing: CodeForRun = { hashes: () => ({}), commit: async () => () => undefined };

/** Running the draft would commit it, and so undo what was stored below it. */
function refuseOutdated(drafts: readonly { metadata_id: number; name: string; outdated: boolean }[]): void {
  const found = drafts.find(({ outdated }) => outdated);
  if (!found) return;
  const place = { node: found.metadata_id, line: 1 };
  throw new AppError("draft_outdated", messages.outdatedDraft(found.name), undefined, place);
}

function refuseWrong({ metadata_id: node, name }: { metadata_id: number; name: string }, api: DeclaredApi): void {
  if (api.parsed || api.error_line === null) return;
  const line = api.error_line;
  const reason = (api.error ?? "").replace(/ \(line \d+\)$/, "");
  throw new AppError("code_does_not_parse", messages.wrongCode(name, line, reason), undefined, { node, line });
}

function textOf(document: Buffer): string {
  const doc = new Y.Doc();
  try {
    Y.applyUpdate(doc, document);
    return doc.getText(draft.textName).toJSON();
  } finally {
    doc.destroy();
  }
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
