import { expect } from "@playwright/test";

import { callsTo, intervalOf, noteCalls } from "../drivers/calls.ts";
import { address, test } from "../drivers/people.ts";
import { fakeJob, label, makeProgram, serveJobs } from "../drivers/sessions.ts";

const program = "from miranda import Node\n\nclass Quiet(Node):\n    def run(self):\n        pass\n";

test("the processor and its log are asked for in their own time", async ({ page, context, person: _person }) => {
  test.slow();
  const { path } = await makeProgram(context, program);
  await page.clock.install();
  await noteCalls(page);
  await page.goto(address(path));
  await expect(label(page)).toHaveText("Not Connected");
  await page.clock.pauseAt(Date.now() + 60_000);
  expect(Math.abs((await intervalOf(page, /\/processor$/)) - 23_100)).toBeLessThanOrEqual(600);
  expect(Math.abs((await intervalOf(page, /\/processor\/logs$/)) - 30_000)).toBeLessThanOrEqual(600);
});

test("a past session is loaded once, however long it is looked at (S7-075)", async ({ page, context, person: _p }) => {
  const { path, graph, project } = await makeProgram(context, program);
  const job = fakeJob("EXITED", { graph: { project_id: project, graph_id: graph } });
  await serveJobs(page, { queued: [], running: [], errored: [], exited: [job] });
  await page.clock.install();
  await noteCalls(page);
  await page.goto(address(path));
  await page.getByTestId("recent-session").click();
  await expect(page.getByText("This session printed nothing.")).toBeVisible();
  await page.clock.runFor(40_000);
  await page.getByRole("button", { name: "Back" }).click();
  await expect(page.getByRole("heading", { name: "Recent Sessions" })).toBeVisible();
  expect(await callsTo(page, new RegExp(`/jobs/${job.id}$`))).toHaveLength(1);
});

test("a session is polled every 9.3 s, the list every minute", async ({ page, person: _person }) => {
  test.slow();
  const job = fakeJob("RUNNING");
  await page.clock.install();
  // With this clock the socket would think itself dead, and ask again when it is back.
  await page.route(/\/ws\/socket\.io/, (route) => route.abort());
  await page.routeWebSocket(/\/ws\/socket\.io/, (socket) => socket.close());
  await serveJobs(page, { queued: [], running: [job], errored: [], exited: [] });
  await noteCalls(page);
  await page.goto(address(`/designer/processors/${job.id}`));
  await expect(page.getByTestId("session")).toHaveCount(1);
  await page.clock.pauseAt(Date.now() + 70_000);
  expect(Math.abs((await intervalOf(page, new RegExp(`/jobs/${job.id}$`))) - 9_300)).toBeLessThanOrEqual(600);
  expect(Math.abs((await intervalOf(page, /\/api\/v3\/jobs\?/)) - 60_000)).toBeLessThanOrEqual(600);
});
