import { expect, type Locator } from "@playwright/test";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { address, newBrowser, password, signIn, test } from "../drivers/people.ts";
import {
  endSessions,
  fakeJob,
  giveToken,
  label,
  makeProgram,
  openProcessor,
  revokeTokens,
  serveJobs,
  storeBreakpoints,
  tapSocket,
  writeCode,
} from "../drivers/sessions.ts";

const program = `from miranda import Node

class Count(Node):
    def run(self):
        print("counting begins")
        total = sum(range(10))
        word = "tide"
        self.log.warning("total is %d", total)
        print("counting ends")
`;

const failing = `from miranda import Node

class Count(Node):
    def run(self):
        self.dive(0)

    def dive(self, depth):
        if depth == 40:
            raise ValueError("too deep")
        self.dive(depth + 1)
`;

test.afterEach(({ context }) => endSessions(context));

/** A plain name for the colour of an icon, in whatever notation the style sheet uses. */
async function colourOf(icon: Locator): Promise<string> {
  const [red = 0, green = 0, blue = 0] = await icon.evaluate((element) => {
    const pen = document.createElement("canvas").getContext("2d");
    if (!pen) return [];
    pen.fillStyle = getComputedStyle(element).color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  });
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return "grey";
  if (most === blue) return "blue";
  if (most === green) return "green";
  return green > blue + 40 ? "yellow" : "red";
}

