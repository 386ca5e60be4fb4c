import { messages } from "@miranda/contract/words/messages.ts";
import { workflowFiles as limits } from "@miranda/contract/limits.ts";
import type {
  MergeFilesBody,
  MergePreview,
  RestoredVersion,
  VersionKey,
  WorkflowFromFilesBody,
} from "@miranda/contract/schemas/versions.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";
import type { Readable } from "node:stream";

import { graphFiles } from "../../model/graph-files-queries.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Declarations } from "../declarations/declarations-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import { refuseUndecided } from "../merges/decisions.ts";
import { mergeInSlices, type MergeSides } from "../merges/merge-contents.ts";
import type { NodeFiles } from "../nodes/files-service.ts";
import type { GraphChanges } from "../nodes/graph-changes-service.ts";
import { copiedContent } from "../versions/copied-content.ts";
import { compareInSlices } from "../versions/compare/compare-contents.ts";
import type { VersionContent } from "../versions/version-content.ts";
import type { Versions } from "../versions/versions-service.ts";
import { completeContent } from "./format/complete-content.ts";
import { nodeStem } from "./format/file-names.ts";
import type { ReadFolder } from "./format/read-folder.ts";
import { readFolderAside } from "./format/read-in-worker.ts";
import { insideTopFolder } from "./format/top-folder.ts";
import { writeFolder } from "./format/write-folder.ts";
import { readZip } from "./zip/read-zip.ts";
import { writeZip, type ZippedFile } from "./zip/write-zip.ts";

interface Dependencies {
  graphs: Graphs;
  versions: Versions;
  changes: GraphChanges;
  declarations: Pick<Declarations, "declare">;
  files: Pick<NodeFiles, "findContent" | "store" | "storedIn">;
  /** The version of the SDK that this server runs. */
  sdk: string;
}

export type WorkflowFiles = ReturnType<typeof createWorkflowFiles>;

/** Without the version that a folder came from, every difference is a conflict, and nothing is lost. */
const goneCodes = new Set<string>(["graph_not_found", "version_not_found", "version_damaged"]);

/** Revisions count changes in the database. A folder has none: it is sent again with the merge. */
const folderRevision = 0;

