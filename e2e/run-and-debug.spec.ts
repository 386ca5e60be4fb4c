import { expect, type Page } from "@playwright/test";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { addAt, card, handle, invite, join, openEditor, stored, tapSocket } from "./canvas.ts";
import { address, newBrowser, newPerson, password, signIn, test } from "./people.ts";
import { endSessions, giveToken, label, leaveBreakpoints, makeProgram, writeCode } from "./sessions.ts";
import { makeProject, makeWorkflow } from "./things.ts";

// People at one workflow: write, run, stop, step, fail, mend, run what changed, and look back.

const load = `from miranda import Node, Transmitter


class Load(Node):
    rows = Transmitter("table")

    def run(self):
        print("loading")
        self.show([{"tide": 1, "port": "Brest"}, {"tide": 5, "port": "Dover"}])
        self.rows.send([{"tide": at} for at in range(12)])
`;

const sum = `import time
from miranda import Node, Receiver, Transmitter


class Sum(Node):
    rows = Receiver("table")
    total = Transmitter("number")

    def run(self):
        total = sum(row["tide"] for row in self.rows)
        time.sleep(0.02)
        self.log.info("total is %d", total)
        self.total.send(total)
`;

const report = `from miranda import Node, Receiver


class Report(Node):
    total = Receiver("number")

    def run(self):
        limit = {"highest": 10}
        print("share", self.total / limit["lowest"])
`;

const mended = report.replace("lowest", "highest");

test.afterEach(({ context }) => endSessions(context));

const hit = (page: Page) => page.getByRole("region", { name: "Breakpoint hit" });
const runButton = (page: Page) => page.getByRole("button", { name: "Run", exact: true });

/** Replaces the code of the node that is open and commits it. */
async function writeAndCommit(page: Page, code: string): Promise<void> {
  await page.locator(".cm-content:visible").click();
  await page.keyboard.press("Control+a");
  // As a paste: the editor would indent what is typed.
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  }, code);
  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog", { name: /^Commit/ });
  await dialog.getByRole("button", { name: /^Commit/ }).click();
  await expect(dialog).toHaveCount(0);
}

