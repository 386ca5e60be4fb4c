import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { openEditor } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, makeProgram } from "../drivers/sessions.ts";

// A node that trains draws its lines while it runs.

const train = `import time
from miranda import Node, log_metric


class Train(Node):
    def run(self):
        for epoch in range(30):
            log_metric("loss", 1 / (epoch + 1))
            log_metric("accuracy", float("nan") if epoch == 3 else epoch / 30)
            time.sleep(0.1)
        input("Go on?")
        log_metric("loss", 0.001, step=40)
`;

test.afterEach(({ context }) => endSessions(context));

const panel = (page: Page) => page.getByRole("region", { name: "Metrics of the last run" });
const chart = (page: Page) => panel(page).getByRole("slider", { name: /^Metrics by/ });

test("a training node draws its lines live, and they are looked at closely", async ({
  page,
  context,
  person: _person,
}) => {
  test.slow();
  await giveToken(context);
  const { path } = await makeProgram(context, train);
  await openEditor(page, path);
  await page.getByRole("button", { name: "Metrics", exact: true }).click();
  await expect(panel(page)).toContainText("Run the workflow to see its metrics.");
  await runButton(page).click();

  // While it runs: it waits for an answer.
  const question = page.getByRole("dialog", { name: "Step 1 asks" });
  await expect(question).toBeVisible({ timeout: 60_000 });
  // Behind the question it has no role.
  const behind = page.locator("[data-charts]");
  const drawn = behind.getByTestId("chart-line");
  await expect(drawn.first()).toHaveAttribute("d", /L/);
  await expect(behind).toContainText("accuracy0.967");
  await question.getByRole("textbox").fill("yes");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("checkbox", { name: /^loss 0\.001/ })).toBeChecked({ timeout: 20_000 });

  // Which lines there are.
  await panel(page)
    .getByRole("checkbox", { name: /^accuracy/ })
    .uncheck();
  const lines = panel(page).getByRole("region", { name: "Metrics", exact: true }).getByTestId("chart-line");
  await expect(lines).toHaveCount(1);
  await panel(page)
    .getByRole("checkbox", { name: /^accuracy/ })
    .check();
  await expect(lines).toHaveCount(2);

  // With the keyboard: values, zoom, and everything again.
  await chart(page).focus();
  await page.keyboard.press("Home");
  await expect(chart(page)).toHaveAttribute("aria-valuetext", "0: loss 1, accuracy 0");
  await page.keyboard.press("ArrowRight");
  await expect(chart(page)).toHaveAttribute("aria-valuetext", "1: loss 0.5, accuracy 0.0333");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(chart(page)).toHaveAttribute("aria-valuetext", "3: loss 0.25, accuracy no value");
  await page.keyboard.press("+");
  await expect(panel(page).getByRole("button", { name: "Reset zoom" })).toBeVisible();
  await expect(chart(page)).toHaveAttribute("aria-valuemax", "20");
  await panel(page).getByRole("button", { name: "Reset zoom" }).click();
  await expect(chart(page)).toHaveAttribute("aria-valuemax", "40");

  // With the mouse.
  const box = await chart(page).boundingBox();
  expect(box).not.toBeNull();
  const [x, y] = [(box?.x ?? 0) + 80, (box?.y ?? 0) + 60];
  await page.mouse.move(x, y);
  await expect(panel(page).getByTestId("chart-tip")).toContainText("loss");
  await page.mouse.down();
  await page.mouse.move(x + 200, y, { steps: 5 });
  await page.mouse.up();
  await expect(panel(page).getByRole("button", { name: "Reset zoom" })).toBeVisible();
  await chart(page).dblclick({ position: { x: 100, y: 60 } });
  await expect(panel(page).getByRole("button", { name: "Reset zoom" })).toBeHidden();

  // Other ways to draw them.
  await panel(page).getByRole("slider", { name: "Smoothing" }).fill("0.9");
  await expect(panel(page)).toContainText("0.90");
  await panel(page).getByRole("checkbox", { name: "Log scale" }).check();
  await expect(drawn.first()).toHaveAttribute("d", /L/);
  await panel(page).getByRole("checkbox", { name: "Log scale" }).uncheck();
  await panel(page).getByRole("button", { name: "Show as a table" }).click();
  await expect(panel(page).getByRole("row")).toHaveCount(32);
  await expect(panel(page).getByRole("row").nth(4)).toContainText("no value");
  await panel(page).getByRole("button", { name: "Time", exact: true }).click();
  await expect(chart(page)).toHaveAttribute("aria-label", "Metrics by time");
  await expect(panel(page).getByRole("slider", { name: "Memory over time" })).toBeVisible({ timeout: 20_000 });
  await audit(page, "the metrics of a run", "[data-charts]");
});
