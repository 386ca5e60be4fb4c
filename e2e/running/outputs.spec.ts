import { readFile } from "node:fs/promises";

import { expect } from "@playwright/test";

import { card, openEditor, viewRests } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, makeProgram, writeCode } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

const shows = `import math
from miranda import Node


class Report(Node):
    def run(self):
        self.show({"accuracy": 5 / 6, "zeta": 1, "alpha": 2})
        self.show([
            {"name": f"row {at}", "score": math.sin(at), "count": at, **{f"column {c}": at / (c + 3) for c in range(30)}}
            for at in range(1_200)
        ])
        for step in range(20):
            self.show(f"step {step}", id="live")
`;

const fails = `from miranda import Node


class Report(Node):
    def run(self):
        raise ValueError("no")
`;

const draws = `from miranda import Node


class Drawing:
    def _repr_svg_(self):
        return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><circle cx="5" cy="5" r="4"/></svg>'


class Draw(Node):
    def run(self):
        self.show(Drawing())
`;

const works = `import time
from miranda import Node, progress


class Work(Node):
    def run(self):
        for step in range(600):
            progress(step + 1, 600, "epochs")
            time.sleep(0.05)
`;

test("counts all outputs of a node, keeps their order, and marks those of the previous run", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, nodes } = await makeProgram(context, shows);
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  const preview = card(page, "Step 1").getByTestId("node-output");
  const count = preview.getByTestId("output-count");
  await expect(count).toHaveText("3 of 3");
  await expect(preview).toContainText("step 19");
  await preview.getByRole("button", { name: "Previous output" }).click();
  await expect(count).toHaveText("2 of 3");
  await expect(preview).toContainText("First 1,000 of 1,200 rows × 33 columns");

  // After a reload the keys keep the order in which they were shown, and numbers are short.
  await page.reload();
  await preview.getByRole("button", { name: "Output of Step 1" }).click();
  const dialog = page.getByRole("dialog", { name: "Output of Step 1" });
  const keys = dialog.getByRole("region", { name: "Output 1", exact: true }).getByRole("treeitem");
  await expect(keys).toHaveText(["accuracy:0.833", "zeta:1", "alpha:2"]);
  await expect(keys.first().getByText("0.833")).toHaveAttribute("title", "0.8333333333333334");
  await page.keyboard.press("Escape");
  await expect(preview.getByText("From the previous run")).toHaveCount(0);

  await writeCode(context, nodes[0] ?? 0, fails);
  await runButton(page).click();
  await expect(card(page, "Step 1").getByTestId("node-run-chip")).toHaveAttribute("data-status", "error");
  await expect(preview.getByText("From the previous run")).toBeVisible();
  await expect(preview).toContainText("step 19");
});

test("sorts a table, scrolls to its last column, copies exact values and downloads it", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, nodes } = await makeProgram(context, shows);
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  const preview = card(page, "Step 1").getByTestId("node-output");
  await expect(preview).toContainText("step 19");
  await viewRests(page);
  await preview.getByRole("button", { name: "Output of Step 1" }).click();
  const table = page.getByRole("dialog").getByRole("table");
  const row = (number: number) => table.locator(`[role=row][aria-rowindex="${number + 1}"]`);
  await expect(row(1).getByRole("cell").first()).toHaveText("row 0");
  const head = table.getByRole("columnheader", { name: "score" });
  await expect(head).toContainText("float");
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  await expect(row(1).getByRole("cell").nth(1)).toHaveText("-1.000");
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "descending");
  await expect(row(1).getByRole("cell").nth(1)).toHaveText("1.000");
  const exact = await row(1).getByRole("cell").nth(1).getAttribute("title");
  expect(Math.abs(Number(exact))).toBeGreaterThan(0.999);

  await row(1).getByRole("cell").nth(1).dblclick();
  const copied = await table.evaluate((element) => {
    const clipboardData = new DataTransfer();
    element.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData("text/plain");
  });
  expect(copied).toContain(exact);

  // Somebody moves the node out of view meanwhile: what is being read stays.
  const far = { position: JSON.stringify({ x: 60_000, y: 60_000 }) };
  const moved = await context.request.patch(address(`/api/v3/objects/${nodes[0]}`), { form: far });
  expect(moved.status(), await moved.text()).toBe(200);
  await expect(card(page, "Step 1")).toHaveCount(0);
  await expect(table).toBeVisible();

  await table.evaluate((element) => element.scrollTo(element.scrollWidth, element.scrollHeight));
  await expect(table.getByRole("columnheader", { name: "column 29" })).toBeVisible();
  await expect(row(1_000)).toBeVisible();

  const csv = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as CSV" }).click();
  const file = await readFile((await (await csv).path()) ?? "", "utf8");
  const lines = file.trim().split("\r\n");
  expect(lines).toHaveLength(1_001);
  expect(lines[0]).toMatch(/^\uFEFF?name,score,count,column 0,/);
  expect(lines[2]).toMatch(/^row 1,0\.8414709848078965,1,0\.3333333333333333,/);
  const png = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as PNG" }).click();
  const picture = await readFile((await (await png).path()) ?? "");
  expect(picture.subarray(1, 4).toString()).toBe("PNG");
});

test("downloads a drawing as PNG", async ({ page, context, person: _person }) => {
  const { path } = await makeProgram(context, draws);
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  await card(page, "Step 1").getByTestId("node-output").getByRole("button", { name: "Output of Step 1" }).click();
  const png = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Download as PNG" }).click();
  const picture = await readFile((await (await png).path()) ?? "");
  expect(picture.subarray(1, 4).toString()).toBe("PNG");
});

test("shows a progress bar until the node ends", async ({ page, context, person: _person }) => {
  const { path } = await makeProgram(context, works);
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  const bar = card(page, "Step 1").getByRole("progressbar", { name: "epochs" });
  await expect(bar).toBeVisible();
  await expect(card(page, "Step 1").getByTestId("bar-words")).toHaveText(/epochs \d+ of 600/);
  await expect(page.getByTestId("run-state")).toHaveAttribute("data-state", "running");
  await endSessions(context);
  await expect(bar).toHaveCount(0);
});
