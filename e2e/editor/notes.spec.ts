import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";

import type { Position } from "@miranda/contract/schemas/nodes.ts";

import {
  card,
  drag,
  makeGraph,
  makeNode,
  middle,
  openEditor,
  paste,
  stored,
  storedNode,
  viewRests,
} from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { twoPeople } from "../drivers/collaborators.ts";

const noteCard = (page: Page) => page.locator('[data-class="note"]');
const noteField = (page: Page) => page.getByRole("textbox", { name: "Text of the note" });
/** The inspector's field shows the text as this browser knows it. */
const knownText = (page: Page) => page.getByRole("textbox", { name: "Description" });

async function makeNote(context: BrowserContext, graph: string, text: string, at?: Position): Promise<number> {
  const { metadata_id } = await makeNode(context, graph, { name: "Note", type: "NOTE", ...(at && { at }) });
  const form = { description: text };
  const written = await context.request.patch(address(`/api/v3/objects/${metadata_id}`), { form });
  expect(written.status(), await written.text()).toBe(200);
  return metadata_id;
}

async function writeIn(page: Page): Promise<void> {
  await noteCard(page).dblclick();
  await expect(noteField(page)).toBeFocused();
}

test("a note is written in Markdown, seen by others, resized and undone", async ({
  page,
  browser,
  context,
  person: _person,
}) => {
  const { path, graph, ben } = await twoPeople(browser, context, "viewer");
  await makeNode(context, graph, { name: "Load", at: { x: 600, y: 0 } });
  await openEditor(page, path);
  await openEditor(ben.page, path);

  // A person writes at once, also before the note is there.
  await page.keyboard.press("n");
  await page.keyboard.type("## Before you run\n\nAsk **Ada** for the key.");
  const text = page.getByRole("textbox", { name: "Text of the note" });
  await expect(text).toBeFocused();
  await page.keyboard.press("Escape");
  const note = page.locator('[data-class="note"]');
  await expect(note.getByRole("heading", { name: "Before you run" })).toBeVisible();
  await expect(ben.page.locator('[data-class="note"]').getByRole("heading", { name: "Before you run" })).toBeVisible();

  const before = await note.boundingBox();
  const corner = await middle(page.getByTestId("note-corner"));
  await drag(page, corner, { x: corner.x + 80, y: corner.y + 48 });
  await expect.poll(async () => (await note.boundingBox())?.width ?? 0).toBeGreaterThan((before?.width ?? 0) + 40);
  const kept = async () => Object.values((await stored(context, graph)).nodes).find((node) => node.class === "note");
  await expect.poll(async () => (await kept())?.body).not.toEqual({ width: 256, height: 160 });
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await kept())?.body).toEqual({ width: 256, height: 160 });

  // Double click edits again. Another key than Escape stays in the text.
  await note.dblclick();
  await expect(text).toBeFocused();
  await page.keyboard.type(" Now.");
  await page.mouse.click(40, 400);
  await expect.poll(async () => (await kept())?.description).toContain("for the key. Now.");
  // A viewer reads it and cannot write.
  await ben.page.locator('[data-class="note"]').dblclick();
  await expect(ben.page.getByRole("textbox", { name: "Text of the note" })).toHaveCount(0);
});

test("a note that leaves the view keeps what is being written, and one made from far away comes near", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await openEditor(page, path);
  const texts = async () =>
    Object.values((await stored(context, graph)).nodes)
      .map(({ description }) => description)
      .toSorted();
  const text = page.getByRole("textbox", { name: "Text of the note" });
  await page.keyboard.press("n");
  await expect(text).toBeFocused();
  await page.keyboard.type("Not finished");
  await page.mouse.move(60, 500);
  await page.mouse.wheel(0, 6_000);
  await expect(text).toHaveCount(0);
  await expect.poll(texts).toEqual(["Not finished"]);

  await page.keyboard.press("0");
  await page.keyboard.press("Escape");
  for (let step = 0; step < 8; step += 1) await page.keyboard.press("-");
  await viewRests(page);
  await page.keyboard.press("n");
  await page.keyboard.type("From far away");
  await expect(text).toBeFocused();
  await expect(text).toHaveValue("From far away");
  await page.keyboard.press("Escape");
  await expect.poll(texts).toEqual(["From far away", "Not finished"]);
});

test("what two people write in one note at once is merged, or both versions are kept", async ({
  page,
  browser,
  context,
  person: _person,
}) => {
  const { path, graph, ben } = await twoPeople(browser, context);
  const id = await makeNote(context, graph, "Plan");
  const text = async () => (await storedNode(context, graph, id))?.description;
  await openEditor(page, path);
  await openEditor(ben.page, path);

  await writeIn(page);
  await writeIn(ben.page);
  await page.keyboard.type(" ADA");
  await ben.page.keyboard.type(" BEN");
  await ben.page.keyboard.press("Escape");
  await expect(knownText(page)).toHaveValue("Plan BEN");
  await page.keyboard.type(" MORE");
  await page.keyboard.press("Escape");
  await expect.poll(text).toBe("Plan BEN ADA MORE");
  await expect(ben.page.getByTestId("note-text")).toHaveText("Plan BEN ADA MORE");

  // Both replace the same words.
  await writeIn(page);
  await writeIn(ben.page);
  await noteField(page).fill("Ask Ada");
  await noteField(ben.page).fill("Ask Ben");
  await ben.page.keyboard.press("Escape");
  await expect(knownText(page)).toHaveValue("Ask Ben");
  await page.keyboard.press("Escape");
  await expect.poll(text).toBe("Ask Ben\n\n---\n\nAsk Ada");
  const toast = page.getByText("changed the same words meanwhile, so your version was put below theirs.");
  await expect(toast).toContainText(ben.person.username);
});

