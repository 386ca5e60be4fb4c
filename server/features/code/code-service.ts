import { newNodeSource } from "@miranda/contract/graph/new-node.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import { draft, node as limits } from "@miranda/contract/limits.ts";
import { addPackage } from "@miranda/contract/packages/inline-metadata.ts";
import type {
  AddPackageResponse,
  CheckResponse,
  Commit,
  CommitBody,
  CommitListQuery,
  CommitPage,
  CommitResponse,
  CommitSummary,
  Draft,
  DraftComparison,
  DraftUpdateBody,
  FormatBody,
  FormatResponse,
} from "@miranda/contract/schemas/code.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { authorOf } from "../auth/auth-service.ts";
import type { Declarations } from "../declarations/declarations-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Nodes } from "../nodes/nodes-service.ts";
import type { Right } from "../projects/projects-service.ts";
import { codeQueries } from "./code-queries.ts";
import type { Documents } from "./documents-service.ts";
import { formatCode } from "./formatting.ts";
import { putTogether } from "./put-together.ts";
import { applyUpdate, isOutdated, isUnsaved, oneLineEnd, setText, type SharedDocument } from "./shared-document.ts";

export type Code = ReturnType<typeof createCode>;

interface Dependencies {
  db: Db;
  graphs: Pick<Graphs, "getGraph">;
  nodes: Pick<Nodes, "getNode" | "putApi">;
  declarations: Pick<Declarations, "declare">;
  documents: Documents;
}

interface NewCommit {
  code: string;
  message: string;
  restored?: number;
  /** Who typed the code. */
  writers?: ReadonlySet<string>;
  /** The code is committed before something else replaces it. Its writers are its authors, not the caller. */
  isKept?: boolean;
  /** Refuses when the node's code has changed meanwhile. */
  instead?: string;
  alongside?: (trx: Db, number: number) => Promise<void>;
}

/** A node's code before it is replaced by code from a repository. */
export interface Replaced {
  code: string;
  isUnsaved: boolean;
  commits: { number: number; message: string }[];
}

interface Replacement extends Pick<NewCommit, "code" | "message"> {
  /** May refuse. */
  check: (before: Replaced) => void;
  /** Stored with the code, or when the node already has that code. */
  alongside: (trx: Db, number: number) => Promise<void>;
}

const commitsLookedAt = 50;

