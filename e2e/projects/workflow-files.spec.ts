import { type BrowserContext, expect, type Page } from "@playwright/test";
import { readFile } from "node:fs/promises";

import { readZip } from "../../server/features/workflow-files/zip/read-zip.ts";
import { zipOf } from "../../server/testing/workflow-folder.ts";
import { makeNode } from "../drivers/canvas.ts";
import { makeProject, makeWorkflow, trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";

async function openWithNode(page: Page, context: BrowserContext) {
  const project = await makeProject(context, "Harbour");
  const graph = await makeWorkflow(context, project, "Tides");
  const node = await makeNode(context, graph, { name: "Train", code: trainCode, at: { x: 0, y: 0 } });
  await page.goto(address(`/designer/projects/${project}`));
  return { project, graph, node };
}

/** The files that a person gets from the menu of a workflow. */
async function exported(page: Page): Promise<Map<string, string>> {
  await page.getByRole("button", { name: "More actions" }).click();
  const coming = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export files (.zip)" }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe("tides.zip");
  const files = await readZip(await readFile(await download.path()));
  return new Map([...files].map(([path, data]) => [path, data.toString()]));
}

async function choose(page: Page, files: ReadonlyMap<string, string>, name = "tides.zip"): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByTestId("file-drop").click();
  await (await chooser).setFiles({ name, mimeType: "application/zip", buffer: await zipOf(files) });
}

const withNote = (files: ReadonlyMap<string, string>, note: string) => {
  const toml = files.get("tides/workflow.toml") ?? "";
  return new Map([
    ...files,
    ["tides/workflow.toml", toml.replace("[layout]", `[values.train]\nnote = "${note}"\n\n[layout]`)],
  ]);
};

test("exports a workflow as files and merges an edited folder back, with a conflict", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, node } = await openWithNode(page, context);
  const files = await exported(page);
  expect([...files.keys()]).toEqual(["tides/workflow.toml", "tides/nodes/train.py"]);
  expect(files.get("tides/nodes/train.py")).toBe(trainCode);

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Import files (.zip)…" }).click();
  const dialog = page.getByRole("dialog", { name: "Import files into Tides" });
  const compare = dialog.getByRole("button", { name: "Compare" });
  await expect(compare).toBeDisabled();
  await choose(page, files);
  await compare.click();
  await expect(dialog.getByText("The workflow already has everything in these files.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Merge" })).toBeDisabled();

  const broken = new Map([...files].filter(([path]) => !path.endsWith("train.py")));
  await choose(page, broken);
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The file nodes/train.py is missing. Nothing was imported.");

  const value = { form: { attribute_value: "by somebody" } };
  await context.request.patch(address(`/api/v3/objects/${node.metadata_id}/attributes/note`), value);
  await choose(page, withNote(files, "by hand"));
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(dialog.getByText("Both sides changed one thing. Choose a side.")).toBeVisible();
  const merge = dialog.getByRole("button", { name: "Merge" });
  await expect(merge).toBeDisabled();
  const choice = dialog.getByRole("group", { name: "Train: value of note" });
  await choice.getByText("by hand").click();
  await merge.click();
  await expect(page.getByText("Tides has the changes from the files.")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  const after = await (await context.request.get(address(`/api/v3/graphs/${graph}/graph`))).text();
  expect(after).toContain("by hand");
});

test("makes a new workflow from files in the import tab", async ({ page, context, person: _person }) => {
  const { project } = await openWithNode(page, context);
  const files = await exported(page);
  await page.goto(address(`/designer/projects/${project}/graphs/new`));
  await page.getByRole("tab", { name: "Import from File" }).click();
  await page.getByLabel("Name").fill("Copy");
  await page.getByLabel("Description").fill("From files");
  await choose(page, files);
  await page.getByRole("button", { name: "Import Workflow" }).click();
  await expect(page).toHaveURL(new RegExp(`/designer/projects/${project}/graphs/[0-9a-f-]{36}$`));
  await expect(page.getByRole("group", { name: /^Train,/ })).toBeVisible();
});
