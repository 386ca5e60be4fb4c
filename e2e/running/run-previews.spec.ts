import { expect, type Locator } from "@playwright/test";

import { card, drag, header, makeNode, middle, openEditor } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";
import { load } from "../drivers/running.ts";
import { endSessions, giveToken, makeProgram } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

/** Whether what is drawn in the middle of it is part of it. */
function isOnTop(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
}

test("what a node showed covers no other node until somebody looks at it", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeProgram(context, load, load, load);
  // The cards are 100 tall and begin at 80: one has room for chips, one for nothing, one for all of it.
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

  // Pointed at, it lies above the others; the way down to it is part of it.
  await header(page, "Step 1").hover();
  await expect(preview("Step 1")).toBeVisible();
  expect(await isOnTop(preview("Step 1"))).toBe(true);
  await preview("Step 1").hover();
  await page.waitForTimeout(300);
  await expect(preview("Step 1")).toBeVisible();
  await header(page, "Step 3").hover();
  await expect(preview("Step 1")).toBeHidden();

  // Selected alone, too; among several, not.
  await header(page, "Step 2").click();
  // Away from it, and not to another one: the panel that opens now may lie there.
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

  // With room it opens by itself.
  const from = await middle(header(page, "Near"));
  await drag(page, from, { x: from.x, y: from.y + 190 });
  await page.mouse.move(5, 300);
  await page.keyboard.press("Escape");
  await expect(preview("Step 1")).toBeVisible();
  await expect(chip("Step 1")).toHaveCount(0);
});