test("two people write three nodes, debug, fail, mend and run what changed", async ({
  page,
  context,
  browser,
  person,
}) => {
  test.setTimeout(240_000);
  const project = await makeProject(context, "Tides");
  const graph = await makeWorkflow(context, project, "Forecast");
  const path = `/designer/projects/${project}/graphs/${graph}`;
  const other = await newBrowser(browser);
  const bea = await signIn(other.context, newPerson("Bea"));
  await invite(context, project, bea.username, "editor");
  await giveToken(other.context);

  // Write three nodes.
  await openEditor(page, path);
  for (const [at, across] of [0.15, 0.42, 0.7].entries()) {
    await addAt(page, across, 0.3);
    await expect.poll(async () => Object.keys((await stored(context, graph)).nodes).length).toBe(at + 1);
  }
  const { nodes } = await stored(context, graph);
  const ids = Object.values(nodes)
    .toSorted((one, next) => one.position.x - next.position.x)
    .map(({ metadata_id }) => metadata_id);
  for (const [at, name] of ["Load", "Sum", "Report"].entries())
    await context.request.patch(address(`/api/v3/objects/${ids[at]}`), { form: { name } });
  const [first = 0, second = 0, third = 0] = ids;
  for (const [id, code] of [
    [first, load],
    [second, sum],
    [third, report],
  ] as const) {
    await page.goto(address(`${path}/code/${id}`));
    await writeAndCommit(page, code);
  }

  // Set a breakpoint in the gutter's line with F9, from the code.
  await page.goto(address(`${path}/code/${second}`));
  await page.getByText("time.sleep(0.02)").click();
  await page.keyboard.press("F9");
  await openEditor(page, path);
  await expect(page.getByRole("region", { name: "Breakpoints" })).toContainText("line 11");

  // Connect them.
  await join(page, handle(page, "Load", "t:rows"), handle(page, "Sum", "r:rows"));
  await join(page, handle(page, "Sum", "t:total"), handle(page, "Report", "r:total"));
  await expect.poll(async () => (await stored(context, graph)).edges.length).toBe(2);

  // Start, with the token's modal first cancelled and then answered.
  await openEditor(other.page, path);
  await runButton(page).click();
  const modal = page.getByRole("dialog", { name: "Generate Token" });
  await modal.getByRole("button", { name: "Close dialog" }).click();
  await expect(label(page)).toHaveText("Not Connected");
  await expect(page.getByText(/Failed to create processor \| Invalid execution token/).first()).toBeVisible();
  await page.keyboard.press("F5");
  await modal.getByLabel("Password", { exact: true }).fill(password);
  await modal.getByRole("button", { name: "Generate token" }).click();
  const generated = page.getByRole("dialog", { name: "Token Generated" });
  await generated.getByRole("button", { name: "Close", exact: true }).click();

  // Both see the same pause with its variables.
  for (const one of [page, other.page]) {
    await expect(hit(one)).toContainText(`Node ${second}, line 11`);
    await expect(hit(one).getByRole("treeitem", { name: "total: 66" })).toBeVisible();
    await expect(label(one)).toHaveText("Paused");
  }
  // One steps, the other continues, and each sees who did.
  await page.keyboard.press("F10");
  for (const one of [page, other.page]) await expect(hit(one)).toContainText(`Node ${second}, line 12`);
  await expect(other.page.getByTestId("last-action")).toContainText(`${person.firstName} stepped over`);
  await other.page.getByRole("button", { name: "Continue (F5)" }).first().click();
  await expect(page.getByTestId("last-action")).toContainText("Bea continued");
  await expect(page.getByText("Bea continued.", { exact: true })).toBeVisible();
  await expect(other.page.getByTestId("last-action")).toContainText("You continued");

  // It fails, for both.
  for (const one of [page, other.page]) {
    await expect(hit(one)).toHaveCount(0);
    const exception = one.getByRole("region", { name: "Exception" });
    await expect(exception).toContainText("An Error occured in Report");
    await expect(exception.getByTestId("traceback")).toContainText("KeyError: 'lowest'");
  }
  await expect(card(page, "Report").getByTestId("node-run-chip")).toHaveAttribute("data-status", "error");
  await expect(card(page, "Sum").getByTestId("node-run-chip")).toHaveText(/\d+ ms/);
  await expect(card(page, "Load").getByTestId("node-output")).toContainText("Brest");

  // View Code, mend it, and run what changed: the others are not run again.
  await page.getByRole("region", { name: "Exception" }).getByRole("link", { name: "View Code" }).click();
  await expect(page).toHaveURL(address(`${path}/code/${third}`));
  await writeAndCommit(page, mended);
  await page.getByRole("button", { name: "More ways to run" }).click();
  await page.getByRole("menuitem", { name: "Run what changed" }).hover();
  const plan = page.getByTestId("plan");
  // The breakpoint makes its node run; what feeds it is only sent again.
  await expect(plan).toContainText("Sum");
  await expect(plan).toContainText("Report");
  await expect(plan).toContainText("Not: Load.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Stops at breakpoints" }).click();
  await page.getByRole("button", { name: "More ways to run" }).click();
  await page.getByRole("menuitem", { name: "Run what changed" }).hover();
  await expect(plan).toContainText("Not: Load, Sum.");
  await page.keyboard.press("Escape");
  await runButton(page).click();
  const lines = page.getByTestId("log-lines");
  await expect(lines).toContainText("share 6.6");
  await expect(label(page)).toHaveText("Ready");

  // The log, filtered: what was not run printed nothing a second time.
  await page.getByPlaceholder("Filter").fill("^loading$");
  await expect(page.getByTestId("log-line")).toHaveCount(1);
  await page.getByPlaceholder("Filter").fill("");
  await openEditor(page, path);
  await expect(card(page, "Load").getByTestId("node-run-chip")).toContainText("unchanged");

  // The session is on the processors page and, once it is over, a recent one, with its cost.
  await page.getByRole("button", { name: "Force Stop" }).click();
  await expect(label(page)).toHaveText("Exited");
  const job = (await (await context.request.get(address(`/api/v3/graphs/${graph}/processor`))).json()) as JobSummary;
  expect(job.total_cost).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(label(page)).toHaveText("Ready");
  await expect(page.getByTestId("recent-session")).toHaveCount(1);
  await page.getByRole("link", { name: "View all" }).click();
  await page.locator(`[data-id="${job.id}"]`).getByRole("link").click();
  await expect(page.getByTestId("log-lines")).toContainText("share 6.6");
  await expect(page.getByText(/^This session has cost \$[\d.]+ in total\.$/)).toBeVisible();
  await other.context.close();
});

