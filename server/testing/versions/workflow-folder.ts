import type { MergePreview } from "@miranda/contract/schemas/versions.ts";

import { readZip } from "../../features/workflow-files/zip/read-zip.ts";
import { writeZip } from "../../features/workflow-files/zip/write-zip.ts";
import type { Answer, TestClient } from "../test-client.ts";

/** The files of a workflow by path, as a person has them on a disk. */
export type TestFolder = Map<string, string>;

export async function exportFolder(client: TestClient, graphId: string, version = "now"): Promise<TestFolder> {
  const answer = await client.get(`/api/v3/graphs/${graphId}/versions/${version}/files`);
  if (answer.status !== 200) throw new Error(answer.text);
  const files = await readZip(answer.bytes);
  return new Map([...files].map(([path, data]) => [path.slice(path.indexOf("/") + 1), data.toString()]));
}

export async function zipOf(folder: ReadonlyMap<string, string | Buffer>): Promise<Buffer> {
  const files = [...folder].map(([path, data]) => ({ path, content: async () => Buffer.from(data) }));
  return Buffer.concat(await writeZip(files).toArray());
}

/** Sends a zip with the fields of a form. */
export function sendZip(
  client: TestClient,
  path: string,
  zip: Buffer,
  fields: Record<string, string> = {},
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("zip", new Blob([new Uint8Array(zip)]), "workflow.zip");
  return client.send("POST", path, form);
}

/** Previews the import of a folder into a workflow and carries it out. Every conflict is resolved the same way. */
export async function importFolder(
  client: TestClient,
  graphId: string,
  folder: TestFolder,
  side: "mine" | "theirs" = "mine",
): Promise<{ preview: MergePreview; answer: Answer }> {
  const zip = await zipOf(folder);
  const path = `/api/v3/graphs/${graphId}/files`;
  const first = await sendZip(client, `${path}/preview`, zip);
  if (first.status !== 200) throw new Error(first.text);
  const preview = first.json<MergePreview>();
  const answer = await sendZip(client, path, zip, {
    mine_revision: String(preview.mine_revision),
    theirs_revision: String(preview.theirs_revision),
    resolutions: JSON.stringify(Object.fromEntries(preview.conflicts.map(({ id }) => [id, side]))),
  });
  return { preview, answer };
}

/** The folder with a text replaced in one of its files. The text must be there. */
export function edited(folder: TestFolder, path: string, before: string, after: string): TestFolder {
  const text = folder.get(path);
  if (!text?.includes(before)) throw new Error(`${path} does not contain ${before}`);
  return new Map([...folder, [path, text.replace(before, after)]]);
}
