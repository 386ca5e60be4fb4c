import { expect, type Page } from "@playwright/test";

import { card, drag, header, makeNode, middle, openEditor, spot, stored } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { test } from "../drivers/people.ts";

const twoFields = `from miranda import Node, Field

class Mix(Node):
    left = Field("l")
    right = Field("r")
`;

const field = (page: Page, name: string) => card(page, "Mix").getByRole("textbox", { name });
const notices = (page: Page) => page.getByRole("region", { name: /^Notifications/ }).getByRole("listitem");

/** Takes the focus out of the fields, where Ctrl+Z is the browser's own. */
async function undo(page: Page, keys = "Control+z"): Promise<void> {
  const empty = await spot(page, 0.5, 0.85);
  await page.mouse.click(empty.x, empty.y);
  await page.keyboard.press(keys);
}

test("keeps the value that somebody else set after mine, says so, and undoes it when I ask for it with the keyboard", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Mix", code: twoFields });
  await openEditor(page, path);
  await openEditor(ben.page, path);
  await field(page, "left").fill("from Ada");
  await field(page, "right").fill("also from Ada");
  await expect(field(ben.page, "right")).toHaveValue("also from Ada");
  await field(ben.page, "left").fill("from Ben");
  await expect(field(page, "left")).toHaveValue("from Ben");
  // The page shows it before the server has stored it.
  await expect.poll(async () => JSON.stringify((await stored(context, graph)).nodes)).toContain("from Ben");
  const { revision } = await stored(context, graph);

  // The last change is only Ada's, so it goes without a word.
  await undo(page);
  await expect(field(page, "right")).toHaveValue("r");
  await expect(notices(page)).toHaveCount(0);
  await undo(page);
  const notice = notices(page).filter({ hasText: "was not undone" });
  await expect(notice).toHaveText(
    `${ben.person.username} changed the value of left since. It was not undone.Undo anyway`,
  );
  await expect(field(page, "left")).toHaveValue("from Ben");
  await expect.poll(async () => (await stored(context, graph)).revision).toBe(revision + 1);

  await page.keyboard.press("Alt+t");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(notice.getByRole("button", { name: "Undo anyway" })).toBeFocused();
  await page.keyboard.press("Enter");
  for (const one of [page, ben.page]) await expect(field(one, "left")).toHaveValue("l");
  await expect(notice).toHaveCount(0);

  // What was overwritten comes back.
  await undo(page, "Control+Shift+z");
  for (const one of [page, ben.page]) await expect(field(one, "left")).toHaveValue("from Ben");
});

test("moves back the nodes that nobody else moved, and names those that somebody did", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  const names = ["Load", "Clean", "Train"];
  for (const [at, name] of names.entries()) await makeNode(context, graph, { name, at: { x: at * 360, y: 0 } });
  await openEditor(page, path);
  await openEditor(ben.page, path);
  const heights = async () => Object.values((await stored(context, graph)).nodes).map(({ position }) => position.y);
  await header(page, "Load").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Shift+ArrowDown");
  await expect.poll(async () => new Set(await heights()).size === 1 && (await heights())[0]! > 0).toBe(true);
  const [moved = 0] = await heights();

  const at = await middle(header(ben.page, "Clean"));
  await drag(ben.page, at, { x: at.x, y: at.y + 160 });
  await expect.poll(async () => Math.max(...(await heights()))).toBeGreaterThan(moved);
  const bens = Math.max(...(await heights()));
  await undo(page);
  await expect(notices(page)).toContainText(`${ben.person.username} moved “Clean” since. It was not undone.`);
  await expect.poll(heights).toEqual([0, bens, 0]);

  await notices(page).getByRole("button", { name: "Undo anyway" }).click();
  await expect.poll(heights).toEqual([0, 0, 0]);
});

test("keeps a node that somebody else changed after I added it, and offers nothing for one that is gone", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  await openEditor(page, path);
  await openEditor(ben.page, path);
  const empty = await spot(page, 0.3, 0.75);
  await page.mouse.dblclick(empty.x, empty.y);
  await page.getByRole("combobox", { name: "Add a node" }).press("Enter");
  await expect(card(ben.page, "New Node")).toBeVisible();
  await header(ben.page, "New Node").dblclick();
  await ben.page.getByRole("textbox", { name: "Node name" }).fill("Ours");
  await ben.page.keyboard.press("Enter");
  await expect(card(page, "Ours")).toBeVisible();
  await undo(page);
  await expect(notices(page)).toContainText(`${ben.person.username} changed “Ours” since. It was not undone.`);
  await expect(card(page, "Ours")).toBeVisible();

  await header(page, "Load").click();
  await page.keyboard.press("d");
  await expect(card(ben.page, "Load")).toHaveAttribute("data-disabled", "true");
  await page.keyboard.press("Escape");
  await header(ben.page, "Load").click();
  await ben.page.keyboard.press("Delete");
  await expect(card(page, "Load")).toHaveCount(0);
  await undo(page);
  const gone = notices(page).filter({ hasText: `${ben.person.username} deleted “Load” since. It was not undone.` });
  await expect(gone).toBeVisible();
  await expect(gone.getByRole("button")).toHaveCount(0);
  await expect(card(page, "Ours")).toBeVisible();
});
