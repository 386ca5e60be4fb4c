import { expect } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { card, header, makeGraph, makeNode, openEditor, stored } from "../drivers/canvas.ts";
import { trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { cloneWorkflow, nameVersion, setValue, step, versionRow, writeCode } from "../drivers/versions.ts";

test.describe.configure({ timeout: 180_000 });

test("has no violations in the history, a comparison, publishing and a merge", async ({
  page,
  context,
  person: _person,
}) => {
  const { project, graph, path } = await makeGraph(context);
  const train = await makeNode(context, graph, { name: "Train", code: trainCode });
  const load = await makeNode(context, graph, { name: "Load", code: trainCode, at: { x: 400, y: 0 } });
  await nameVersion(context, graph, "First", { message: "It works", publish: true });
  const clone = await cloneWorkflow(context, graph, project);
  await setValue(context, train.metadata_id, "note", "here");
  for (const node of Object.values((await stored(context, clone)).nodes))
    await setValue(context, node.metadata_id, "note", "there");
  await writeCode(context, load.metadata_id, `${trainCode}\n`);

  await openEditor(page, path);
  await page.getByRole("button", { name: "Versions" }).click();
  await expect(page.getByRole("menuitem", { name: "Publish…" })).toBeVisible();
  await audit(page, "the versions menu", "[role=menu]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("v");
  await expect(page.getByRole("dialog", { name: "Name this version" })).toBeVisible();
  await audit(page, "naming a version", "[role=dialog]");

  await page.goto(address(`${path}/history`));
  await expect(versionRow(page, "First")).toBeVisible();
  await audit(page, "the history");
  await versionRow(page, "First").click();
  await expect(card(page, "Train")).toBeVisible();
  await header(page, "Train").click();
  await expect(page.getByTestId("inspector")).toBeVisible();
  await audit(page, "a version");

  await page.goto(address(`${path}/compare?before=1&after=now`));
  await expect(step(page, /Train/).first()).toBeVisible();
  await audit(page, "a comparison");
  await step(page, /Load/).first().click();
  await expect(page.getByTestId("diff")).toBeVisible();
  await audit(page, "a comparison of code");

  await openEditor(page, path);
  await page.getByRole("button", { name: "Versions" }).click();
  await page.getByRole("menuitem", { name: "Publish…" }).click();
  await expect(step(page, /Train/).first()).toBeVisible();
  await audit(page, "publishing", "[role=dialog]");

  await page.goto(address(`${path}/merge`));
  await expect(page.getByRole("option").first()).toBeVisible();
  await audit(page, "choosing what to merge");
  await page.goto(address(`${path}/merge?files=lost.zip`));
  await expect(page.getByTestId("file-drop")).toBeVisible();
  await audit(page, "choosing a folder to import");
  await page.goto(address(`${path}/merge?from=${clone}`));
  await expect(page.getByTestId("conflict")).toBeVisible();
  await audit(page, "a conflict");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await audit(page, "a conflict that is edited");
});
