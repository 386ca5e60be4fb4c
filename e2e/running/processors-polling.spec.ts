import { expect } from "@playwright/test";

import { callsTo, intervalOf, recordCalls } from "../drivers/calls.ts";
import { address, test } from "../drivers/people.ts";
import { fakeJob, label, makeProgram, openProcessor, serveJobs } from "../drivers/sessions.ts";

const program = "from miranda import Node\n\nclass Quiet(Node):\n    def run(self):\n        pass\n";

test("polls the processor and its log, each at its own interval", async ({ page, context, person: _person }) => {
  test.slow();
  const { path } = await makeProgram(context, program);
  await page.clock.install();
  await recordCalls(page);
  await page.goto(address(path));
  await openProcessor(page);
  await expect(label(page)).toHaveText("Not Connected");
  await page.getByRole("button", { name: "Logs" }).click();
  await page.clock.pauseAt(Date.now() + 60_000);
  expect(Math.abs((await intervalOf(page, /\/processor$/)) - 23_100)).toBeLessThanOrEqual(600);
  expect(Math.abs((await intervalOf(page, /\/processor\/logs$/)) - 30_000)).toBeLessThanOrEqual(600);
});

test("S7-075 loads a past session once, however long it is open", async ({ page, context, person: _p }) => {
  const { path, graph, project } = await makeProgram(context, program);
  const job = fakeJob("EXITED", { graph: { project_id: project, graph_id: graph } });
  await serveJobs(page, { queued: [], running: [], errored: [], exited: [job] });
  await page.clock.install();
  await recordCalls(page);
  await page.goto(address(path));
  await openProcessor(page);
  await page.getByTestId("recent-session").click();
  await expect(page.getByText("This session printed nothing.")).toBeVisible();
  await page.clock.runFor(40_000);
  await page.getByRole("button", { name: "Back" }).click();
  await expect(page.getByRole("heading", { name: "Recent Sessions" })).toBeVisible();
  expect(await callsTo(page, new RegExp(`/jobs/${job.id}$`))).toHaveLength(1);
});

test("polls a session every 9.3 s and the list every minute", async ({ page, person: _person }) => {
  test.slow();
  const job = fakeJob("RUNNING");
  await page.clock.install();
  // With a moved clock the socket would think that it is dead, and refetch when it reconnects.
  await page.route(/\/ws\/socket\.io/, (route) => route.abort());
  await page.routeWebSocket(/\/ws\/socket\.io/, (socket) => socket.close());
  await serveJobs(page, { queued: [], running: [job], errored: [], exited: [] });
  await recordCalls(page);
  await page.goto(address(`/designer/processors/${job.id}`));
  await expect(page.getByTestId("session")).toHaveCount(1);
  await page.clock.pauseAt(Date.now() + 70_000);
  expect(Math.abs((await intervalOf(page, new RegExp(`/jobs/${job.id}$`))) - 9_300)).toBeLessThanOrEqual(600);
  expect(Math.abs((await intervalOf(page, /\/api\/v3\/jobs\?/)) - 60_000)).toBeLessThanOrEqual(600);
});