test("what is typed in the inspector is merged with what another person stores meanwhile", async ({
  page,
  browser,
  context,
  person: _person,
}) => {
  const { path, graph, ben } = await twoPeople(browser, context);
  const id = await makeNote(context, graph, "First line\nLast line");
  await openEditor(page, path);
  await openEditor(ben.page, path);
  await writeIn(ben.page);
  await noteField(ben.page).fill("First line of Ben\nLast line");
  await noteCard(page).click();
  await knownText(page).focus();
  await page.keyboard.press("Control+End");
  // Slower than Ben, and without a pause in which it would be stored.
  const typed = page.keyboard.type(" of Ada, who types slowly", { delay: 150 });
  await ben.page.keyboard.press("Escape");
  await typed;
  await expect
    .poll(async () => (await storedNode(context, graph, id))?.description)
    .toBe("First line of Ben\nLast line of Ada, who types slowly");
});

test("what a person writes in a note that is deleted or locked meanwhile is not lost", async ({
  page,
  browser,
  context,
  person: _person,
}) => {
  const { path, graph, ben } = await twoPeople(browser, context);
  const id = await makeNote(context, graph, "Plan");
  await openEditor(page, path);
  await openEditor(ben.page, path);
  await writeIn(page);
  await page.keyboard.type(" of Ada");
  await noteCard(ben.page).click();
  await ben.page.keyboard.press("Delete");

  const dialog = page.getByRole("dialog", { name: "This note was deleted" });
  const kept = dialog.getByRole("textbox", { name: "Your text" });
  await expect(kept).toHaveValue("Plan of Ada");
  await expect(page.getByText(`${ben.person.username} deleted “Note” while you had it open.`)).toBeVisible();
  // She goes on writing. The key with which one leaves a note does not throw the text away.
  await expect(kept).toBeFocused();
  await page.keyboard.type(" and more");
  await page.keyboard.press("Escape");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await dialog.getByRole("button", { name: "Copy" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("Plan of Ada and more");
  await dialog.getByRole("button", { name: "Make a new note" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(ben.page.getByTestId("note-text")).toHaveText("Plan of Ada and more");
  const nodes = Object.values((await stored(context, graph)).nodes);
  expect(nodes.map(({ metadata_id, description }) => [metadata_id === id, description])).toEqual([
    [false, "Plan of Ada and more"],
  ]);

  await writeIn(page);
  await page.keyboard.type("!");
  await noteCard(ben.page).click();
  await ben.page.keyboard.press("Control+Shift+K");
  const locked = page.getByRole("dialog", { name: "This note was locked" });
  await expect(locked.getByRole("textbox", { name: "Your text" })).toHaveValue("Plan of Ada and more!");
  await locked.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByTestId("note-text")).toHaveText("Plan of Ada and more");
});

test("a note that is longer than its card shows that there is more, and Find knows notes by their text", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const lines = Array.from({ length: 30 }, (_, line) => `Line ${line}`).join("\n\n");
  await makeNote(context, graph, `## Before you run\n\n${lines}\n\nAsk **Ada** for the key.`);
  await makeNote(context, graph, "A short one", { x: 400, y: 0 });
  await openEditor(page, path);
  const [long, short] = [page.getByTestId("note-text").first(), page.getByTestId("note-text").last()];
  await expect(long).toHaveAttribute("data-more");
  await expect(short).not.toHaveAttribute("data-more");
  expect(await long.evaluate((text) => getComputedStyle(text).maskImage)).toContain("linear-gradient");

  // With the keyboard one reads it to its end, and the note stays in its place.
  const place = await noteCard(page).first().boundingBox();
  await page.getByRole("group", { name: "Text of the note" }).focus();
  await page.keyboard.press("End");
  await expect(long).not.toHaveAttribute("data-more");
  await page.keyboard.press("ArrowUp");
  expect(await noteCard(page).first().boundingBox()).toEqual(place);

  await page.keyboard.press("Control+f");
  const find = page.getByTestId("find");
  await expect(find.getByRole("option")).toHaveText([/^A short one/, /^Before you run Line 0/]);
  await find.getByRole("combobox").fill("ask ada for");
  await expect(find.getByRole("option")).toHaveText([/^Before you run Line 0/]);
});

test("a pasted note covers no node, also where there is space for a node but not for it", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  await makeNode(context, graph, { name: "Train", at: { x: 580, y: 0 } });
  await openEditor(page, path);
  await paste(page, Array.from({ length: 12 }, (_, line) => `- step ${line}, then`).join("\n"));
  await expect(page.getByTestId("note-text")).toContainText("step 11");
  const boxes = await Promise.all(["Load", "Train"].map((name) => card(page, name).boundingBox()));
  const note = await noteCard(page).boundingBox();
  expect(boxes.filter((box) => overlap(box, note))).toEqual([]);
});

type ScreenBox = Awaited<ReturnType<Locator["boundingBox"]>>;

function overlap(one: ScreenBox, other: ScreenBox): boolean {
  if (!one || !other) throw new Error("It is not on the screen.");
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
