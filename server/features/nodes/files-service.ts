import { nodeFile as limits } from "@miranda/contract/limits.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";
import { createHash } from "node:crypto";

import { AppError } from "../../platform/errors/app-error.ts";
import type { UploadedFile } from "../../platform/http/bodies.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import { toNode } from "../../model/graph-rows.ts";
import { graphFiles } from "../../model/graph-files-queries.ts";
import { fileQueries } from "./files-queries.ts";
import type { Nodes } from "./nodes-service.ts";

export type NodeFiles = ReturnType<typeof createNodeFiles>;

/** The files in file controls. */
export function createNodeFiles(deps: { db: Db; nodes: Pick<Nodes, "getNode">; quotas: Pick<Quotas, "fileBytes"> }) {
  const { db, nodes, quotas } = deps;
  const queries = fileQueries(db);

  /** Stores a file once, whoever uses it. Returns its hash. */
  async function store(caller: Pick<Caller, "accountId">, data: Buffer): Promise<string> {
    if (data.length > limits.sizeMax) throw new AppError("file_too_large");
    const file = createHash("sha256").update(data).digest("hex");
    if (await queries.renew(file)) return file;
    await addWithinQuota(db, { what: "files", owner: caller.accountId }, async (trx) => {
      const inside = fileQueries(trx);
      const { used, stored } = await inside.bytesOf(caller.accountId);
      // Unused files are kept for a day, and must not fill the disk.
      if (used + data.length > quotas.fileBytes || stored + data.length > 2 * quotas.fileBytes)
        throw new AppError("too_many_files");
      await inside.insert(file, data, caller.accountId);
    });
    return file;
  }

  async function storeUpload(
    caller: Pick<Caller, "accountId">,
    { filename, mimetype, data }: UploadedFile,
  ): Promise<FileValue> {
    const file = await store(caller, data);
    return { file, name: nameOf(filename), size: data.length, type: mimetype.slice(0, limits.typeMax) };
  }

  return {
    store,

    /** Stores a file, and returns the value that names it. The caller then says who may read it. */
    storeUpload,

    /** Stores a file for a node. The caller then sets the returned value on an attribute. */
    async keep(caller: Caller, metadataId: number, upload: UploadedFile): Promise<FileValue> {
      const node = await nodes.getNode(caller, metadataId, "write");
      if (node.locked) throw new AppError("node_locked");
      const value = await storeUpload(caller, upload);
      await graphFiles(db).add(node.graph_id, value.file);
      return value;
    },

    async read(caller: Caller, metadataId: number, name: string): Promise<FileValue & { content: Buffer }> {
      const { graph_id, access, ...row } = await nodes.getNode(caller, metadataId, "read");
      const { api } = toNode({ ...row, graph_id }, access === "viewer");
      const value = FileValue.safeParse(api.attributes.find((attribute) => attribute.name === name)?.value);
      const content = value.success ? await queries.findContent(graph_id, value.data.file) : undefined;
      if (!value.success || !content) throw new AppError("file_not_found");
      return { ...value.data, content };
    },

    /** For a processor, which got the hash from its graph. */
    findContent: queries.findContent,

    /** Those of the files that the graph may read. */
    storedIn: queries.storedIn,

    sweep: queries.removeUnused,
  };
}

/** Only the last part of the path: the folders of a person's machine are private. */
function nameOf(given: string): string {
  const name = given
    .split(/[/\\]/)
    .at(-1)
    ?.replaceAll(/[\p{Cc}\uFFFD]/gu, "")
    .slice(0, limits.nameMax);
  return name && name !== "." && name !== ".." ? name : "file";
}
