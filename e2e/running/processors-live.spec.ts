import { readFile } from "node:fs/promises";
import { expect } from "@playwright/test";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { openEditor } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import {
  endSessions,
  fakeJob,
  giveToken,
  label,
  makeProgram,
  openProcessor,
  serveJobs,
  tapSocket,
} from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

test("updates the processors page while a session runs, also for another person's session", async ({
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
  const other = await joinProject(browser, context, project, "Bea");
  await openEditor(page, path);
  await openProcessor(page);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(label(page)).toHaveText("Ready");

  const job = (await (await context.request.get(address(`/api/v3/graphs/${graph}/processor`))).json()) as JobSummary;
  const watching = other.page
    .waitForEvent("websocket")
    .then((socket) => socket.waitForEvent("framesent", ({ payload }) => String(payload).includes("watch_project")));
  await other.page.goto(address(`/designer/processors/${job.id}`));
  const session = other.page.locator(`[data-id="${job.id}"]`);
  await expect(session).toHaveAttribute("data-state", "READY");
  await watching;
  // From here on calls fail: everything shown comes from socket events.
  await other.page.route(/\/api\/v3\/jobs/, (route) =>
    route.request().url().includes("before=") ? route.continue() : route.abort(),
  );
  await runButton(page).click();
  await expect(other.page.getByText("line 14999", { exact: true })).toBeVisible();
  await expect(other.page.getByText("waits", { exact: true })).toBeVisible();
  // Watching the log does not make a person a collaborator of the workflow.
  await expect(page.getByTestId("collaborators").getByRole("listitem")).toHaveCount(1);

  // A download has the whole log, however far the person has scrolled.
  await other.page.unroute(/\/api\/v3\/jobs/);
  await other.page.reload();
  await expect(other.page.getByText("waits", { exact: true })).toBeVisible();
  const saving = other.page.waitForEvent("download");
  await other.page.getByRole("button", { name: "Download" }).click();
  const saved = await readFile(await (await saving).path(), "utf8");
  expect(saved.split("\n").filter((line) => / line \d+$/.test(line))).toHaveLength(15_000);

  // Scrolling up loads earlier lines, window by window, up to the first.
  await other.page.reload();
  const log = other.page.getByTestId("log-lines");
  await expect(other.page.getByText("waits", { exact: true })).toBeVisible();
  await expect(log).toHaveAttribute("data-count", "10000");
  await log.evaluate((element) => (element.scrollTop = 0));
  await expect(log).toHaveAttribute("data-count", /^15\d\d\d$/);
  await log.evaluate((element) => (element.scrollTop = 0));
  await expect(other.page.getByText("line 0", { exact: true })).toBeVisible();
  await expect(other.page.getByRole("button", { name: "Load earlier lines" })).toHaveCount(0);

  // A line links to its node's code.
  const printed = other.page.getByTestId("log-line").filter({ hasText: /^line 3$/ });
  await printed.hover();
  await printed.getByRole("link").click();
  await expect(other.page).toHaveURL(address(`${path}/code/${nodes[0]}`));
  await other.context.close();
});

test("keeps a newer event when an older list arrives after it", async ({ page, person: _person }) => {
  const job = fakeJob("RUNNING", { revision: 3 });
  await serveJobs(page, { queued: [], running: [job], errored: [], exited: [] });
  await page.route(/\/cancel$/, (route) => route.fulfill({ json: { ...job, workflow_state: "KILLING", revision: 4 } }));
  const push = await tapSocket(page);
  await page.goto(address("/designer/processors"));
  const session = page.locator(`[data-id="${job.id}"]`);
  await expect(session).toHaveAttribute("data-state", "RUNNING");
  // The page asks for the list again when its socket is ready. Wait for that, or it would count as the stop's request.
  const { logs: _ownLogs, ...same } = job;
  await push("update[DOCKER_JOB]", { ...same, workflow_state: "READY" });
  await expect(session).toHaveAttribute("data-state", "READY");

  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const asked = page.waitForRequest(/\/api\/v3\/jobs\?/);
  const ended = { ...job, workflow_state: "EXITED" as const, revision: 5 };
  let requests = 0;
  await page.route(/\/api\/v3\/jobs\?/, async (route) => {
    requests += 1;
    // Only the first answer is old. The page may ask again at any time, and gets what the server knows by then.
    if (requests > 1)
      return route.fulfill({ json: { queued: [], running: [], errored: [], exited: [ended], next: null } });
    await held;
    await route.fallback();
  });
  await page.getByRole("button", { name: /^Menu of/ }).click();
  await page.getByRole("menuitem", { name: "Force Stop" }).click();
  await asked;
  const { logs: _endedLogs, ...update } = ended;
  await push("update[DOCKER_JOB]", update);
  await expect(page.getByTestId("sessions-exited").getByTestId("session")).toHaveCount(1);
  const answered = page.waitForResponse(/\/api\/v3\/jobs\?/);
  release();
  await answered;
  await page.waitForTimeout(300);
  await expect(page.getByTestId("sessions-exited").getByTestId("session")).toHaveCount(1);
});
