import { type BrowserContext, expect, type Page } from "@playwright/test";

import { readZip } from "../../server/features/workflow-files/zip/read-zip.ts";
import { zipOf } from "../../server/testing/versions/workflow-folder.ts";
import { address } from "./people.ts";

/** A workflow's folder: its files by path, without the folder around them. */
export async function exportedFolder(context: BrowserContext, graph: string): Promise<Map<string, string>> {
  const answer = await context.request.get(address(`/api/v3/graphs/${graph}/versions/now/files`));
  expect(answer.status()).toBe(200);
  return folderIn(await answer.body());
}

export async function folderIn(zip: Buffer): Promise<Map<string, string>> {
  const files = await readZip(zip);
  return new Map([...files].map(([path, data]) => [path.slice(path.indexOf("/") + 1), data.toString()]));
}

/** The folder with a text replaced in one of its files. The text must be there. */
export function withText(folder: ReadonlyMap<string, string>, path: string, before: string, after: string) {
  const text = folder.get(path) ?? "";
  expect(text).toContain(before);
  return new Map([...folder, [path, text.replace(before, after)]]);
}

/** Chooses a file in the area for files, as a person does. */
export async function chooseFile(page: Page, name: string, content: ReadonlyMap<string, string> | string) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByTestId("file-drop").click();
  const buffer = typeof content === "string" ? Buffer.from(content) : await zipOf(content);
  await (await chooser).setFiles({ name, mimeType: "application/zip", buffer });
}

/** Drops a zip on the empty canvas. */
export async function dropOnCanvas(page: Page, name: string, folder: ReadonlyMap<string, string>): Promise<void> {
  const bytes = [...(await zipOf(folder))];
  const transfer = await page.evaluateHandle(
    (file) => {
      const given = new DataTransfer();
      given.items.add(new File([new Uint8Array(file.bytes)], file.name));
      return given;
    },
    { bytes, name },
  );
  const pane = page.locator(".react-flow__pane");
  await pane.dispatchEvent("dragover", { dataTransfer: transfer });
  await pane.dispatchEvent("drop", { dataTransfer: transfer });
}
