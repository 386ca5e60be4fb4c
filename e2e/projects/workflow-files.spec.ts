import { type BrowserContext, expect, type Page } from "@playwright/test";
import { readFile } from "node:fs/promises";

import { makeNode } from "../drivers/canvas.ts";
import { makeProject, makeWorkflow, trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { chooseFile, folderIn } from "../drivers/workflow-files.ts";

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
  return folderIn(await readFile(await download.path()));
}

test("exports a workflow as files", async ({ page, context, person: _person }) => {
  await openWithNode(page, context);
  const files = await exported(page);
  expect([...files.keys()]).toEqual(["workflow.toml", "nodes/train.py"]);
  expect(files.get("nodes/train.py")).toBe(trainCode);
});

test("makes a new workflow from files in the import tab", async ({ page, context, person: _person }) => {
  const { project } = await openWithNode(page, context);
  const files = await exported(page);
  await page.goto(address(`/designer/projects/${project}/graphs/new`));
  await page.getByRole("tab", { name: "Import from File" }).click();
  await page.getByLabel("Name").fill("Copy");
  await page.getByLabel("Description").fill("From files");
  await chooseFile(page, "tides.zip", files);
  await page.getByRole("button", { name: "Import Workflow" }).click();
  await expect(page).toHaveURL(new RegExp(`/designer/projects/${project}/graphs/[0-9a-f-]{36}$`));
  await expect(page.getByRole("group", { name: /^Train,/ })).toBeVisible();
});