test("what a run did is on the canvas: outputs, edges, reasons, and the way from a line to its node", async ({
  page,
  context,
  person: _person,
}) => {
  test.setTimeout(120_000);
  const { nodes, path, graph } = await makeProgram(context, load, sum, report.replace("lowest", "highest"));
  const [first = 0, second = 0, third = 0] = nodes;
  const edge = (from: number, out: string, to: number, into: string) =>
    context.request.post(address("/api/v3/objects/edges"), {
      form: { from_id: from, to_id: to, transmitter_key: out, receiver_key: into },
    });
  await edge(first, "rows", second, "rows");
  await edge(second, "total", third, "total");
  await writeCode(
    context,
    third,
    `from miranda import Node, Receiver


class Page:
    def _repr_html_(self):
        return '<b>bold</b><script>parent.document.title = "taken"</script><img src=x onerror="parent.hacked=1">'


class Report(Node):
    total = Receiver("number")

    def run(self):
        self.show(Page())
        print("reported")
`,
  );
  await giveToken(context);
  await openEditor(page, path);
  await expect(page.getByRole("button", { name: "Run", exact: true })).toBeVisible();

  // A part of it: up to the second node, by its menu.
  await card(page, "Step 2").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Run up to here" }).click();
  await expect(label(page)).toHaveText("Ready");
  await expect(page.getByTestId("log-lines")).toContainText("total is 66");
  await expect(card(page, "Step 3").getByTestId("node-run-chip")).toHaveCount(0);
  await expect(page.getByTestId("log-lines")).not.toContainText("reported");

  // Why it would run is said where it is looked at.
  await card(page, "Step 3").click();
  await expect(page.getByTestId("why-run")).toHaveText("It has not run yet.");
  await page.keyboard.press("F5");
  await expect(page.getByTestId("log-lines")).toContainText("reported");
  await expect(page.getByTestId("why-run")).toHaveText("Nothing changed.");

  // HTML is shown in a frame of its own in which nothing runs.
  const frame = card(page, "Step 3").getByTestId("node-output").locator("iframe");
  await expect(frame).toHaveAttribute("sandbox", "");
  await expect(frame.contentFrame().locator("b")).toHaveText("bold");
  expect(await page.evaluate(() => [document.title.includes("taken"), "hacked" in window])).toEqual([false, false]);
  await card(page, "Step 1").getByTestId("node-output").click();
  const dialog = page.getByRole("dialog", { name: "Output of Step 1" });
  await expect(dialog.getByRole("columnheader", { name: "port" })).toBeVisible();
  await expect(dialog.getByRole("cell", { name: "Dover" })).toBeVisible();
  await page.keyboard.press("Escape");

  // What went over an edge: its kind and size under the pointer, a sample when it is clicked.
  const line = page.getByTestId("edge").first().locator(".edge-touch");
  await line.hover({ force: true });
  await expect(page.getByTestId("edge-hint")).toHaveText("table · 12 rows × 1 column");
  await line.click({ force: true });
  const sample = page.getByTestId("edge-sample");
  await expect(sample).toContainText("Step 1 → Step 2");
  await expect(sample.getByRole("cell", { name: "11" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sample).toHaveCount(0);

  // From a line to the node that printed it.
  const printed = page.getByTestId("log-line").filter({ hasText: "reported" });
  await printed.hover();
  await printed.getByRole("button", { name: "Go to Step 3" }).click();
  await expect(card(page, "Step 3")).toHaveAttribute("data-selected", "true");

  // A reload finds it all again.
  await page.reload();
  await expect(card(page, "Step 3").getByTestId("node-run-chip")).toBeVisible();
  await expect(card(page, "Step 1").getByTestId("node-output")).toContainText("Brest");
  expect((await stored(context, graph)).nodes[third]?.status).toBe("done");
});

test("F-keys run and step, but not while something else is typed", async ({ page, context, person: _person }) => {
  const { nodes, path, graph } = await makeProgram(
    context,
    sum.replaceAll("self.rows", "[{'tide': 3}]").replace('    rows = Receiver("table")\n', ""),
  );
  const [node = 0] = nodes;
  await giveToken(context);
  await leaveBreakpoints(page, graph, { [node]: [9] });
  await openEditor(page, path);
  let commands = 0;
  page.on(
    "request",
    (request) => (commands += /\/processor(\/run)?$/.test(request.url()) && request.method() === "POST" ? 1 : 0),
  );
  // The browser's own meaning of the key would be to load the page again.
  await page.evaluate(() => addEventListener("keydown", (event) => event.preventDefault()));
  await page.getByPlaceholder("Filter").press("F5");
  await card(page, "Step 1").getByTestId("node-name").click();
  await page.getByTestId("inspector").getByLabel("Name", { exact: true }).press("F5");
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Type a command or search...").press("F5");
  await page.keyboard.press("Escape");
  await expect(page.getByPlaceholder("Type a command or search...")).toHaveCount(0);
  expect(commands).toBe(0);

  // F9 on the canvas: the node stops where its run begins.
  await page.getByRole("button", { name: "Clear all" }).click();
  await card(page, "Step 1").click();
  await page.keyboard.press("F9");
  await expect(page.getByRole("region", { name: "Breakpoints" })).toContainText("line 9");
  await page.keyboard.press("F5");
  await expect(hit(page)).toContainText("line 9");
  await page.keyboard.press("F11");
  await expect(hit(page)).not.toContainText("line 9");
  await page.keyboard.press("Shift+F11");
  await page.keyboard.press("F5");
  await expect(page.getByTestId("log-lines")).toContainText("total is 3");
  await expect(label(page)).toHaveText("Ready");
  // Past its breakpoints.
  await page.keyboard.press("Control+F5");
  await expect(label(page)).toHaveText("Ready");
  await expect(hit(page)).toHaveCount(0);
  await page.keyboard.press("Shift+F5");
  await expect(label(page)).toHaveText("Exited");
});

test("a broken connection in the middle of a pause; a processor that dies while paused", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  test.setTimeout(120_000);
  const { nodes, path, graph } = await makeProgram(
    context,
    `import os
from miranda import Node

class Doomed(Node):
    def run(self):
        pid = os.getpid()
        print("went on")
`,
  );
  const [node = 0] = nodes;
  await giveToken(context);
  await leaveBreakpoints(page, graph, { [node]: [7] });
  const socket = await tapSocket(page);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(hit(page)).toContainText("line 7");

  // The connection breaks; another tab of the same person goes on meanwhile.
  const tab = await context.newPage();
  await openEditor(tab, path);
  await expect(hit(tab)).toContainText("line 7");
  await socket.cut();
  await tab.keyboard.press("F5");
  await expect(tab.getByTestId("log-lines")).toContainText("went on");
  await expect(label(tab)).toHaveText("Ready");
  await expect(page.getByTestId("offline")).toHaveCount(0, { timeout: 15_000 });
  await expect(page.getByTestId("log-lines")).toContainText("went on", { timeout: 40_000 });
  await expect(label(page)).toHaveText("Ready", { timeout: 30_000 });
  await expect(hit(page)).toHaveCount(0);
  await tab.close();

  // Somebody who may only read sees the pause without its variables, and nothing to press.
  await page.keyboard.press("F5");
  await expect(hit(page)).toContainText("line 7");
  const reader = await newBrowser(browser);
  await signIn(reader.context);
  await openEditor(reader.page, path);
  await expect(hit(reader.page)).toContainText("line 7");
  await expect(hit(reader.page).getByRole("treeitem", { name: /^pid/ })).toHaveCount(0);
  await expect(runButton(reader.page)).toHaveCount(0);
  await expect(reader.page.getByRole("button", { name: "Continue (F5)" })).toHaveCount(0);
  await reader.page.evaluate(() => addEventListener("keydown", (event) => event.preventDefault()));
  await reader.page.keyboard.press("F10");
  await expect(hit(reader.page)).toContainText("line 7");

  // The worker dies where it stands.
  const pid = (await hit(page).getByRole("treeitem", { name: /^pid/ }).innerText()).replace(/\D/g, "");
  process.kill(Number(pid), "SIGKILL");
  for (const one of [page, reader.page]) {
    await expect(label(one)).toHaveText("Error");
    await expect(hit(one)).toHaveCount(0);
  }
  await expect(page.getByRole("button", { name: "Restart" })).toBeVisible();
  await expect(page.getByTestId("log-line").last()).toContainText(/signal|killed/i);
  await page.getByRole("button", { name: "Restart" }).click();
  await expect(label(page)).toHaveText("Ready");
  await reader.context.close();
});

test("a node asks for a password: kept as a secret, then the server is told (S7-112 S7-113)", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeProgram(
    context,
    `import miranda
from miranda import Node

class Ask(Node):
    def run(self):
        print("length", len(miranda.ask_password("Password of the archive")))
`,
  );
  await giveToken(context);
  await openEditor(page, path);
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/v3/secrets")) calls.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await runButton(page).click();
  const dialog = page.getByRole("dialog", { name: "A node asks for a password" });
  await dialog.getByLabel("Password of the archive").fill("seventeen letters");
  await dialog.getByRole("button", { name: "Send" }).click();
  await expect(page.getByTestId("log-lines")).toContainText("length 17");
  await expect(page.getByTestId("log-lines")).not.toContainText("seventeen letters");
  expect(calls).toEqual(["POST /api/v3/secrets", "POST /api/v3/secrets/notify"]);
});

