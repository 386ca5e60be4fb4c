import { expect, type Page } from "@playwright/test";

import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import { address, test } from "../drivers/people.ts";
import { endSessions, fakeJob, giveToken, label, makeProgram, serveJobs, tapSocket } from "../drivers/sessions.ts";

const entry = (id: number, tag: number, message: string): LogEntry => ({
  id,
  tag,
  message,
  timestamp: new Date(Date.UTC(2026, 0, 1, 12, 0, id)).toISOString(),
});

/** Opens a session with this log on the processors page. */
async function openLog(page: Page, logs: LogEntry[]): Promise<void> {
  const job = fakeJob("EXITED", { logs });
  await serveJobs(page, { queued: [], running: [], errored: [], exited: [job] });
  await page.goto(address(`/designer/processors/${job.id}`));
}

const lines = (page: Page) => page.getByTestId("log-line");
const level = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test.afterEach(({ context }) => endSessions(context));

test("S2-158 S2-159 filters the log by pattern and level, and remembers the choice", async ({
  page,
  person: _person,
}) => {
  await openLog(page, [
    entry(1, 0, "plain"),
    entry(2, 1, "info: an error count of 0"),
    entry(3, 1, "info again"),
    entry(4, 2, "careful"),
    entry(5, 3, "ERROR of the day"),
    entry(6, 4, "inner thoughts"),
    entry(7, 1, "\u001B[31mred\u001B[0m alert"),
  ]);
  const filter = page.getByPlaceholder("Filter");
  await expect(filter).toHaveAttribute("placeholder", "Filter");
  await expect(lines(page)).toHaveCount(6);
  for (const [name, pressed] of [
    ["Default", "true"],
    ["Info", "true"],
    ["Warn", "true"],
    ["Error", "true"],
    ["Debug", "false"],
  ] as const)
    await expect(level(page, name)).toHaveAttribute("aria-pressed", pressed);
  // Consecutive entries of one level are merged: plain, info, careful, ERROR, red.
  await expect(page.locator('[data-testid="log-line"][data-entry="start"]')).toHaveCount(5);

  await filter.fill("ERR.r");
  await expect(lines(page)).toHaveCount(2);
  await expect(lines(page).first()).toContainText("an error count");
  await filter.fill("^red alert$");
  await expect(lines(page)).toHaveCount(1);
  const colours = await lines(page).evaluate((row) =>
    [...row.querySelectorAll("span")].map((span) => [span.textContent, getComputedStyle(span).color]),
  );
  expect(colours.find(([text]) => text === "red")?.[1]).not.toBe(colours.find(([text]) => text === "red alert")?.[1]);
  await filter.fill("[");
  await expect(lines(page)).toHaveCount(6);
  await expect(page.getByText("Invalid pattern")).toBeVisible();
  await filter.fill("nothing like it");
  await expect(page.getByText("No lines match the filter.")).toBeVisible();
  await filter.press("Escape");

  await level(page, "Debug").click();
  await expect(lines(page)).toHaveCount(7);
  await level(page, "Info").click();
  await expect(page.getByText("info again")).toHaveCount(0);
  await expect.poll(() => page.evaluate(() => localStorage.getItem("logfilter"))).toBe("0,2,3,4");
  await page.reload();
  await expect(level(page, "Info")).toHaveAttribute("aria-pressed", "false");
  await expect(lines(page)).toHaveCount(4);

  await page.getByRole("button", { name: "Timestamps" }).click();
  await expect(lines(page).first().locator("time")).toHaveText(/^\d\d:\d\d:01\.000$/);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.log$/);
});

