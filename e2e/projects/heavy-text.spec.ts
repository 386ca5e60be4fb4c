import { type CDPSession, expect, type Page } from "@playwright/test";

import { card, header, makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, makeProgram } from "../drivers/sessions.ts";
import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";

// Text that anybody may write must not freeze the page for its readers. One word of 100,000 letters took 21 to 32
// seconds, a letter with as many combining marks a minute. With our limits each takes well under a second on an idle
// machine.

/** Seconds of work between two looks. */
const most = 5;

test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));

/** How busy a page is by the clock of its own thread, which other work on the machine does not move. */
const clocks = new WeakMap<Page, CDPSession>();
const busyBefore = new WeakMap<Page, number>();

/** Call it before the page opens. */
async function watchWork(page: Page): Promise<void> {
  const clock = await page.context().newCDPSession(page);
  await clock.send("Performance.enable", { timeDomain: "threadTicks" });
  clocks.set(page, clock);
  busyBefore.set(page, 0);
}

async function expectNoFreeze(page: Page, what: string): Promise<void> {
  // The change is drawn in the next frame.
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
  const metrics = (await clocks.get(page)?.send("Performance.getMetrics"))?.metrics ?? [];
  const busy = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  // A page of another address may begin at zero.
  const before = busyBefore.get(page) ?? 0;
  busyBefore.set(page, busy);
  expect(busy - (busy < before ? 0 : before), what).toBeLessThan(most);
}

const fill = (part: string, length = 100_000) => part.repeat(Math.ceil(length / part.length)).slice(0, length);

const shapes: Record<string, string> = {
  "one word": fill("a"),
  "one word in a document": fill("a", 59_000),
  "one word in emphasis and links": fill(`${"a".repeat(140)}*b*[c](d)`, 50_000),
  "a long address": `https://example.org/${fill("a", 50_000)}`,
  "code in one line": `\`${fill("a", 50_000)}\``,
  "a block of code in one line": `\`\`\`\n${fill("a", 50_000)}\n\`\`\``,
  "marks on one letter": `a${fill("\u0301", 99_999)}`,
  "marks on many letters": fill(`a${"\u0301".repeat(200)}`),
  "changes of direction": fill("\u2067a\u2069"),
  "nested changes of direction": fill("\u202E", 50_000) + fill("a", 50_000),
  "one Thai word": fill("ก"),
  "one Arabic word": fill("ب"),
  "soft hyphens": fill("a\u00AD"),
  hyphens: fill("-"),
  "nested quotes": `${">".repeat(10_000)} a`,
  brackets: fill("["),
  links: fill("[a](b) "),
  "a long table": `|a|b|c|\n|-|-|-|\n${fill("|1|2|3|\n", 90_000)}`,
  "many tables": fill(`|a|b|c|d|\n|-|-|-|-|\n${"|1|2|3|4|\n".repeat(200)}\n`, 59_000),
  "empty lines": `a${fill("\n", 99_998)}b`,
};

for (const [name, text] of Object.entries(shapes))
  test(`draws a project and its workflow without freezing: ${name}`, async ({ page, context, person: _person }) => {
    await watchWork(page);
    const project = await makeProject(context, name, text);
    await makeWorkflow(context, project, "Forecast", text);
    await page.goto(address(`/designer/projects/${project}`));
    await expect(page.getByTestId("workflow-item")).toHaveCount(1);
    await expectNoFreeze(page, name);
    // The Markdown renderer loads later, and its text may need less space.
    await page.waitForLoadState("networkidle");
    await expect(page.locator(".markdown > .invisible")).toHaveCount(0);
    await expectNoFreeze(page, `${name}, drawn`);
    const more = page.getByRole("button", { name: "Show more" }).first();
    if (await more.isVisible()) {
      await more.click();
      await expectNoFreeze(page, `${name}, whole`);
    }
  });

test("lists and edits texts of any shape without freezing", async ({ page, context, person: _person }) => {
  await watchWork(page);
  let project = "";
  for (const [name, text] of Object.entries(shapes)) project = await makeProject(context, name, text);
  await makeWorkflow(context, project, "Forecast", Object.values(shapes).at(-1) ?? "");
  await page.goto(address(`/designer/projects/${project}`));
  for (const button of ["Edit project", "Edit workflow"]) {
    await page.getByRole("button", { name: button }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectNoFreeze(page, button);
    await page.keyboard.press("Escape");
  }
  for (const path of ["/designer", "/designer/browse"]) {
    await page.goto(address(path));
    await expect(page.getByTestId("project-card").first()).toBeVisible();
    await expectNoFreeze(page, path);
  }
});

test("shows a long text part by part, and copies it as it was written", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Long", `${fill("a", 70_000)} end`);
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "Show more" }).click();
  const rest = page.getByRole("button", { name: /more characters/ });
  await expect(rest).toHaveText("… 50,004 more characters. Show the next 20,000");
  await rest.click();
  await rest.click();
  await expect(rest).toHaveText("… 10,004 more characters. Show them");
  await rest.click();
  await expect(rest).toHaveCount(0);
  const copied = await page.locator(".markdown").evaluate((element) => {
    getSelection()?.selectAllChildren(element);
    return String(getSelection());
  });
  expect(copied.trim()).toBe(`${fill("a", 70_000)} end`);
});