/** The history of nodes' code. */
export function createCode({ db, graphs, nodes, declarations, documents }: Dependencies) {
  const queries = codeQueries(db);

  async function getNode(caller: Caller, metadataId: number, right: Right) {
    const node = await nodes.getNode(caller, metadataId, right);
    if (node.class !== "Code_block") throw new AppError("node_has_no_code");
    return node;
  }

  async function getCommit(metadataId: number, commitId: string) {
    const row = await queries.find(metadataId, commitId);
    if (!row) throw new AppError("commit_not_found");
    return row;
  }

  /**
   * Stores the node's code and the commit together. Wrong code can be committed too: an error must not cost anybody's
   * work.
   */
  async function store(
    caller: Caller,
    metadataId: number,
    { code, message, restored, writers = new Set(), isKept = false, instead, alongside }: NewCommit,
  ): Promise<CommitResponse> {
    const id = newId();
    const [firstWriter] = writers;
    const author =
      isKept && firstWriter !== undefined && !writers.has(caller.accountId) ? firstWriter : caller.accountId;
    const { revision } = await nodes.putApi(caller, metadataId, { source_code: code }, async (trx, after, before) => {
      const inside = codeQueries(trx);
      const latest = await inside.latest(metadataId);
      if (instead !== undefined && before.source_code !== instead) throw new AppError("code_changed");
      if (latest?.source_code === code && before.source_code === code) throw new AppError("nothing_to_commit");
      const number = (latest?.number ?? 0) + 1;
      await inside.insert({
        id,
        metadata_id: metadataId,
        graph_id: after.graph_id,
        number,
        author_id: author,
        message,
        source_code: code,
        api: JSON.stringify(after.api),
        restored: restored ?? null,
        written_by: [...writers].filter((writer) => writer !== author),
      });
      await alongside?.(trx, number);
    });
    return { ...toSummary(await getCommit(metadataId, id)), revision };
  }

  /**
   * Committing the draft would undo what was stored below it. The node's code as it was just read decides: the document
   * may not know of it yet. Returns the code that the commit may replace.
   */
  async function refuseOutdated(document: SharedDocument, source_code: string): Promise<string | undefined> {
    const stored = oneLineEnd(source_code);
    const isOld = () => document.text.toJSON() !== stored && document.base !== stored;
    // Somebody may have decided on another server. Saving reads that.
    if (isOld()) await documents.save(document);
    if (isOld()) throw new AppError("draft_outdated");
    return document.text.toJSON() === stored ? undefined : source_code;
  }

  return {
    async list(caller: Caller, metadataId: number, { limit, before }: CommitListQuery): Promise<CommitPage> {
      await getNode(caller, metadataId, "read");
      const rows = await queries.list(metadataId, limit + 1, before);
      const shown = rows.slice(0, limit);
      return { commits: shown.map(toSummary), next: rows.length > limit ? (shown.at(-1)?.number ?? null) : null };
    },

    async read(caller: Caller, metadataId: number, commitId: string): Promise<Commit> {
      const node = await getNode(caller, metadataId, "read");
      const row = await getCommit(metadataId, commitId);
      const previous = await queries.latest(metadataId, row.number);
      return {
        ...toSummary(row),
        source_code: row.source_code,
        api: node.access === "viewer" ? withoutSecrets(parseNodeApi(row.api)) : parseNodeApi(row.api),
        previous_code: previous?.source_code ?? null,
        previous_id: previous?.id ?? null,
      };
    },

    async commit(caller: Caller, metadataId: number, { message, source_code }: CommitBody): Promise<CommitResponse> {
      const node = await getNode(caller, metadataId, "write");
      return documents.use(metadataId, async (document) => {
        const draft = isUnsaved(document) ? document.text.toJSON() : node.source_code;
        const code = source_code === undefined ? draft : oneLineEnd(source_code);
        const instead = await refuseOutdated(document, node.source_code);
        // A commit from the editor commits the text, even when more was typed there meanwhile.
        const isText = code === document.text.toJSON() || document.authors.has(caller.accountId);
        document.writer ??= caller;
        const committed = await store(caller, metadataId, {
          ...{ code, message },
          ...(isText && { writers: new Set(document.authors) }),
          ...(instead !== undefined && { instead }),
        });
        if (isText) document.base = code;
        return committed;
      });
    },

    /** Adds it to the code as people see it. Unsaved work of others is not committed. */
    async addPackage(caller: Caller, metadataId: number, name: string): Promise<AddPackageResponse> {
      const node = await getNode(caller, metadataId, "write");
      if (node.locked) throw new AppError("node_locked");
      return documents.use(metadataId, async (document) => {
        const unsaved = isUnsaved(document);
        const added = addPackage(document.text.toJSON(), name);
        if (added === "declared") throw new AppError("package_declared");
        if (added === "unreadable") throw new AppError("packages_unreadable");
        if (added.source.length > limits.sourceCodeMax) throw new AppError("code_too_long");
        if (!unsaved)
          await store(caller, metadataId, { code: added.source, message: `Add ${name}`, instead: node.source_code });
        document.writer = caller;
        setText(document, added.source);
        return { committed: !unsaved };
      });
    },

    /** Restores as a new commit. Unsaved code is committed first, so it stays in the history. */
    async restore(caller: Caller, metadataId: number, commitId: string): Promise<CommitResponse> {
      await getNode(caller, metadataId, "write");
      const { number, message, source_code } = await getCommit(metadataId, commitId);
      return documents.use(metadataId, async (document) => {
        const name = `#${number}`;
        if (isUnsaved(document) && document.text.toJSON() !== source_code)
          await store(caller, metadataId, {
            code: document.text.toJSON(),
            message: `Unsaved changes before ${name} was restored`,
            writers: new Set(document.authors),
            isKept: true,
          });
        const restored = await store(caller, metadataId, {
          code: source_code,
          message: `Restore ${name}${message ? `: ${message}` : ""}`.slice(0, 2_000),
          restored: number,
        }).catch((error: unknown) => {
          const isSame = error instanceof AppError && error.code === "nothing_to_commit";
          throw isSame ? new AppError("nothing_to_restore_code") : error;
        });
        document.writer = caller;
        setText(document, oneLineEnd(source_code));
        return restored;
      });
    },

    /** Commits code from a repository. Uncommitted code of the node is committed first. */
    async replace(caller: Caller, metadataId: number, given: Replacement): Promise<{ changed: boolean }> {
      const { code, message, check, alongside } = given;
      const node = await getNode(caller, metadataId, "write");
      if (node.locked) throw new AppError("node_locked");
      return documents.use(metadataId, async (document) => {
        const unsaved = isUnsaved(document);
        const had = unsaved ? document.text.toJSON() : node.source_code;
        const commits = await queries.list(metadataId, commitsLookedAt, undefined);
        check({ code: oneLineEnd(had), isUnsaved: unsaved, commits });
        const latest = await queries.latest(metadataId);
        const isKept = !unsaved && (latest?.source_code === had || had === newNodeSource(node.name));
        if (had !== code && !isKept) {
          const first = unsaved ? "Unsaved changes before the pull" : "The code before the pull";
          await store(caller, metadataId, {
            ...{ code: had, message: first, instead: node.source_code },
            ...(unsaved && { writers: new Set(document.authors), isKept: true }),
          });
        }
        const changed = node.source_code !== code;
        try {
          await store(caller, metadataId, {
            code,
            message,
            instead: had === code || isKept ? node.source_code : had,
            alongside,
          });
        } catch (error) {
          if (!(error instanceof AppError && error.code === "nothing_to_commit")) throw error;
          await alongside(db, latest?.number ?? 0);
        }
        document.writer = caller;
        setText(document, code);
        return { changed };
      });
    },

    /** Commits unsaved code. Returns the code, and the messages of the commits after a number, newest first. */
    async settle(caller: Caller, metadataId: number, message: string, after: number) {
      const node = await getNode(caller, metadataId, "write");
      const source_code = await documents.use(metadataId, async (document) => {
        if (!isUnsaved(document)) return node.source_code;
        const instead = await refuseOutdated(document, node.source_code);
        const code = document.text.toJSON();
        document.writer ??= caller;
        const writers = new Set(document.authors);
        await store(caller, metadataId, { code, message, writers, ...(instead !== undefined && { instead }) });
        document.base = code;
        return code;
      });
      const commits = await queries.list(metadataId, commitsLookedAt, undefined);
      const messages = commits.filter(({ number }) => number > after).map((commit) => commit.message);
      return { source_code: oneLineEnd(source_code), number: commits[0]?.number ?? 0, messages };
    },

    async drafts(caller: Caller, graphId: string): Promise<Draft[]> {
      await graphs.getGraph(caller, graphId, "read");
      return documents.unsavedIn(graphId);
    },

    /** The unsaved code of a node beside the stored code, and both put together. */
    async compareDraft(caller: Caller, metadataId: number): Promise<DraftComparison> {
      await getNode(caller, metadataId, "write");
      return documents.use(metadataId, async (document) => {
        const { base, code: stored } = document;
        const draft = document.text.toJSON();
        const { text: together, conflicts } = putTogether(base, stored, draft);
        return { outdated: isOutdated(document), base, stored, draft, together, conflicts };
      });
    },

    /** The person has seen the stored code and goes on with the draft. */
    async keepDraft(caller: Caller, metadataId: number, seen: string): Promise<void> {
      const node = await getNode(caller, metadataId, "write");
      if (node.locked) throw new AppError("node_locked");
      await documents.use(metadataId, async (document) => {
        if (document.code !== oneLineEnd(seen)) throw new AppError("code_changed");
        document.base = document.code;
        await documents.save(document);
      });
    },

    async update(caller: Caller, metadataId: number, { epoch, update }: DraftUpdateBody): Promise<void> {
      const node = await getNode(caller, metadataId, "write");
      if (node.locked) throw new AppError("node_locked");
      await documents.use(metadataId, async (document) => {
        if (document.epoch !== epoch) throw new AppError("draft_out_of_step");
        applyUpdate(document, Buffer.from(update, "base64"), caller, null);
      });
    },

    async format(caller: Caller, metadataId: number, { source_code, indent }: FormatBody): Promise<FormatResponse> {
      await getNode(caller, metadataId, "write");
      return { source_code: await formatCode(source_code, indent === 0 ? "tab" : indent, caller.accountId) };
    },

    /** What the code would declare, for people who are still writing it. */
    async check(caller: Caller, metadataId: number, source_code: string): Promise<CheckResponse> {
      const node = await getNode(caller, metadataId, "read");
      const [declared] = await declarations.declare(caller, [{ name: node.name, source_code }]);
      if (!declared) throw new AppError("internal");
      const { compiled, error, error_line, attributes } = declared;
      return { compiled, error, error_line, disabled: parseNodeApi(node.api).disabled, attributes };
    },

    /** For nodes that can no longer be restored: removes their history and their unsaved code. */
    forget: (trx: Db, metadataIds: number[]) => codeQueries(trx).forget(metadataIds),

    async *sweep(): AsyncGenerator<void> {
      yield* queries.removeOldDrafts(draft.keepDays);
      yield* queries.removeLostDrafts();
    },
  };
}

function toSummary(row: Awaited<ReturnType<ReturnType<typeof codeQueries>["list"]>>[number]): CommitSummary {
  return {
    id: row.id,
    metadata_id: row.metadata_id,
    number: row.number,
    author: authorOf(row),
    with: row.with,
    message: row.message,
    time_created: row.created_at.toISOString(),
    restored: row.restored,
  };
}

function withoutSecrets(api: NodeApi): NodeApi {
  const attributes = api.attributes.map((attribute) =>
    attribute.control?.type === "secret" ? { ...attribute, value: null, default: null } : attribute,
  );
  return { ...api, attributes };
}