test("S1-013 S2-021 S2-151 S2-152 S2-153 S2-154 S2-155 S2-156 S2-157 S2-161 S2-162 S2-165 S2-166 starts with a token, runs, pauses, fails, stops and shows the past session", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  test.setTimeout(120_000);
  const { graph, project, nodes, path } = await makeProgram(context, program);
  const [node = 0] = nodes;
  await storeBreakpoints(page, graph, { [node]: [8] });
  const creations: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/processor")) creations.push(request.postData() ?? "");
  });
  await page.goto(address(path));
  // The panel stays closed until there is something in it. Who opens it finds it open the next time.
  await expect(page.getByRole("button", { name: "Processor Not Connected" })).toBeVisible();
  await expect(label(page)).toBeHidden();
  await openProcessor(page);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Current Session" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Recent Sessions" })).toBeVisible();
  await expect(page.getByText("No previous sessions")).toBeVisible();
  await expect(page.getByRole("link", { name: "View all" })).toHaveAttribute("href", "/designer/processors");
  await expect(label(page)).toHaveText("Not Connected");

  // Without a token the command is refused, the modal opens, and the same command is sent again.
  await revokeTokens(context);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const modal = page.getByRole("dialog", { name: "Generate Token" });
  await expect(modal).toContainText("Your execution token was revoked.");
  await modal.getByLabel("Password", { exact: true }).fill("wrong horse battery");
  await modal.getByRole("button", { name: "Generate token" }).click();
  await expect(modal.getByRole("alert")).toHaveText("Wrong password.");
  await expect(page.getByTestId("processor-label")).toHaveText("Not Connected");
  await modal.getByLabel("Password", { exact: true }).fill(password);
  await modal.getByRole("button", { name: "Generate token" }).click();
  const generated = page.getByRole("dialog", { name: "Token Generated" });
  await expect(generated.getByTestId("generated-token")).not.toBeEmpty();
  await generated.getByRole("button", { name: "Close", exact: true }).click();
  await expect(label(page)).toHaveText("Ready");
  expect(creations).toHaveLength(2);
  expect(creations[0]).toBe(creations[1]);
  await expect(page.getByRole("button", { name: "Run Node Setup" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Force Stop" })).toBeVisible();
  const found = (await (await context.request.get(address(`/api/v3/graphs/${graph}/processor`))).json()) as JobSummary;
  expect(found.graph).toEqual({ project_id: project, graph_id: graph });
  await page.getByRole("button", { name: "Run Node Setup" }).click();
  await expect(page.getByRole("button", { name: "Run", exact: true })).toBeVisible();

  // A reader who comes later sees the same pause.
  const other = await newBrowser(browser);
  await signIn(other.context);
  await other.page.goto(address(path));
  await expect(label(other.page)).toHaveText("Ready");
  await expect(other.page.getByRole("button", { name: "Force Stop" })).toBeDisabled();

  await page.getByRole("button", { name: "Run", exact: true }).click();
  const hit = page.getByRole("region", { name: "Breakpoint hit" });
  await expect(hit).toContainText(`Node ${node}, line 8`);
  await expect(hit.getByRole("treeitem", { name: "total: 45" })).toBeVisible();
  await expect(hit.getByRole("treeitem", { name: 'word: "tide"' })).toBeVisible();
  await expect(label(page)).toHaveText("Paused");
  await expect(other.page.getByRole("region", { name: "Breakpoint hit" })).toContainText(`Node ${node}, line 8`);
  await page.keyboard.press("F10");
  await expect(hit).toContainText(`Node ${node}, line 9`);
  await page.keyboard.press("F5");
  await expect(hit).toHaveCount(0);
  await expect(other.page.getByRole("region", { name: "Breakpoint hit" })).toHaveCount(0);
  await expect(label(page)).toHaveText("Ready");
  const lines = page.getByTestId("log-lines");
  await expect(lines).toContainText("counting begins");
  await expect(lines).toContainText("total is 45");
  await expect(lines).toContainText("counting ends");
  await other.context.close();

  await page.getByRole("button", { name: "Remove the breakpoint on line 8 of Step 1" }).click();
  await expect(page.getByRole("region", { name: "Breakpoints" })).toHaveCount(0);
  await writeCode(context, node, failing);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const exception = page.getByRole("region", { name: "Exception" });
  await expect(exception).toContainText("An Error occured in Step 1");
  await expect(exception).toContainText("Exception in dive() on line :9");
  await expect(exception.getByTestId("traceback")).toContainText("ValueError: too deep");
  await expect
    .poll(() => exception.getByTestId("traceback").evaluate((element) => element.scrollHeight > element.clientHeight))
    .toBe(true);
  await expect(exception.getByRole("link", { name: "View Code" })).toHaveAttribute(
    "href",
    `/designer/projects/${project}/graphs/${graph}/code/${node}`,
  );
  await expect(label(page)).toHaveText("Ready");
  await page.reload();
  await expect(exception).toContainText("An Error occured in Step 1");

  await page.getByRole("button", { name: "Force Stop" }).click();
  await expect(label(page)).toHaveText("Exited");
  await expect(exception).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Start", exact: true })).toBeVisible();
  await expect(page.getByTestId("session-cost")).toHaveText(/^This session has cost \$[\d.]+ in total\.$/);
  const ended = (await (await context.request.get(address(`/api/v3/jobs/${found.id}`))).json()) as JobSummary;
  expect(ended.total_cost).toBeGreaterThan(0);

  // Starting the next session makes this one a past session.
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(label(page)).toHaveText("Ready");
  const past = page.getByTestId("recent-session");
  await expect(past).toHaveCount(1);
  await expect(past.getByRole("img", { name: "Ran to completion" })).toBeVisible();
  let fetched = 0;
  page.on("request", (request) => (fetched += request.url().endsWith(`/api/v3/jobs/${found.id}`) ? 1 : 0));
  await past.click();
  const view = page.getByRole("region", { name: "Past session" });
  await expect(view.getByTestId("log-lines")).toContainText("counting ends");
  await expect(view.getByRole("link", { name: "Full screen" })).toHaveAttribute(
    "href",
    `/designer/processors/${found.id}`,
  );
  await view.getByRole("button", { name: "Back" }).click();
  await expect(page.getByRole("heading", { name: "Current Session" })).toBeVisible();
  expect(fetched).toBe(1);

  await page.getByRole("link", { name: "View all" }).click();
  await expect(page).toHaveURL(address("/designer/processors"));
  await expect(page.getByTestId("sessions-running").getByTestId("session")).toHaveCount(1);
  const session = page.locator(`[data-id="${found.id}"]`);
  await expect(session.getByRole("link", { name: "The last run failed" })).toBeVisible();
  await session.getByRole("link", { name: "Forecast" }).click();
  await expect(page.getByTestId("log-lines")).toContainText("counting ends");
  await page.getByTestId("back-link").click();
  await expect(page).toHaveURL(address("/designer/processors"));
  await expect(page.getByText("Select a processor to view logs")).toBeVisible();

  const running = page.getByTestId("sessions-running").getByTestId("session");
  await running.getByRole("button", { name: /^Menu of/ }).click();
  await page.getByRole("menuitem", { name: "Force Stop" }).click();
  await expect(page.getByTestId("sessions-exited").getByTestId("session")).toHaveCount(2);
});

test("S4-036 S4-037 S4-038 S4-039 S4-040 S4-041 S4-042 S4-047 S4-048 S4-049 S4-050 S4-051 S7-085 S9-011 S9-012 S9-016 shows the label and actions of each state", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, project, path } = await makeProgram(context, program);
  const push = await tapSocket(page);
  await page.goto(address(path));
  await expect(page.getByTestId("offline")).toHaveCount(0);
  // A session opens the panel.
  await expect(label(page)).toBeHidden();
  const { logs: _logs, ...job } = fakeJob("READY", { graph: { project_id: project, graph_id: graph } });
  const show = (changes: Partial<JobSummary>) => push("update[DOCKER_JOB]", { ...job, ...changes });
  const card = page.getByRole("complementary", { name: "Processor" });
  const icon = card.getByTestId("session-icon").first();
  const table = [
    ["QUEUED", "Queued", [], "grey", "pulse"],
    ["UNINITIALIZED", "Starting", [], "grey", "pulse"],
    ["STARTING", "Starting", [], "yellow", "none"],
    ["READY", "Ready", ["Run Node Setup", "Force Stop"], "green", "none"],
    ["RUNNING", "Running", ["Force Stop"], "blue", "pulse"],
    ["RESUMEREADY", "Paused", ["Force Stop"], "yellow", "none"],
    ["KILLING", "Stopping", [], "red", "pulse"],
    ["RESTARTING", "Restarting", [], "yellow", "none"],
    ["ERROR", "Error", ["Restart"], "red", "none"],
    ["EXITED", "Exited", ["Start"], "grey", "none"],
  ] as const;
  for (const [state, words, actions, colour, animation] of table) {
    await show({ workflow_state: state });
    await expect(label(page)).toHaveText(words);
    await expect(icon).toHaveCSS("animation-name", animation);
    expect(await colourOf(icon), state).toBe(colour);
    for (const action of ["Start", "Restart", "Run Node Setup", "Force Stop"])
      await expect(card.getByRole("button", { name: action, exact: true })).toHaveCount(
        (actions as readonly string[]).includes(action) ? 1 : 0,
      );
  }

  await show({ workflow_state: "RUNNING", total_cost: null });
  await expect(page.getByText("No cost information available yet.")).toBeVisible();
  await show({ workflow_state: "RUNNING", total_cost: 12.349 });
  await expect(page.getByText("This session has cost $12.34 in total.")).toBeVisible();
  const cpu = card.getByRole("meter", { name: "CPU" });
  for (const [used, colour, width] of [
    [0.69, "green", "69%"],
    [0.71, "orange", "71%"],
    [0.91, "red", "91%"],
    [1.5, "red", "100%"],
  ] as const) {
    await show({ workflow_state: "RUNNING", current_cpu: used });
    await expect(cpu.getByTestId("usage-bar-fill")).toHaveAttribute("data-colour", colour);
    await expect(cpu.getByTestId("usage-bar-fill")).toHaveAttribute("style", `width: ${width};`);
  }
  await expect(card).toContainText("1.5 / 1 cores");
  await expect(card).toContainText("0.5 / 1 GB");
  await expect(card).toContainText("0.75 GB");
  const { project: details } = (await (await context.request.get(address(`/api/v3/projects/${project}`))).json()) as {
    project: { metadata_id: number };
  };
  const container = card.getByRole("link", { name: "Container" });
  await expect(container).toHaveAttribute("href", /box-7/);
  await expect(container).toHaveAttribute("href", new RegExp(`metadata_id=${details.metadata_id}`));
});

