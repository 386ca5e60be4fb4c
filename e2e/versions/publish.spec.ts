import { expect } from "@playwright/test";

import { makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { joinProject, twoPeople } from "../drivers/collaborators.ts";
import { trainCode } from "../drivers/fixtures.ts";
import { test } from "../drivers/people.ts";
import { nameVersion, setValue, step, versionGraph } from "../drivers/versions.ts";

test("publishes what changed, and leaves out what another person has not finished", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { project, graph, path } = await makeGraph(context);
  const mine = await makeNode(context, graph, { name: "Mine", code: trainCode });
  const hers = await makeNode(context, graph, { name: "Hers", code: trainCode, at: { x: 400, y: 0 } });
  await nameVersion(context, graph, "Live", { publish: true });
  await setValue(context, mine.metadata_id, "note", "better");
  const other = await joinProject(browser, context, project, "Bea");
  await setValue(other.context, hers.metadata_id, "note", "half done");
  await makeNode(other.context, graph, { name: "Draft", at: { x: 800, y: 0 } });

  await openEditor(page, path);
  await page.getByRole("button", { name: "Versions" }).click();
  await page.getByRole("menuitem", { name: "Publish…" }).click();
  const dialog = page.getByRole("dialog", { name: "Publish" });
  await expect(dialog).toContainText("Changes since “Live”");
  await expect(step(dialog, /Mine/)).toContainText("By you");
  await expect(step(dialog, /Hers/)).toContainText("By Bea");
  await expect(step(dialog, /Hers/)).toBeChecked();

  // One node by its tick box, then all that Bea did.
  await dialog.getByRole("listbox").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect(step(dialog, /Hers/)).not.toBeChecked();
  await expect(dialog.getByText("1 node left out")).toBeVisible();
  await dialog.getByRole("checkbox", { name: /Bea/ }).click();
  await dialog.getByRole("checkbox", { name: /Bea/ }).uncheck();
  await expect(dialog.getByText("2 nodes left out")).toBeVisible();

  // What others do meanwhile is listed, and nothing that was typed or ticked is lost.
  await dialog.getByLabel("Name").fill("Better notes");
  await setValue(context, mine.metadata_id, "mode", "safe");
  await expect(step(dialog, /Mine/)).toContainText("mode");
  await expect(dialog.getByLabel("Name")).toHaveValue("Better notes");
  await expect(dialog.getByText("2 nodes left out")).toBeVisible();
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await expect(page.getByText("Published “Better notes”.")).toBeVisible();
  const { nodes } = await versionGraph(context, graph, "2");
  const notes = Object.values(nodes).map(({ name, api }) => [
    name,
    api.attributes.find((attribute) => attribute.name === "note")?.value,
  ]);
  expect(Object.fromEntries(notes)).toEqual({ Hers: "hello", Mine: "better" });
  await other.context.close();
});

test("shows everything before the first publication with its people, and refuses to publish nothing", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Load" });
  await makeNode(ben.context, graph, { name: "Clean", at: { x: 400, y: 0 } });
  await openEditor(page, path);
  const publish = async (name: string) => {
    await page.getByRole("button", { name: "Versions" }).click();
    await page.getByRole("menuitem", { name: "Publish…" }).click();
    await expect(page.getByRole("dialog", { name: "Publish" }).getByLabel("Name")).toBeFocused();
    await page.keyboard.type(name);
  };
  await publish("First");
  const dialog = page.getByRole("dialog", { name: "Publish" });
  await expect(dialog).toContainText("Nothing is published yet.");
  await expect(step(dialog, /Load/)).toContainText(/Added.*By you/);
  await expect(step(dialog, /Clean/)).toContainText(/Added.*By Ben/);
  await dialog.getByRole("checkbox", { name: /Ben/ }).uncheck();
  await expect(step(dialog, /Clean/)).toContainText("Left out: not published");
  await dialog.getByRole("checkbox", { name: /Ben/ }).check();
  await expect(dialog).toContainText("Everything will be published.");
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await expect(page.getByText("Published “First”.")).toBeVisible();

  // What was typed stays while it is found out that there is a published version by now.
  await publish("Again");
  await expect(dialog).toContainText("Nothing changed since the last published version.");
  await expect(dialog.getByLabel("Name")).toHaveValue("Again");
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("Nothing has changed since the last published version.");
  await expect(dialog.getByLabel("Name")).toHaveValue("Again");
});
