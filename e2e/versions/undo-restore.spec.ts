import { expect, type Page } from "@playwright/test";

import { card, header, makeNode, openEditor, spot, stored } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";

const restored = (page: Page) => page.getByText("Restored “First”.");

async function rename(page: Page, from: string, to: string): Promise<void> {
  await header(page, from).dblclick();
  await page.getByRole("textbox", { name: "Node name" }).fill(to);
  await page.keyboard.press("Enter");
  await expect(card(page, to)).toBeVisible();
}

async function undo(page: Page): Promise<void> {
  const empty = await spot(page, 0.4, 0.85);
  await page.mouse.click(empty.x, empty.y);
  await page.keyboard.press("Control+z");
}

test("undoes a restored version with one key, and keeps what somebody else did since", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  for (const [at, name] of ["Load", "Clean", "Train"].entries())
    await makeNode(context, graph, { name, at: { x: at * 340, y: 0 } });
  const named = await context.request.post(address(`/api/v3/graphs/${graph}/versions`), { form: { name: "First" } });
  expect(named.status(), await named.text()).toBe(200);
  const names = async () =>
    Object.values((await stored(context, graph)).nodes)
      .map(({ name }) => name)
      .sort();
  await openEditor(ben.page, path);
  await openEditor(page, path);
  await rename(page, "Load", "Read");
  await rename(page, "Clean", "Wash");
  await makeNode(context, graph, { name: "Plot", at: { x: 0, y: 300 } });
  // A page that is left drops what is not stored yet.
  await expect.poll(async () => (await names()).includes("Wash")).toBe(true);

  const restore = async () => {
    await page.goto(address(`${path}/history?version=1`));
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await expect(restored(page)).toBeVisible();
    await expect(page.getByTestId("graph-editor")).toBeVisible();
    await expect.poll(names).toEqual(["Clean", "Load", "Train"]);
  };

  // Nobody else did anything: all of it is undone.
  await restore();
  await undo(page);
  await expect.poll(names).toEqual(["Plot", "Read", "Train", "Wash"]);

  // Ben renames one of the restored nodes and adds one of his own. Both stay.
  await restore();
  await expect(card(ben.page, "Clean")).toBeVisible();
  await rename(ben.page, "Clean", "Ben's");
  await makeNode(ben.context, graph, { name: "New by Ben", at: { x: 340, y: 300 } });
  await expect(card(page, "New by Ben")).toBeVisible();
  await undo(page);
  await expect(page.getByText(`${ben.person.username} changed “Ben's” since. It was not undone.`)).toBeVisible();
  await expect.poll(names).toEqual(["Ben's", "New by Ben", "Plot", "Read", "Train"]);
});

test("undoes a merge with one key, and keeps what somebody else did since", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { project, graph, path, ben } = await twoPeople(browser, context);
  for (const [at, name] of ["Load", "Clean", "Train"].entries())
    await makeNode(context, graph, { name, at: { x: at * 340, y: 0 } });
  const cloned = await context.request.post(address(`/api/v3/graphs/${graph}/clone`), {
    form: { to_project: project },
  });
  expect(cloned.status(), await cloned.text()).toBe(200);
  const { id: clone } = (await cloned.json()) as { id: string };
  for (const node of Object.values((await stored(context, clone)).nodes)) {
    const renamed = await context.request.patch(address(`/api/v3/objects/${node.metadata_id}`), {
      form: { name: `${node.name} 2` },
    });
    expect(renamed.status(), await renamed.text()).toBe(200);
  }
  await makeNode(context, clone, { name: "Plot", at: { x: 0, y: 300 } });
  const names = async () =>
    Object.values((await stored(context, graph)).nodes)
      .map(({ name }) => name)
      .sort();

  await openEditor(ben.page, path);
  await page.goto(address(`${path}/merge?from=${clone}`));
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  await expect.poll(names).toEqual(["Clean 2", "Load 2", "Plot", "Train 2"]);
  await expect(card(ben.page, "Load 2")).toBeVisible();
  await rename(ben.page, "Load 2", "Ben's");
  await expect(card(page, "Ben's")).toBeVisible();
  await undo(page);
  await expect(page.getByText(`${ben.person.username} changed “Ben's” since. It was not undone.`)).toBeVisible();
  await expect.poll(names).toEqual(["Ben's", "Clean", "Train"]);
});
