import { expect, type Locator } from "@playwright/test";

import { card, drag, header, makeNode, middle, openEditor } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";
import { load } from "../drivers/running.ts";
import { endSessions, giveToken, makeProgram } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

/** Whether the element is the topmost at its own centre. */
function isOnTop(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
}

test("covers no other node with a node's output until the person points at it", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeProgram(context, load, load, load);
  // The cards are 100 tall and start at 80: one has space for chips only, one for nothing, one for everything.
  await makeNode(context, graph, { name: "Near", at: { x: 0, y: 230 } });
  await makeNode(context, graph, { name: "Nearer", at: { x: 320, y: 196 } });
  await giveToken(context);
  await openEditor(page, path);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const preview = (name: string) => card(page, name).getByTestId("node-output");
  const chip = (name: string) => card(page, name).getByTestId("node-output-chip");
  await expect(preview("Step 3")).toContainText("Brest");
  await expect(chip("Step 3")).toHaveCount(0);
  await expect(chip("Step 1")).toBeVisible();
  await expect(preview("Step 1")).toBeHidden();
  await expect(chip("Step 2")).toBeHidden();
  await expect(preview("Step 2")).toBeHidden();
  const chips = await chip("Step 1").boundingBox();
  expect((chips?.y ?? 0) + (chips?.height ?? 0)).toBeLessThan((await card(page, "Near").boundingBox())?.y ?? 0);

  // On hover it lies above the other cards; the gap between card and preview counts as hovered too.
  await header(page, "Step 1").hover();
  await expect(preview("Step 1")).toBeVisible();
  expect(await isOnTop(preview("Step 1"))).toBe(true);
  await preview("Step 1").hover();
  await page.waitForTimeout(300);
  await expect(preview("Step 1")).toBeVisible();
  await header(page, "Step 3").hover();
  await expect(preview("Step 1")).toBeHidden();

  // Selecting a single node opens it too; selecting several does not.
  await header(page, "Step 2").click();
  // Move to an empty place: the panel that opens may lie above another card.
  await page.mouse.move(5, 300);
  await expect(preview("Step 2")).toBeVisible();
  expect(await isOnTop(preview("Step 2"))).toBe(true);
  await page.keyboard.press("Control+a");
  await expect(preview("Step 2")).toBeHidden();
  await page.keyboard.press("Escape");

  await chip("Step 1").click();
  await expect(page.getByRole("dialog", { name: "Output of Step 1" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Output of Step 1" })).toHaveCount(0);

  // With enough space it is open without hovering.
  const from = await middle(header(page, "Near"));
  await drag(page, from, { x: from.x, y: from.y + 190 });
  await page.mouse.move(5, 300);
  await page.keyboard.press("Escape");
  await expect(preview("Step 1")).toBeVisible();
  await expect(chip("Step 1")).toHaveCount(0);
});