test("the processors page hears a session as it runs, also one of somebody else", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  test.setTimeout(90_000);
  const { path, project, nodes, graph } = await makeProgram(
    context,
    `import time
from miranda import Node

class Long(Node):
    def run(self):
        for at in range(15000):
            print("line", at)
        print("waits")
`,
  );
  await giveToken(context);
  const other = await newBrowser(browser);
  const bea = await signIn(other.context, newPerson("Bea"));
  await invite(context, project, bea.username, "editor");
  await openEditor(page, path);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(label(page)).toHaveText("Ready");

  const job = (await (await context.request.get(address(`/api/v3/graphs/${graph}/processor`))).json()) as JobSummary;
  await other.page.goto(address(`/designer/processors/${job.id}`));
  const session = other.page.locator(`[data-id="${job.id}"]`);
  await expect(session).toHaveAttribute("data-state", "READY");
  // Nothing is asked for from here on: what shows was told.
  await other.page.route(/\/api\/v3\/jobs/, (route) =>
    route.request().url().includes("before=") ? route.continue() : route.abort(),
  );
  await runButton(page).click();
  await expect(other.page.getByText("line 14999", { exact: true })).toBeVisible();
  await expect(other.page.getByText("waits", { exact: true })).toBeVisible();
  // Whoever only watches is not shown in the workflow.
  await expect(page.getByTestId("collaborators").getByRole("listitem")).toHaveCount(1);

  // Earlier lines come by scrolling up, window by window, to the very first.
  await other.page.reload();
  await other.page.unroute(/\/api\/v3\/jobs/);
  await other.page.reload();
  const log = other.page.getByTestId("log-lines");
  await expect(other.page.getByText("waits", { exact: true })).toBeVisible();
  await expect(log).toHaveAttribute("data-count", "10000");
  await log.evaluate((element) => (element.scrollTop = 0));
  await expect(log).toHaveAttribute("data-count", /^15\d\d\d$/);
  await log.evaluate((element) => (element.scrollTop = 0));
  await expect(other.page.getByText("line 0", { exact: true })).toBeVisible();
  await expect(other.page.getByRole("button", { name: "Load earlier lines" })).toHaveCount(0);

  // A line leads to its node's code.
  const printed = other.page.getByTestId("log-line").filter({ hasText: /^line 3$/ });
  await printed.hover();
  await printed.getByRole("link").click();
  await expect(other.page).toHaveURL(address(`${path}/code/${nodes[0]}`));
  await other.context.close();
});