test("keeps the page responsive with any filter pattern", async ({ page, person: _person }) => {
  await openLog(page, [entry(1, 0, `${"a".repeat(40)}!`), entry(2, 0, "harmless")]);
  const filter = page.getByPlaceholder("Filter");
  // While the pattern hangs in its worker, the page keeps drawing frames. They are counted from its first letter on.
  const counted = filter.evaluate(
    (field: HTMLInputElement) =>
      new Promise<number>((resolve) => {
        let drawn = 0;
        const tick = () => {
          if (document.body.textContent.includes("This pattern takes too long")) return resolve(drawn);
          if (field.value !== "") drawn += 1;
          requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
      }),
  );
  await filter.fill("^(a|aa)+$");
  expect(await counted).toBeGreaterThan(1);
  await expect(page.getByText("This pattern takes too long")).toBeVisible();
  await expect(lines(page)).toHaveCount(2);
  await page.getByPlaceholder("Filter").fill("harm");
  await expect(lines(page)).toHaveCount(1);
});

test("S2-160 follows the end only while the end is in view, with a million lines", async ({
  page,
  context,
  person: _person,
}) => {
  test.slow();
  const { path, graph, project } = await makeProgram(context, "");
  const { logs: _logs, ...job } = fakeJob("RUNNING", { graph: { project_id: project, graph_id: graph } });
  await page.route(/\/processor$/, (route) => route.fulfill({ json: job }));
  const push = await tapSocket(page);
  await page.goto(address(path));
  await expect(label(page)).toHaveText("Running");
  const pushLines = (from: number, count: number) =>
    push(`logs[${job.id}]`, [entry(from, 0, Array.from({ length: count }, (_, at) => `line ${from + at}`).join("\n"))]);
  await pushLines(1, 500);
  await expect(page.getByText("line 500", { exact: true })).toBeVisible();
  await pushLines(501, 1);
  await expect(page.getByText("line 501", { exact: true })).toBeVisible();

  const log = page.getByTestId("log-lines");
  await log.evaluate((element) => (element.scrollTop = 2_000));
  await expect(page.getByText("line 101", { exact: true })).toBeVisible();
  await pushLines(502, 100);
  await expect(log).toHaveAttribute("data-count", "601");
  await expect(page.getByText("line 101", { exact: true })).toBeVisible();
  await expect(log).toHaveJSProperty("scrollTop", 2_000);
  await page.getByRole("button", { name: "Latest" }).click();
  await expect(page.getByText("line 601", { exact: true })).toBeVisible();

  for (let from = 602; from <= 1_000_000; from += 50_000) await pushLines(from, Math.min(50_000, 1_000_001 - from));
  await expect(log).toHaveAttribute("data-count", "1000000", { timeout: 30_000 });
  await expect(page.getByText("line 1000000", { exact: true })).toBeVisible();
  await expect.poll(() => lines(page).count()).toBeLessThan(100);
  await page.getByPlaceholder("Filter").fill("77777$");
  await expect(log).toHaveAttribute("data-count", "10", { timeout: 60_000 });
});

test("S9-022 S9-023 S9-024 shows long strings, large objects and long arrays of locals in a tree", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph, project, nodes } = await makeProgram(context, "");
  const { logs: _logs, ...job } = fakeJob("RESUMEREADY", { graph: { project_id: project, graph_id: graph } });
  await page.route(/\/processor$/, (route) => route.fulfill({ json: job }));
  await page.route(/\/processor\/break$/, (route) => route.fulfill({ json: null }));
  const push = await tapSocket(page);
  await page.goto(address(path));
  await expect(label(page)).toHaveText("Paused");
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, at]));
  await push("break", {
    job_id: job.id,
    wob_key: nodes[0],
    line_number: 3,
    locals: { s99: "x".repeat(99), s100: "y".repeat(100), o20: keys(20), o21: keys(21), many: Array(250).fill(0) },
  });
  const hit = page.getByRole("region", { name: "Breakpoint hit" });
  await expect(hit).toContainText(`Node ${nodes[0]}, line 3`);
  const item = (name: string) => hit.getByRole("treeitem").filter({ hasText: new RegExp(`^${name}:`) });
  await expect(item("s99")).toContainText("x".repeat(99));
  await expect(item("s99").getByRole("button")).toHaveCount(0);
  await expect(item("s100")).not.toContainText("y".repeat(100));
  await item("s100").getByRole("button").click();
  await expect(item("s100")).toContainText("y".repeat(100));
  await expect(item("o20").first()).toHaveAttribute("aria-expanded", "true");
  await expect(item("o21").first()).toHaveAttribute("aria-expanded", "false");
  await item("many").getByRole("button").first().click();
  for (const part of ["[0 … 99]", "[100 … 199]", "[200 … 249]"])
    await expect(hit.getByRole("button", { name: part })).toBeVisible();
  await hit.getByRole("button", { name: "[200 … 249]" }).click();
  await expect(item("249")).toBeVisible();
});

test("shows the lines of a real program as it prints them", async ({ page, context, person: _person }) => {
  const { path } = await makeProgram(
    context,
    `from miranda import Node
import miranda, sys

class Talk(Node):
    def run(self):
        print("grün ✓")
        self.log.debug("only for the curious")
        sys.stdout.write("half a line")
        sys.stdout.flush()
        # The half line stays until somebody answers.
        miranda.ask_password("Go on?")
        print(" and the rest")
        for i in range(20000):
            print("row", i)
`,
  );
  await giveToken(context);
  await page.goto(address(path));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("grün ✓")).toBeVisible();
  await expect(page.getByText("half a line", { exact: true })).toBeVisible();
  await expect(page.getByText("only for the curious")).toHaveCount(0);
  const question = page.getByRole("dialog", { name: "A node asks for a password" });
  await question.getByLabel("Go on?").fill("yes");
  await question.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("row 19999", { exact: true })).toBeVisible({ timeout: 20_000 });
  await page.getByPlaceholder("Filter").fill("and the rest$");
  await expect(lines(page)).toHaveCount(1);
  await expect(lines(page)).toContainText("half a line and the rest");
});
