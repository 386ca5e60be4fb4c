import { expect } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { card } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { beginRun, endedRun, makeFailing, nodePanel, nodeRow, startSession } from "../drivers/runs.ts";
import { endSessions } from "../drivers/sessions.ts";

test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));

test("has no violations on the list of runs, a run, its parts and dialogs, and a comparison", async ({
  page,
  context,
  person: _person,
}) => {
  await page.goto(address("/designer/runs"));
  await expect(page.getByText("No runs yet")).toBeVisible();
  await audit(page, "no runs");
  const made = await makeFailing(context);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  const first = await endedRun(context, made.graph);
  await beginRun(context, made.graph, { mode: "all" });
  const second = await endedRun(context, made.graph, 2);
  await page.reload();
  await expect(page.getByTestId("run")).toHaveCount(2);
  await audit(page, "runs");
  await page.setViewportSize({ width: 390, height: 844 });
  await audit(page, "runs on a phone");

  await page.goto(address(`/designer/runs/${second.id}`));
  await expect(nodeRow(page, "Report")).toBeVisible();
  await audit(page, "a run on a phone");
  await page.setViewportSize({ width: 1440, height: 900 });
  await nodeRow(page, "Report").click();
  await expect(nodePanel(page).getByTestId("traceback")).toBeVisible();
  await audit(page, "a run");
  await page.getByRole("button", { name: "Compare with…" }).click();
  await expect(page.getByRole("dialog").getByRole("option")).toHaveCount(1);
  await audit(page, "Compare with", "[role=dialog]");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Run again exactly so" }).click();
  await expect(page.getByRole("dialog")).toContainText("session that is open");
  await audit(page, "Run again", "[role=dialog]");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Log", exact: true }).click();
  await expect(page.getByTestId("log-lines")).toContainText("loading");
  await audit(page, "the log of a run", "main");
  await page.getByRole("link", { name: "Graph", exact: true }).click();
  await expect(card(page, "Report")).toBeVisible();
  await audit(page, "the graph of a run", "main");

  await page.getByRole("link", { name: "Metrics", exact: true }).click();
  await expect(page.getByText("This run has logged no metrics.")).toBeVisible();
  await audit(page, "the metrics of a run", "main");

  const comparison = `/designer/runs/${second.id}/compare/${first.id}`;
  for (const part of ["", "/changes", "/outputs", "/packages"]) {
    await page.goto(address(`${comparison}${part}`));
    await expect(page.getByTestId("run-comparison")).toBeVisible();
    await expect(page.getByRole("status", { name: /^Loading/ })).toHaveCount(0);
    await audit(page, `a comparison${part}`, "main");
  }
});
