import { type BrowserContext, expect, type Page } from "@playwright/test";

import {
  card,
  drag,
  header,
  makeGraph,
  makeGroup,
  makeNode,
  openEditor,
  stored,
  viewRests,
} from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";

const group = (page: Page) => page.getByTestId("group");

/** A loose node, and a collapsed group of two nodes that lie far from each other. */
async function makeSteps(context: BrowserContext) {
  const { graph, path } = await makeGraph(context);
  const loose = await makeNode(context, graph, { name: "Loose", at: { x: 0, y: 200 } });
  const first = await makeNode(context, graph, { name: "First", at: { x: 0, y: 0 } });
  const last = await makeNode(context, graph, { name: "Last", at: { x: 1_600, y: 1_200 } });
  await makeGroup(context, graph, "Steps", [first, last]);
  return { graph, path, loose, first, last };
}

async function boxOf(page: Page, name?: string) {
  const box = await (name === undefined ? group(page) : card(page, name)).boundingBox();
  if (!box) throw new Error("It is not drawn.");
  return box;
}

const isInView = async (page: Page) => {
  const [{ x, y, width, height }, pane] = [await boxOf(page), await page.getByTestId("graph-editor").boundingBox()];
  const tools = await page.getByRole("toolbar").first().boundingBox();
  if (!pane || !tools) throw new Error("There is no canvas.");
  const isOutside = x < pane.x || y < pane.y || x + width > pane.x + pane.width || y + height > pane.y + pane.height;
  const isBelowTools = x < tools.x + tools.width && y < tools.y + tools.height;
  return !isOutside && !isBelowTools;
};

test("a box and Shift+click select a collapsed group with all its nodes", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path, loose } = await makeSteps(context);
  await openEditor(page, path);
  const inspector = page.getByTestId("inspector");
  const [upper, lower] = [await boxOf(page), await boxOf(page, "Loose")];
  await page.keyboard.down("Shift");
  await drag(
    page,
    { x: upper.x - 30, y: upper.y - 20 },
    { x: lower.x + lower.width + 30, y: lower.y + lower.height + 20 },
  );
  await page.keyboard.up("Shift");
  await expect(inspector).toContainText("3 nodes");
  await expect(group(page)).toHaveAttribute("data-selected", "true");

  // Arrow keys and Delete take the whole group along.
  const places = async () => Object.values((await stored(context, graph)).nodes).map(({ position }) => position.x);
  const before = await places();
  await page.keyboard.press("ArrowRight");
  await expect.poll(places).toEqual(before.map((x) => x + 8));
  await page.keyboard.press("Delete");
  await expect.poll(async () => Object.keys((await stored(context, graph)).nodes)).toHaveLength(0);
  await expect(group(page)).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(group(page)).toBeVisible();

  await viewRests(page);
  await page.keyboard.press("Escape");
  await header(page, "Loose").click();
  const name = group(page).getByText("2", { exact: true });
  await name.click({ modifiers: ["Shift"] });
  await expect(inspector).toContainText("3 nodes");
  await name.click({ modifiers: ["Shift"] });
  await expect(group(page)).not.toHaveAttribute("data-selected");
  await expect(inspector.getByRole("textbox", { name: "Name", exact: true })).toHaveValue(loose.name);
  await name.click();
  await expect(inspector).toContainText("2 nodes");
});

test("a search and a link show the collapsed group around a node, which stays collapsed", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path, last } = await makeSteps(context);
  const { revision } = await stored(context, graph);
  await openEditor(page, path);
  const name = page.getByTestId("inspector").getByRole("textbox", { name: "Name", exact: true });
  const isShown = async () => {
    await expect(name).toHaveValue("Last");
    await expect(group(page)).toHaveAttribute("data-selected", "true");
    await viewRests(page);
    expect(await isInView(page)).toBe(true);
  };
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 3_000);
  await expect(group(page)).toHaveCount(0);
  await page.keyboard.press("Control+f");
  await page.getByRole("combobox", { name: "Find a node by name" }).fill("last");
  await page.keyboard.press("Enter");
  await isShown();
  await header(page, "Loose").click();
  await expect(group(page)).not.toHaveAttribute("data-selected");

  await page.goto(address(`${path}?node=${last.metadata_id}`));
  await isShown();
  expect((await stored(context, graph)).revision).toBe(revision);
});

test("the card of a collapsed group counts the open comments of its nodes", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path, first, last } = await makeSteps(context);
  for (const { metadata_id } of [first, last, last]) {
    const data = { body: "Why twice?", metadata_id, key: crypto.randomUUID() };
    const made = await context.request.post(address(`/api/v3/graphs/${graph}/comments`), { data });
    expect(made.status(), await made.text()).toBe(200);
  }
  await openEditor(page, path);
  await group(page).getByTestId("comment-mark").click();
  await expect(group(page).getByTestId("comment-mark")).toHaveText("3");
  await expect(page.getByTestId("comments").getByTestId("thread")).toHaveCount(3);
  await expect(group(page)).not.toHaveAttribute("data-selected");
});

test("an opened group stays in view", async ({ page, context, person: _person }) => {
  const { path } = await makeSteps(context);
  await openEditor(page, path);
  await page.getByRole("button", { name: "Expand Steps" }).click();
  await expect(card(page, "Last")).toBeVisible();
  await viewRests(page);
  expect(await isInView(page)).toBe(true);
  await page.getByRole("button", { name: "Collapse Steps" }).click();
  await expect(card(page, "Last")).toHaveCount(0);
  await viewRests(page);
  expect(await isInView(page)).toBe(true);
});

test("arranging puts no group on another node, and one undo takes it back", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const make = (name: string, x: number, y: number) => makeNode(context, graph, { name, at: { x, y } });
  const [first, last] = [await make("First", 0, 0), await make("Last", 160, 96)];
  const [third, fourth] = [await make("Third", 80, 48), await make("Fourth", 120, 72)];
  await make("Loose", 40, 24);
  await makeGroup(context, graph, "Ends", [first, last]);
  await makeGroup(context, graph, "Middle", [third, fourth]);
  await openEditor(page, path);
  await page.getByRole("button", { name: "Expand Ends" }).click();
  await expect.poll(async () => (await stored(context, graph)).groups.filter((one) => one.collapsed)).toHaveLength(1);
  const places = async () => Object.values((await stored(context, graph)).nodes).map(({ position }) => position);
  const before = await places();
  await page.getByRole("button", { name: /^Arrange/ }).click();
  await expect.poll(places).not.toEqual(before);
  await viewRests(page);
  const boxes = await Promise.all([
    ...(await group(page).all()).map((one) => one.boundingBox()),
    card(page, "Loose").boundingBox(),
  ]);
  for (const [at, one] of boxes.entries())
    for (const other of boxes.slice(at + 1)) {
      if (!one || !other) throw new Error("It is not drawn.");
      const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x;
      expect(isBeside || one.y + one.height <= other.y || other.y + other.height <= one.y).toBe(true);
    }
  await page.getByRole("button", { name: /^Undo/ }).click();
  await expect.poll(places).toEqual(before);
});