test("waits for its own tag when it creates a processor, and uses a new tag each time", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeProgram(context, program);
  const tags: string[] = [];
  let seen = Promise.withResolvers<void>();
  await page.route(/\/processor$/, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    tags.push(route.request().postData() ?? "");
    await seen.promise;
    await route.fulfill({ status: 402, body: "You are out of credits." });
  });
  await page.goto(address(path));
  await openProcessor(page);
  for (const _turn of [1, 2]) {
    seen = Promise.withResolvers<void>();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect(label(page)).toHaveText("Queued");
    seen.resolve();
    await expect(page.getByText("Failed to create processor | You are out of credits.").first()).toBeVisible();
    await expect(label(page)).toHaveText("Not Connected");
  }
  expect(new Set(tags).size).toBe(2);
});

test("S2-020 S2-167 S2-168 S2-170 S2-172 S2-173 S2-175 S2-176 S2-177 S2-178 S2-179 S2-180 S4-064 lists sessions in groups with figures and menus, and a spinner while they load", async ({
  page,
  person: _person,
}) => {
  const jobs = {
    queued: [fakeJob("QUEUED", { name: "Waiting" })],
    running: [fakeJob("RUNNING", { name: "Busy" })],
    errored: [fakeJob("ERROR", { name: "Broken" })],
    exited: [fakeJob("EXITED", { name: "Done", graph: null })],
  };
  await serveJobs(page, jobs);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/api\/v3\/jobs\?/, async (route) => {
    await held;
    await route.fallback();
  });
  await page.goto(address("/designer/processors"));
  await expect(page.getByText("Loading sessions")).toBeVisible();
  await expect(page.getByText("Select a processor to view logs")).toBeVisible();
  release();
  const sessions = page.getByTestId("session");
  await expect(sessions).toHaveCount(4);
  await expect(sessions.getByRole("link")).toHaveText(["Waiting", "Busy", "Broken", "Done"]);
  const list = page.getByRole("complementary", { name: "Sessions" });
  await expect(list).toHaveCSS("width", "416px");

  const [queued, busy, broken, done] = [0, 1, 2, 3].map((at) => sessions.nth(at));
  if (!queued || !busy || !broken || !done) throw new Error("Four sessions are on the page.");
  await expect(queued).not.toContainText("Ch");
  await expect(queued).not.toContainText("$");
  await expect(queued.getByTestId("session-icon")).toBeVisible();
  await expect(queued.locator("time")).toHaveText(/ago$/);
  await expect(queued.getByRole("button")).toHaveCount(0);
  for (const figure of ["$1.23", "2 Ch", "2 GBh", "3 GB"]) await expect(busy).toContainText(figure);
  await expect(busy.locator("time")).toHaveText(/ago$/);
  await expect(queued.getByTestId("session-icon")).toHaveClass(/animate-pulse/);
  await expect(busy.getByTestId("session-icon")).toHaveAttribute("data-colour", "blue");
  await expect(broken.getByRole("img", { name: "Exited with errors" })).toBeVisible();
  await expect(done.getByRole("img", { name: "Ran to completion" })).toBeVisible();

  const openMenu = (session: typeof busy) => session.getByRole("button", { name: /^Menu of/ }).click();
  await openMenu(broken);
  await expect(page.getByRole("menuitem", { name: "Go to Project" })).toHaveAttribute(
    "href",
    "/designer/projects/project/graphs/graph",
  );
  await expect(page.getByRole("menuitem", { name: "Force Stop" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await openMenu(done);
  await expect(page.getByRole("menuitem", { name: "Go to Project" })).toHaveCount(0);
  await expect(page.getByRole("menuitem", { name: "Force Stop" })).toHaveCount(0);
  await page.keyboard.press("Escape");

  await openMenu(busy);
  await expect(page.getByRole("menuitem", { name: "Force Stop" })).toBeVisible();
  await page.keyboard.press("Escape");

  // A stopping session shows so at once, even while a fetched list still shows it as running.
  let answer: () => void = () => undefined;
  await page.route(/\/cancel$/, async (route) => {
    await new Promise<void>((resolve) => (answer = resolve));
    await route.fulfill({ json: jobs.running[0] });
  });
  await openMenu(busy);
  await page.getByRole("menuitem", { name: "Force Stop" }).click();
  await expect(busy.getByRole("img", { name: "Stopping" })).toBeVisible();
  const again = page.waitForResponse(/\/api\/v3\/jobs\?/);
  answer();
  await again;
  await expect(busy.getByRole("img", { name: "Stopping" })).toBeVisible();

  await broken.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/designer/processors/${jobs.errored[0]?.id}$`));
  await expect(broken.getByRole("link")).toHaveAttribute("aria-current", "page");
  const [left, right] = [await list.boundingBox(), await page.getByRole("region", { name: "Logs" }).boundingBox()];
  expect(right?.x).toBeGreaterThanOrEqual((left?.x ?? 0) + (left?.width ?? 0));
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(list).toBeHidden();
  await page.getByTestId("back-link").click();
  await expect(list).toBeVisible();
  await openMenu(broken);
  await page.getByRole("menuitem", { name: "Go to Project" }).click();
  await expect(page).toHaveURL(address("/designer/projects/project/graphs/graph"));
});

test("shows the pause again after the connection was lost", async ({ page, context, person: _person }) => {
  const { graph, nodes, path } = await makeProgram(context, program);
  const [node = 0] = nodes;
  await giveToken(context);
  await storeBreakpoints(page, graph, { [node]: [8] });
  await page.goto(address(path));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Breakpoint hit" })).toBeVisible();
  // A reload is the hardest break: the page has no earlier events.
  await page.reload();
  await expect(page.getByRole("region", { name: "Breakpoint hit" })).toContainText(`Node ${node}, line 8`);
  await expect(label(page)).toHaveText("Paused");
  await page.getByRole("button", { name: "Continue (F5)" }).first().click();
  await expect(page.getByTestId("log-lines")).toContainText("counting ends");
});