/** Workflows as folders of files, in a zip. */
export function createWorkflowFiles({ graphs, versions, changes, declarations, files, sdk }: Dependencies) {
  async function openZip(zip: Buffer): Promise<ReadFolder> {
    if (zip.length > limits.zipMax) throw new AppError("workflow_files_too_large");
    return readFolderAside(insideTopFolder(await readZip(zip)), sdk);
  }

  /** The version that a folder was exported from, as far as it is still there and has to do with this workflow. */
  async function findBase(
    caller: Caller,
    graphId: string,
    mine: VersionContent,
    { origin }: ReadFolder,
  ): Promise<VersionContent | null> {
    if (!origin) return null;
    try {
      const { content } = await versions.read(caller, origin.graphId, origin.versionId);
      // With the version of a stranger as base, all its nodes would count as deleted here, and none would be added.
      const isRelated = [...content.nodes.keys()].some((lineage) => mine.nodes.has(lineage));
      return isRelated || origin.graphId === graphId ? content : null;
    } catch (error) {
      const isGone = error instanceof AppError && goneCodes.has(error.code);
      if (isGone) return null;
      throw error;
    }
  }

  /** Before the transaction that uses them: each counts against the account's quota. */
  async function storeUploads(caller: Caller, { uploads }: ReadFolder): Promise<void> {
    for (const data of uploads.values()) await files.store(caller, data);
  }

  async function getUpload(graphId: string, hash: string): Promise<Buffer> {
    const content = await files.findContent(graphId, hash);
    // An empty file instead would be taken for an edit.
    if (!content) throw new AppError("file_not_found");
    return content;
  }

  async function sidesOf(caller: Caller, graphId: string, folder: ReadFolder) {
    const { content: mine, revision } = await versions.store.present(graphId);
    const base = await findBase(caller, graphId, mine, folder);
    const theirs = await completeContent(folder, base ? [base, mine] : [mine], (sources) =>
      declarations.declare(caller, sources),
    );
    const sides: MergeSides = { base, theirs, mine };
    return { sides, revision };
  }

  return {
    openImport: graphs.openImport,

    /** The present workflow is kept as a version: an import of the same folder is compared with it. */
    async export(caller: Caller, graphId: string, key: VersionKey): Promise<{ name: string; zip: Readable }> {
      const graph = await graphs.getGraph(caller, graphId, "read");
      // People who may only read a workflow leave no trace in its history.
      const accountId = graph.access === "viewer" ? null : caller.accountId;
      const { version, content } =
        key === "now" ? await versions.makeExport(graphId, accountId) : await versions.read(caller, graphId, key);
      const { name, description } = graph;
      const origin = { name, description, graphId, versionId: version?.id ?? "", sdk };
      const stored = await files.storedIn(graphId, hashesIn(content));
      const { texts, uploads } = await writeFolder(content, origin, stored);
      const folder = nodeStem(name).replaceAll("_", "-");
      const zipped: ZippedFile[] = [
        ...[...texts].map(([path, text]) => ({ path: `${folder}/${path}`, content: async () => Buffer.from(text) })),
        ...[...uploads].map(([hash, path]) => ({
          path: `${folder}/${path}`,
          content: () => getUpload(graphId, hash),
        })),
      ];
      const number = version?.number ? `-${version.number}` : "";
      return { name: `${folder}${number}.zip`, zip: writeZip(zipped) };
    },

    /** What a merge of the folder would do. Changes nothing. */
    async preview(caller: Caller, graphId: string, zip: Buffer): Promise<MergePreview> {
      await graphs.getGraph(caller, graphId, "write");
      const { sides, revision } = await sidesOf(caller, graphId, await openZip(zip));
      const { merged, conflicts } = await mergeInSlices(sides, {});
      return {
        theirs_revision: folderRevision,
        mine_revision: revision,
        has_base: sides.base !== null,
        comparison: await compareInSlices(sides.mine, merged),
        conflicts,
      };
    },

    /** Merges the folder into the workflow, as one change that restoring `before` undoes. */
    async merge(
      caller: Caller,
      graphId: string,
      zip: Buffer,
      { mine_revision, theirs_revision, resolutions }: MergeFilesBody,
    ): Promise<RestoredVersion> {
      await graphs.getGraph(caller, graphId, "write");
      const folder = await openZip(zip);
      const { sides, revision } = await sidesOf(caller, graphId, folder);
      if (revision !== mine_revision || theirs_revision !== folderRevision) throw new AppError("merge_outdated");
      const { merged, conflicts } = await mergeInSlices(sides, resolutions);
      refuseUndecided(conflicts, resolutions);
      const { nodes, edges, groups } = await compareInSlices(sides.mine, merged);
      const isSame = nodes.length + edges.length + groups.length === 0;
      if (isSame && conflicts.length === 0) throw new AppError("nothing_to_merge");
      await storeUploads(caller, folder);
      const done = await changes.commit(caller, graphId, async (trx) => {
        const before = await versions.makeAutomatic(trx, graphId, "merge", caller.accountId);
        if (before.revision !== mine_revision) throw new AppError("merge_outdated");
        for (const hash of folder.uploads.keys()) await graphFiles(trx).add(graphId, hash);
        const trusted = [sides.mine, sides.theirs, ...(sides.base ? [sides.base] : [])];
        const change = await versions.replaceContent(trx, caller, graphId, merged, {
          message: messages.importedFiles,
          trusted,
          now: sides.mine,
        });
        return { answer: { before }, change, because: "merge" };
      });
      await versions.makeRoom(graphId, done.before.id);
      return done;
    },

    /** A new workflow with the content of a folder. */
    async create(
      caller: Caller,
      zip: Buffer,
      { project_id, name, description }: WorkflowFromFilesBody,
    ): Promise<string> {
      const folder = await openZip(zip);
      const content = await completeContent(folder, [], (sources) => declarations.declare(caller, sources));
      await storeUploads(caller, folder);
      return graphs.addWorkflow(caller, {
        project_id,
        name: name ?? folder.name ?? messages.importedWorkflow,
        description: description ?? folder.description,
        content: copiedContent(content, new Map(), new Map()),
        alongside: async (trx, id) => {
          for (const hash of folder.uploads.keys()) await graphFiles(trx).add(id, hash);
        },
      });
    },
  };
}

function hashesIn({ nodes }: VersionContent): string[] {
  const hashes = new Set<string>();
  for (const { values } of nodes.values())
    for (const value of Object.values(values)) {
      const file = FileValue.safeParse(value);
      if (file.success) hashes.add(file.data.file);
    }
  return [...hashes];
}
