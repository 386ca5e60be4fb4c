import { expect, type Page } from "@playwright/test";

import type { NodeRun } from "@miranda/contract/schemas/processors.ts";

import { card, header, makeNode, openEditor } from "../drivers/canvas.ts";
import { fitsOnScreen } from "../drivers/fits-on-screen.ts";
import { address, test } from "../drivers/people.ts";
import { load, runButton } from "../drivers/running.ts";
import { endSessions, giveToken, makeProgram } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

const second = `from miranda import Node


class Second(Node):
    def run(self):
        print("second")
`;

const dock = (page: Page) => page.getByTestId("code-dock");
const code = (page: Page) => dock(page).getByTestId("code-pane").locator(".cm-content");
/** Double-clicks the body of a card, below its name. */
const openByMouse = async (page: Page, name: string) => {
  const box = await card(page, name).boundingBox();
  if (!box) throw new Error("It is not on the screen.");
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height - 14);
};

test("opens code beside the graph by double click, Enter, button and menu, and follows the selection", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph } = await makeProgram(context, load);
  await makeNode(context, graph, { name: "Step 2", at: { x: 0, y: 280 }, code: second });
  await openEditor(page, path);
  await openByMouse(page, "Step 1");
  await expect(code(page)).toContainText("class Load(Node):");
  await expect(code(page)).toBeFocused();
  await expect(page.getByTestId("inspector")).toHaveCount(0);
  await expect(card(page, "Step 1")).toBeInViewport();

  await header(page, "Step 2").click();
  await expect(code(page)).toContainText("class Second(Node):");
  await expect(code(page)).not.toBeFocused();
  await dock(page).getByRole("button", { name: "Close the code" }).click();
  await expect(dock(page)).toHaveCount(0);
  await expect(page.getByTestId("inspector")).toBeVisible();

  await page.keyboard.press("Enter");
  await expect(code(page)).toContainText("class Second(Node):");
  await expect(code(page)).toBeFocused();
  await dock(page).getByRole("button", { name: "Close the code" }).click();
  await page.getByTestId("inspector").getByRole("button", { name: "Open code" }).click();
  await expect(code(page)).toContainText("class Second(Node):");
  await dock(page).getByRole("button", { name: "Close the code" }).click();
  await header(page, "Step 1").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Open the code" }).click();
  await expect(code(page)).toContainText("class Load(Node):");

  // A double click on the name still renames the node, and a policy has no code to open.
  await header(page, "Step 1").dblclick();
  await expect(page.getByRole("textbox", { name: "Name" })).toBeFocused();
  await page.keyboard.press("Escape");
  await dock(page).getByRole("link", { name: "Open in full" }).click();
  await expect(page).toHaveURL(/\/code\/\d+$/);
  await expect(page.getByTestId("code-ide")).toContainText("class Load(Node):");
});

test("writes, commits and runs code beside the graph and shows the output there", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeProgram(context, load);
  await giveToken(context);
  await openEditor(page, path);
  await openByMouse(page, "Step 1");
  await expect(code(page)).toBeFocused();
  await page.keyboard.press("Control+End");
  await page.keyboard.type('        self.show("written here")\n');
  await page.keyboard.press("Control+s");
  await page.getByRole("dialog", { name: "Commit Step 1" }).getByRole("button", { name: "Commit" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await dock(page).getByRole("button", { name: "Run", exact: true }).click();
  const outputs = dock(page).getByRole("region", { name: "Outputs" });
  await expect(outputs).toContainText("written here");
  await expect(outputs.getByRole("table")).toContainText("Brest");
  await expect(outputs).toContainText("2 of 2");
  await expect(dock(page).getByTestId("run-state")).toContainText("Ran in");
});

test("remembers the dock's side and size, and fills the editor on a phone", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeProgram(context, load);
  await openEditor(page, path);
  await openByMouse(page, "Step 1");
  await expect(code(page)).toBeVisible();
  const edge = dock(page).getByRole("separator", { name: "Width of the code" });
  const before = (await dock(page).boundingBox())?.width ?? 0;
  await edge.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(async () => (await dock(page).boundingBox())?.width).toBe(before + 48);
  const at = await edge.boundingBox();
  await page.mouse.move((at?.x ?? 0) + 4, 400);
  await page.mouse.down();
  await page.mouse.move((at?.x ?? 0) + 84, 400);
  await page.mouse.up();
  await expect.poll(async () => Math.round((await dock(page).boundingBox())?.width ?? 0)).toBeLessThan(before);
  const pulled = (await dock(page).boundingBox())?.width;
  await dock(page).getByRole("button", { name: "Dock below" }).click();
  await expect(dock(page)).toHaveAttribute("data-side", "bottom");
  await page.reload();
  await openByMouse(page, "Step 1");
  await expect(dock(page)).toHaveAttribute("data-side", "bottom");
  await dock(page).getByRole("button", { name: "Dock at the right" }).click();
  await expect.poll(async () => (await dock(page).boundingBox())?.width).toBe(pulled);

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(dock(page)).toHaveAttribute("data-side", "full");
  await expect(code(page)).toBeVisible();
  await expect.poll(async () => (await dock(page).boundingBox())?.width).toBe(390);
  await fitsOnScreen(page);
});

test("opens the log on a run unless the person closed it, and shows the node's outputs beside the code", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph, nodes } = await makeProgram(context, load);
  await giveToken(context);
  await page.goto(address(`${path}/code/${nodes[0]}`));
  const ide = page.getByTestId("code-ide");
  const logs = page.getByRole("region", { name: "Logs" }).first();
  await expect(ide).toContainText("class Load(Node):");
  await expect(logs).toHaveCount(0);
  await runButton(page).click();
  await expect(logs).toContainText("loading");
  await expect(ide.getByTestId("run-state")).toContainText("Ran in");
  const outputs = page.getByRole("complementary", { name: "Outputs" });
  await expect(outputs.getByRole("table")).toContainText("Brest");

  await page.getByRole("button", { name: /^Logs/ }).click();
  await expect(logs).toHaveCount(0);
  await page.getByRole("button", { name: "Outputs" }).click();
  await expect(outputs).toHaveCount(0);
  await page.getByRole("button", { name: "More ways to run" }).click();
  await page.getByRole("menuitem", { name: "Run all" }).click();
  const lastRun = async () => {
    const job = (await (await context.request.get(address(`/api/v3/graphs/${graph}/processor`))).json()) as {
      id: string;
    };
    const answer = await context.request.get(address(`/api/v3/jobs/${job.id}/nodes`));
    return ((await answer.json()) as NodeRun[]).map(({ run, status }) => `${run} ${status}`);
  };
  await expect.poll(lastRun).toEqual(["2 done"]);
  await expect(ide.getByTestId("run-state")).toHaveAttribute("data-state", "done");
  await expect(logs).toHaveCount(0);
  await expect(outputs).toHaveCount(0);
});