for (const name of ["one word", "marks on one letter", "changes of direction"] as const)
  test(`lets an invited editor open a workflow that holds ${name}`, async ({ context, browser, person: _person }) => {
    const project = await makeProject(context, "Shared", shapes[name]);
    const { context: other, page } = await joinProject(browser, context, project, "Mary");
    const graph = await makeWorkflow(context, project, "Forecast", shapes[name]);
    const node = await makeNode(context, graph, { name: "Load" });
    const described = await context.request.patch(address(`/api/v3/objects/${node.metadata_id}`), {
      form: { description: shapes[name] ?? "" },
    });
    expect(described.status(), await described.text()).toBe(200);
    await watchWork(page);
    await openEditor(page, `/designer/projects/${project}/graphs/${graph}`);
    await header(page, "Load").click();
    await expect(page.getByTestId("inspector").getByLabel("Description")).toBeVisible();
    await expectNoFreeze(page, "the inspector");
    await page.goto(address(`/designer/projects/${project}`));
    await page.getByRole("button", { name: "Edit workflow" }).click();
    await expect(page.getByRole("dialog").getByLabel("Description")).toBeVisible();
    await expectNoFreeze(page, "the dialog");
    await other.close();
  });

const loud = `from miranda import Node, Transmitter


class Loud(Node):
    value = Transmitter("table")

    def run(self):
        for line in ("a" * 1_000_000, "a" + "\\u0301" * 100_000, "\\u2067a\\u2069" * 30_000, "-" * 1_000_000):
            print(line)
            self.show(line)
            self.show({line[:200_000]: line})
            self.show(Html(f"<p>{line}</p>"))
        self.show(Html("<b>a</b> " * 100_000))
        self.show([{f"{at} " + "c" * 1_000: "d" * 5_000 for at in range(20)} for _ in range(20)])


class Html:
    def __init__(self, text):
        self.text = text

    def _repr_html_(self):
        return self.text
`;

test("draws whatever nodes print and show without freezing", async ({ page, context, person: _person }) => {
  const { path } = await makeProgram(context, loud);
  await giveToken(context);
  await watchWork(page);
  await openEditor(page, path);
  await runButton(page).click();
  const chip = card(page, "Step 1").getByTestId("node-run-chip");
  // How long megabytes take to arrive is the machine's business; that the page does not freeze meanwhile is ours.
  await expect(chip).toHaveAttribute("data-status", "done", { timeout: 60_000 });
  await expect(page.getByTestId("log-line").filter({ hasText: "more characters" }).first()).toBeVisible();
  await expectNoFreeze(page, "the log and the card");
  await card(page, "Step 1").getByRole("button", { name: "Output of Step 1" }).last().click();
  const dialog = page.getByRole("dialog", { name: "Output of Step 1" });
  await expect(dialog.getByRole("button", { name: /more characters/ }).first()).toBeVisible();
  await expectNoFreeze(page, "the outputs");
  const large = dialog.getByRole("region", { name: "Output 13" });
  await large.scrollIntoViewIfNeeded();
  await expect(large.locator("iframe").contentFrame().getByText("too large to be shown")).toBeVisible();
  await expectNoFreeze(page, "the last outputs");
  await dialog
    .getByRole("button", { name: /…\d+ more/ })
    .first()
    .click();
  await expectNoFreeze(page, "a long text in a value");
  // A click into the frame does not keep Escape from closing the dialog around it.
  await large.locator("iframe").click();
  await expect(dialog).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("draws the longest and strangest names without freezing, in lists, the search and the editor", async ({
  page,
  context,
  person: _person,
}) => {
  const names = [fill("w", 200), `a${fill("\u0301", 199)}`, fill("\u2067a\u2069", 198), fill("\u202E", 199) + "a"];
  await watchWork(page);
  for (const name of names) await makeProject(context, name, name.repeat(400));
  await page.goto(address("/designer"));
  await expect(page.getByTestId("project-card")).toHaveCount(4);
  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("search-dialog").getByRole("option").first()).toBeVisible();
  await expectNoFreeze(page, "home and search");
  const { graph, path } = await makeGraph(context);
  for (const [at, name] of names.entries()) await makeNode(context, graph, { name, at: { x: at * 300, y: 0 } });
  await openEditor(page, path);
  await expect(page.getByTestId("node")).toHaveCount(4);
  await expectNoFreeze(page, "the canvas");
});
