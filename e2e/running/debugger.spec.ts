import { expect, type Page } from "@playwright/test";

import { joinProject } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";
import { hit, runButton } from "../drivers/running.ts";
import { endSessions, giveToken, label, makeProgram, openProcessor, storeBreakpoints } from "../drivers/sessions.ts";

// What a person can do while a program is paused.

const program = `import json
from miranda import Node


class Step(Node):
    def run(self):
        numbers = list(range(250))
        total = 0
        for n in range(5):
            total += self.twice(n)
        print("total", total)

    def twice(self, n):
        doubled = json.loads(str(n), parse_int=self.parse)
        return doubled

    def parse(self, text):
        self.last = text
        return int(text) * 2
`;

test.afterEach(({ context }) => endSessions(context));

async function openPaused(page: Page, path: string, node: number, line: number): Promise<void> {
  await page.goto(address(`${path}/code/${node}`));
  await expect(page.locator(".cm-content:visible")).toContainText("class Step", { timeout: 40_000 });
  await page.keyboard.press("F5");
  await expect(hit(page)).toContainText(`line ${line}`, { timeout: 30_000 });
}

/** Moves the mouse to a word of the code. Words have no element of their own. */
async function hoverWord(page: Page, line: string, word: string): Promise<void> {
  const place = await page.locator(".cm-line:visible", { hasText: line }).evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const at = text.textContent?.lastIndexOf(wanted) ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + wanted.length);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }
    throw new Error(`There is no ${wanted} in this line.`);
  }, word);
  await page.mouse.move(place.x - 30, place.y + 60);
  await page.mouse.move(place.x, place.y, { steps: 4 });
}

const pane = (page: Page, name: string) => hit(page).getByRole("region", { name, exact: true });
const prompt = (page: Page) => hit(page).getByRole("textbox", { name: "Evaluate" });

async function evaluate(page: Page, text: string): Promise<void> {
  await prompt(page).fill(text);
  await page.keyboard.press("Enter");
}

