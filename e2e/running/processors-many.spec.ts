import { expect, type Page } from "@playwright/test";

import { address, test } from "../drivers/people.ts";
import { fakeJob, makeProgram, openProcessor, serveJobs, tapSocket } from "../drivers/sessions.ts";

const sessions = (page: Page) => page.getByTestId("session");
const inGroup = (page: Page, group: string) => page.getByTestId(`sessions-${group}`).getByTestId("session");
const heading = (page: Page, name: string) => page.getByRole("heading", { name: new RegExp(`^${name}`) });

/** Scrolls to the end until this session is there. */
async function scrollTo(page: Page, name: string): Promise<void> {
  await expect(async () => {
    await page.getByTestId("session-list").evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
    await expect(page.getByRole("link", { name, exact: true })).toBeVisible({ timeout: 300 });
  }).toPass();
}

test("loads older sessions while a person scrolls, and draws only those in view", async ({ page, person: _person }) => {
  const running = fakeJob("RUNNING", { name: "Busy" });
  const ended = Array.from({ length: 500 }, (_, at) =>
    fakeJob(at % 10 === 0 ? "ERROR" : "EXITED", { name: `Past ${at}` }),
  );
  await serveJobs(page, {
    queued: [],
    running: [running],
    errored: ended.filter(({ workflow_state }) => workflow_state === "ERROR"),
    exited: ended.filter(({ workflow_state }) => workflow_state === "EXITED"),
  });
  const calls: string[] = [];
  page.on("request", (request) => {
    if (/\/api\/v3\/jobs\?/.test(request.url()))
      calls.push(new URL(request.url()).searchParams.get("after") ?? "first");
  });
  const push = await tapSocket(page);
  await page.goto(address("/designer/processors"));
  await expect(inGroup(page, "running")).toHaveCount(1);
  await expect(heading(page, "Running")).toHaveText("Running1");
  await expect(heading(page, "Errored")).toHaveText(/^Errored\d+\+$/);
  await expect(heading(page, "Exited")).toHaveText(/^Exited\d+\+$/);
  expect(await sessions(page).count()).toBeLessThan(60);

  // What a person looks at stays where it is, although the errored sessions of the next page come in above it.
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(/[?&]after=/, async (route) => {
    await held;
    await route.fallback();
  });
  await scrollTo(page, "Past 99");
  await expect(page.getByText("Loading older sessions")).toBeVisible();
  const link = page.getByRole("link", { name: "Past 99", exact: true });
  const before = await link.boundingBox();
  release();
  await expect(heading(page, "Errored")).toHaveText("Errored20+");
  await expect(link).toBeInViewport();
  await expect.poll(async () => Math.abs(((await link.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(3);

  await scrollTo(page, "Past 499");
  await expect(heading(page, "Errored")).toHaveText("Errored50");
  await expect(heading(page, "Exited")).toHaveText("Exited450");
  expect(await sessions(page).count()).toBeLessThan(60);
  await expect(page.locator("li", { has: page.getByRole("link", { name: "Past 499", exact: true }) })).toHaveAttribute(
    "aria-posinset",
    "450",
  );
  // Every page was asked for once.
  const older = calls.filter((after) => after !== "first");
  expect(new Set(older).size).toBe(older.length);

  // An event moves a session between the groups of a list that was loaded in pages.
  const { logs: _logs, ...update } = running;
  await push("update[DOCKER_JOB]", { ...update, workflow_state: "ERROR", revision: 5 });
  await expect(heading(page, "Running")).toHaveCount(0);
  await expect(heading(page, "Errored")).toHaveText("Errored51");

  // Choosing one by the keyboard opens its log and keeps the list.
  await page.getByRole("link", { name: "Past 499", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/designer/processors/${ended[499]?.id}$`));
  await expect(page.getByRole("link", { name: "Past 499", exact: true })).toHaveAttribute("aria-current", "page");
});

test("says that older sessions could not be loaded, and loads them when asked again", async ({
  page,
  person: _person,
}) => {
  const exited = Array.from({ length: 150 }, (_, at) => fakeJob("EXITED", { name: `Past ${at}` }));
  await serveJobs(page, { queued: [], running: [], errored: [], exited });
  await page.route(/[?&]after=/, (route) => route.fulfill({ status: 500, body: "The database is away." }));
  await page.goto(address("/designer/processors"));
  await scrollTo(page, "Past 99");
  await expect(page.getByText("Older sessions could not be loaded")).toBeVisible();
  await expect(page.getByText("The database is away.")).toBeVisible();
  await page.unroute(/[?&]after=/);
  await page.getByRole("button", { name: "Try again" }).click();
  await scrollTo(page, "Past 149");
  await expect(heading(page, "Exited")).toHaveText("Exited150");
});

test("shows the newest sessions beside a graph, and older ones on request", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph, project } = await makeProgram(context, "from miranda import Node\n");
  const place = { graph: { project_id: project, graph_id: graph } };
  const exited = Array.from({ length: 45 }, () => fakeJob("EXITED", place));
  await serveJobs(page, { queued: [], running: [], errored: [], exited });
  await page.goto(address(path));
  await openProcessor(page);
  const recent = page.getByTestId("recent-session");
  await expect(recent).toHaveCount(20);
  const more = page.getByRole("button", { name: "Show older sessions" });
  await more.click();
  await expect(recent).toHaveCount(40);
  await more.click();
  await expect(recent).toHaveCount(45);
  await expect(more).toHaveCount(0);
});
