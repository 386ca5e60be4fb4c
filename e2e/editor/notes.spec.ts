import { expect } from "@playwright/test";

import { drag, makeGraph, makeNode, middle, openEditor, stored, viewRests } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";
import { twoPeople } from "../drivers/collaborators.ts";

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
