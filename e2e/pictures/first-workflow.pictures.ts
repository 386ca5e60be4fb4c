import { expect, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join as joinPath } from "node:path";

import { card, handle, join, spot } from "../drivers/canvas.ts";
import { commit } from "../drivers/coding.ts";
import { address, newPerson, signIn, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, label } from "../drivers/sessions.ts";
import { savePicture } from "./save-picture.ts";

test.use({ viewport: { width: 1200, height: 750 } });
test.afterEach(({ context }) => endSessions(context));

const text = readFileSync(joinPath(import.meta.dirname, "..", "..", "docs", "handbook", "first-workflow.md"), "utf8");
const [tides = "", highest = ""] = [...text.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code]) => code ?? "");

async function addNode(page: Page, across: number, down: number, code: string): Promise<void> {
  const before = await page.getByTestId("node").count();
  const at = await spot(page, across, down);
  await page.mouse.dblclick(at.x, at.y);
  await page.getByRole("combobox", { name: "Add a node" }).press("Enter");
  await expect(page.getByTestId("node")).toHaveCount(before + 1);
  await expect(page.getByTestId("node").last()).toHaveAttribute("data-selected", "true");
  await page.keyboard.press("Enter");
  const dock = page.getByTestId("code-dock");
  await expect(dock.locator(".cm-content:visible")).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(code);
  await commit(page, "First try");
  await dock.getByRole("button", { name: "Close the code" }).click();
}

async function rename(page: Page, name: string): Promise<void> {
  await page.keyboard.press("F2");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(card(page, name)).toBeVisible();
}

// The steps of the page "Your first workflow", with its own code.
test("makes the first workflow", async ({ page, context }) => {
  await signIn(context, newPerson("Ada"));
  await page.goto(address("/designer/new"));
  await page.getByLabel("Project Name").fill("Tides");
  await page.getByLabel("Project Description").fill("How high the water is, and when.");
  await savePicture(page, "handbook/pictures/first-new-project");
  await page.getByRole("button", { name: "Create Project" }).click();
  await page.getByRole("link", { name: "Add Workflow" }).click();
  await page.getByLabel("Name").fill("Highest water");
  await page.getByRole("button", { name: "Create Workflow" }).click();
  await expect(page.getByTestId("graph-editor")).toBeVisible();

  const at = await spot(page, 0.2, 0.2);
  await page.mouse.dblclick(at.x, at.y);
  await expect(page.getByTestId("palette")).toBeVisible();
  await savePicture(page, "handbook/pictures/first-add-node");
  await page.keyboard.press("Escape");

  await addNode(page, 0.1, 0.2, tides);
  await rename(page, "Tides");
  const empty = await spot(page, 0.5, 0.85);
  await page.mouse.click(empty.x, empty.y);
  await addNode(page, 0.45, 0.2, highest);
  await rename(page, "Highest");
  await page.keyboard.press("Escape");
  await join(page, handle(page, "Tides", "t:rows"), handle(page, "Highest", "r:rows"));
  await expect(page.locator(".react-flow__edge")).toHaveCount(1);
  await page.keyboard.press("1");
  await savePicture(page, "handbook/pictures/first-connected");

  await runButton(page).first().click();
  await expect(label(page)).toHaveText("Ready", { timeout: 60_000 });
  await expect(card(page, "Tides")).toContainText("24 rows");
  await page.keyboard.press("1");
  await savePicture(page, "handbook/pictures/first-results");
});
