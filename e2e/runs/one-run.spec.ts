import { expect } from "@playwright/test";

import { card } from "../drivers/canvas.ts";
import { addRunNodes } from "../drivers/database.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";
import { invite } from "../drivers/canvas.ts";
import { beginRun, endedRun, makeFailing, nodePanel, nodeRow, runRow, runsOf, startSession } from "../drivers/runs.ts";
import { report } from "../drivers/running.ts";
import { endSessions, writeCode } from "../drivers/sessions.ts";

test.describe.configure({ timeout: 150_000 });
test.afterEach(({ context }) => endSessions(context));

const healthy = report.replace("lowest", "highest");

test("shows what ran when, and each node's output, log, inputs, exception and reason", async ({
  page,
  context,
  person,
}) => {
  const made = await makeFailing(context);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  const run = await endedRun(context, made.graph);
  await page.goto(address(`/designer/runs/${run.id}`));

  const head = page.getByTestId("run-header");
  await expect(head).toContainText("Failed");
  await expect(head).toContainText(`${person.firstName} Tester`);
  await expect(head).toContainText("2 ran, 1 failed");
  await expect(head).toContainText("Python");
  await expect(page.getByTestId("run-failure")).toContainText("KeyError: 'lowest'");
  await expect(page.getByTestId("run-lanes")).toHaveAttribute("data-lanes", "1");
  await expect(page.getByTestId("run-node")).toHaveText([/Ran.*Load/, /Ran.*Sum/, /Failed.*Report/]);

  // The failed node is one click away, and the place is part of the address.
  await page.getByTestId("run-failure").getByRole("link", { name: "Report" }).click();
  await expect(page).toHaveURL(new RegExp(`node=${made.report.metadata_id}$`));
  const panel = nodePanel(page);
  await expect(panel.getByTestId("traceback")).toContainText('limit["lowest"]');
  await expect(panel.getByText("It showed nothing.")).toBeVisible();
  await expect(panel.getByTestId("node-reason")).not.toBeEmpty();
  // The session lives, so the value that the node received can still be looked at.
  await expect(panel.getByTestId("input-sample")).toContainText("from Sum");
  await expect(panel.getByTestId("input-sample")).toContainText("66");

  await nodeRow(page, "Load").click();
  await expect(panel.getByTestId("run-outputs")).toContainText("Brest");
  await expect(panel.getByTestId("log-lines")).toContainText("loading");
  await expect(panel.getByTestId("log-lines")).not.toContainText("total is");
  await page.reload();
  await expect(panel.getByTestId("run-outputs")).toContainText("Brest");

  // By keyboard: choose, zoom, show everything, read, close.
  await page.getByTestId("run-timeline").focus();
  await page.keyboard.press("ArrowDown");
  await expect(nodeRow(page, "Sum")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("+");
  await expect(page.getByRole("button", { name: "Zoom out (-)" })).toBeEnabled();
  await page.keyboard.press("0");
  await expect(page.getByRole("button", { name: "Zoom out (-)" })).toBeDisabled();
  await page.keyboard.press("Enter");
  await expect(panel).toBeFocused();
  await panel.getByRole("button", { name: "Close" }).click();
  await expect(panel).toHaveCount(0);

  // The pointer sees the numbers.
  await nodeRow(page, "Load").hover();
  await expect(page.getByTestId("timeline-hover")).toContainText("Ran");

  await page.getByRole("link", { name: "Log", exact: true }).click();
  await expect(page.getByTestId("log-lines")).toContainText("loading");
  await expect(page.getByTestId("log-lines")).toContainText("total is 66");

  await page.getByRole("link", { name: "Graph", exact: true }).click();
  await expect(card(page, "Load")).toHaveAttribute("data-ran", "done");
  await expect(card(page, "Report")).toHaveAttribute("data-ran", "error");
  await card(page, "Report").getByTestId("node-name").click();
  await page.getByRole("link", { name: "In the timeline" }).click();
  await expect(panel.getByTestId("traceback")).toBeVisible();
});

test("follows a run while it runs", async ({ page, context, person: _person }) => {
  const made = await makeFailing(context);
  await writeCode(context, made.sum.metadata_id, slowSum);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  const [alive] = await runsOf(context, made.graph);
  await page.goto(address(`/designer/runs/${alive?.id}`));
  await expect(page.getByTestId("run-header")).toContainText("Running");
  await expect(nodeRow(page, /^Running.*Sum/)).toBeVisible({ timeout: 30_000 });
  await expect(nodeRow(page, /^Waiting.*Report/)).toBeVisible();
  await expect(nodeRow(page, /^Failed.*Report/)).toBeVisible({ timeout: 40_000 });
  await expect(page.getByTestId("run-header")).toContainText("Failed");
});

const slowSum = `import time
from miranda import Node, Receiver, Transmitter


class Sum(Node):
    rows = Receiver("table")
    total = Transmitter("number")

    def run(self):
        time.sleep(20)
        self.total.send(66)
`;

test("compares two runs: timings, code and values, outputs and packages", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await makeFailing(context);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  const first = await endedRun(context, made.graph);
  await writeCode(context, made.report.metadata_id, healthy);
  await beginRun(context, made.graph, { mode: "all" });
  const second = await endedRun(context, made.graph, 2);
  await page.goto(address(`/designer/runs/${second.id}`));
  await expect(page.getByTestId("run-header")).toContainText("Done");

  await page.getByRole("button", { name: "Compare with…" }).click();
  await page.getByRole("dialog").getByRole("option").first().click();
  await expect(page).toHaveURL(new RegExp(`/runs/${second.id}/compare/${first.id}$`));
  const report = page.getByTestId("compared-node").filter({ hasText: "Report" });
  await expect(report).toContainText("Failed");
  await expect(report).toContainText("Ran");

  await page.getByRole("link", { name: "Code and values" }).click();
  await expect(page.getByTestId("comparison")).toContainText("Report");
  await expect(page.getByRole("option", { name: /Report/ })).toBeVisible();
  await page.getByRole("link", { name: "Outputs" }).click();
  await expect(page.getByRole("region", { name: "Before" })).toContainText("Brest");
  await expect(page.getByRole("region", { name: "After" })).toContainText("Brest");
  await page.getByRole("link", { name: "Packages" }).click();
  await expect(page.getByTestId("same-packages")).toBeVisible();

  await page.getByRole("link", { name: "Swap the sides" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${first.id}/compare/${second.id}$`));
  // A comparison with a run that does not exist says so, and the run stays readable.
  await page.goto(address(`/designer/runs/${first.id}/compare/0190c8a0-0000-7000-8000-000000000000`));
  await expect(page.getByRole("alert")).toContainText("Run not found");
  await expect(page.getByTestId("run-header")).toContainText("Failed");
});

test("runs again exactly what an earlier run ran, in a session that it starts", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await makeFailing(context);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  const first = await endedRun(context, made.graph);
  await endSessions(context);
  await expect
    .poll(async () => {
      const answer = await context.request.get(address(`/api/v3/graphs/${made.graph}/processor`));
      return ((await answer.json()) as { workflow_state?: string } | null)?.workflow_state ?? "EXITED";
    })
    .toBe("EXITED");
  // The workflow would no longer fail.
  await writeCode(context, made.report.metadata_id, healthy);

  await page.goto(address(`/designer/runs/${first.id}`));
  await page.getByRole("button", { name: "Run again exactly so" }).click();
  const dialog = page.getByRole("dialog", { name: "Run again exactly so" });
  await expect(dialog).toContainText("A new session starts.");
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page).not.toHaveURL(new RegExp(first.id), { timeout: 60_000 });
  await expect(page.getByTestId("run-header")).toContainText("an earlier run");
  await expect(nodeRow(page, /^Failed.*Report/)).toBeVisible({ timeout: 40_000 });
  expect(await runsOf(context, made.graph)).toHaveLength(2);
});

test("says that a run was deleted while somebody looks at it, and stays readable", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const made = await makeFailing(context);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  const run = await endedRun(context, made.graph);
  const other = await newBrowser(browser);
  const mary = await signIn(other.context, newPerson("Mary"));
  await invite(context, made.project, mary.username, "viewer");
  await other.page.goto(address(`/designer/runs/${run.id}`));
  await expect(nodeRow(other.page, "Report")).toBeVisible();

  await page.goto(address(`/designer/runs/${run.id}`));
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/designer\/runs\?graph=/);
  await expect(page.getByText("No runs yet")).toBeVisible();

  await expect(other.page.getByTestId("run-gone")).toContainText("This run was deleted.");
  await nodeRow(other.page, "Report").click();
  await expect(nodePanel(other.page).getByTestId("traceback")).toContainText("KeyError");
  await expect(other.page.getByRole("button", { name: "Compare with…" })).toBeDisabled();
  await other.page.reload();
  await expect(other.page.getByText("Run not found")).toBeVisible();
  await other.context.close();
});

test("stays small on the page with five thousand nodes", async ({ page, context, person: _person }) => {
  const made = await makeFailing(context);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  const run = await endedRun(context, made.graph);
  await addRunNodes(run.id, 5_000);
  await page.goto(address(`/designer/runs/${run.id}`));
  await expect(page.getByTestId("run-timeline")).toHaveAttribute("data-count", "5003");
  await expect(page.getByTestId("run-lanes")).toHaveAttribute("data-lanes", "2");
  await page.getByTestId("run-timeline").focus();
  await page.keyboard.press("End");
  await expect(nodeRow(page, /Part 4999|Part 5000/).first()).toBeVisible();
  // Only what is in view is on the page.
  expect(await page.getByTestId("run-node").count()).toBeLessThan(80);
  await page.getByPlaceholder("Filter nodes").fill("report");
  await expect(page.getByTestId("run-node")).toHaveCount(1);
});

test("leads to a run from the editor, the history and Ctrl K", async ({ page, context, person: _person }) => {
  const made = await makeFailing(context);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  await endedRun(context, made.graph);
  await page.goto(address(`${made.path}/history`));
  await page.getByRole("link", { name: "1 run" }).click();
  await expect(page).toHaveURL(/version=/);
  await expect(runRow(page, "Failed")).toBeVisible();

  await page.goto(address(made.path));
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  // The bar has such a link, too, where there is space for it.
  await page.getByRole("region", { name: "Recent Sessions" }).getByRole("link", { name: "Runs" }).click();
  await expect(runRow(page, "Failed")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByPlaceholder("Type a command or search...")).toBeFocused();
  await page.keyboard.type("runs");
  await page.getByRole("option", { name: "Runs", exact: true }).click();
  await expect(page).toHaveURL(/\/designer\/runs$/);
  await expect(runRow(page, "Failed")).toBeVisible();
});