test("shows stack, variables, watches and a console while paused", async ({ page, context, person: _person }) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 1440, height: 900 });
  await giveToken(context);
  const { path, graph, nodes } = await makeProgram(context, program);
  const [node = 0] = nodes;
  await storeBreakpoints(page, graph, { [node]: [19] });
  await openPaused(page, path, node, 19);

  // Frames of the node, with the library frames between them folded.
  const stack = pane(page, "Call stack");
  await expect(stack.getByRole("button")).toHaveText([/parse.*19/, /library calls?/, /twice.*14/, /run.*10/]);
  await stack.getByRole("button", { name: /library call/ }).click();
  await expect(stack.getByRole("button", { name: /json\/decoder\.py/ }).first()).toBeVisible();

  // The variables of the selected frame; a list of 250 items is split into hundreds (S9-024).
  const variables = pane(page, "Variables");
  await expect(variables.getByRole("treeitem", { name: 'text: "0"' })).toBeVisible();
  await stack.getByRole("button", { name: /^run/ }).click();
  await variables.getByRole("button", { name: "numbers: [250]" }).click();
  for (const part of ["[0 … 99]", "[100 … 199]", "[200 … 249]"])
    await expect(variables.getByRole("button", { name: part })).toBeVisible();
  await variables.getByRole("button", { name: "[200 … 249]" }).click();
  await expect(variables.getByRole("treeitem", { name: "249: 249" })).toBeVisible();

  // The console evaluates expressions and statements in that frame and shows what they print.
  const console = hit(page).getByRole("log", { name: "Console" });
  await evaluate(page, "sum(numbers[:n + 4])");
  await expect(console).toContainText("6");
  await prompt(page).fill("for one in (1, 2):");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("    print('printed', one)");
  await page.keyboard.press("Enter");
  await expect(console).toContainText("printed 1\nprinted 2");
  await evaluate(page, "nothing");
  await expect(console).toContainText("NameError: name 'nothing' is not defined");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(prompt(page)).toHaveValue(/^for one in/);
  await page.keyboard.press("ArrowUp");
  await expect(prompt(page)).toHaveValue("sum(numbers[:n + 4])");
  // Changed variables show at once.
  await evaluate(page, "total = 1000");
  await expect(variables.getByRole("treeitem", { name: "total: 1000" })).toBeVisible();
  // An endless evaluation can be stopped.
  await evaluate(page, "while True: pass");
  await hit(page).getByRole("button", { name: "Stop evaluating" }).click();
  await expect(console).toContainText("Stopped.");

  // Watches are evaluated at each pause, and kept.
  const watch = pane(page, "Watch");
  await watch.getByRole("textbox").fill("n * 10");
  await page.keyboard.press("Enter");
  await expect(watch).toContainText("n * 10");
  await expect(watch.getByRole("treeitem", { name: "n * 10: 0", exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.locator(".cm-content:visible").click();
  await page.keyboard.press("F5");
  await expect(variables.getByRole("treeitem", { name: 'text: "1"' })).toBeVisible();
  await expect(watch).toContainText("NameError");
  await stack.getByRole("button", { name: /^twice/ }).click();
  await expect(watch.getByRole("treeitem", { name: "n * 10: 10" })).toBeVisible();
  await page.reload();
  await expect(pane(page, "Watch")).toContainText("n * 10");

  // Hovering a name shows its value in the selected frame.
  // After the reload the editor scrolls to the paused line.
  await expect(async () => {
    await hoverWord(page, "self.last = text", "text");
    await expect(page.getByTestId("value-hover")).toHaveText('text = "1"', { timeout: 2_000 });
  }).toPass();
});

test("sets a breakpoint by a click on the line number, and a condition by a right click", async ({
  page,
  context,
  person: _person,
}) => {
  test.setTimeout(120_000);
  await giveToken(context);
  const { path, nodes } = await makeProgram(context, program);
  const [node = 0] = nodes;
  await page.goto(address(`${path}/code/${node}`));
  const numbers = page.locator(".cm-lineNumbers .cm-gutterElement:visible");
  await numbers.getByText("15", { exact: true }).click();
  await expect(page.locator(".cm-breakpoint")).toHaveCount(1);
  await numbers.getByText("15", { exact: true }).click();
  await expect(page.locator(".cm-breakpoint")).toHaveCount(0);

  await numbers.getByText("15", { exact: true }).click({ button: "right" });
  const dialog = page.getByRole("dialog", { name: "Breakpoint on line 15" });
  await dialog.getByLabel("Stop only when").fill("n == 3");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.locator(".cm-breakpoint-condition")).toHaveCount(1);

  // Set a log point by keyboard.
  await page.getByText("self.last = text").click();
  await page.keyboard.press("Shift+F9");
  const other = page.getByRole("dialog", { name: "Breakpoint on line 18" });
  await other.getByLabel("Log instead of stopping").fill("parsing {text}");
  await page.keyboard.press("Enter");
  await expect(page.locator(".cm-breakpoint-log")).toHaveCount(1);

  await page.keyboard.press("F5");
  await expect(hit(page)).toContainText("line 15", { timeout: 30_000 });
  await expect(hit(page).getByRole("treeitem", { name: "n: 3" })).toBeVisible();
  await page.locator(".cm-content:visible").click();
  await page.keyboard.press("F5");
  await expect(page.getByTestId("log-lines")).toContainText("total 20");
  for (const text of ["parsing 0", "parsing 4"]) await expect(page.getByTestId("log-lines")).toContainText(text);
});

test("pauses a run at exceptions when the person chose that", async ({ page, context, person: _person }) => {
  test.setTimeout(120_000);
  await giveToken(context);
  const failing = program.replace("return doubled", "return {}[doubled]");
  const { path } = await makeProgram(context, failing);
  await page.goto(address(path));
  await openProcessor(page);
  await page.getByLabel("Stop at exceptions").selectOption("Uncaught");
  await runButton(page).click();
  await expect(hit(page)).toContainText("line 15", { timeout: 30_000 });
  await expect(hit(page).getByRole("alert")).toHaveText("KeyError: 0");
  await expect(hit(page).getByRole("treeitem", { name: "doubled: 0" })).toBeVisible();
  await hit(page).getByRole("button", { name: "Continue (F5)" }).click();
  await expect(page.getByRole("region", { name: "Exception" })).toContainText("An Error occured in Step 1");
  await expect(label(page)).toHaveText("Ready");
});

test("evaluates watches in another person's run only on request", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  test.setTimeout(120_000);
  await giveToken(context);
  const { path, project, graph, nodes } = await makeProgram(context, program);
  const [node = 0] = nodes;
  const other = await joinProject(browser, context, project, "Bea");
  await giveToken(other.context);
  await other.page.addInitScript((key) => localStorage.setItem(key, '["total"]'), `watches:${graph}`);
  await other.page.setViewportSize({ width: 1440, height: 900 });
  await other.page.goto(address(`${path}/code/${node}`));
  await storeBreakpoints(page, graph, { [node]: [11] });
  await openPaused(page, path, node, 11);
  const watch = pane(other.page, "Watch");
  await expect(watch).toContainText("Somebody else started this run.");
  await watch.getByRole("button", { name: "Evaluate anyway" }).click();
  await expect(watch.getByRole("treeitem", { name: "total: 20" })).toBeVisible();
  await other.context.close();
});
