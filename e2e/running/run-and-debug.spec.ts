import { expect, type Page } from "@playwright/test";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { addAt, card, handle, join, openEditor, stored } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { address, password, test } from "../drivers/people.ts";
import { hit, load, report, runButton, sum } from "../drivers/running.ts";
import { endSessions, giveToken, label, openProcessor, revokeTokens } from "../drivers/sessions.ts";
import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";

// Two people work on one workflow: write, run, pause, step, fail, fix, run what changed, and look at the past session.

const fixedReport = report.replace("lowest", "highest");

test.afterEach(({ context }) => endSessions(context));

/** Replaces the code of the open node and commits it. */
async function writeAndCommit(page: Page, code: string): Promise<void> {
  await page.locator(".cm-content:visible").click();
  await page.keyboard.press("Control+a");
  // Paste it: the editor would indent typed text.
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

test("lets two people write three nodes, debug, fail, fix and run what changed", async ({
  page,
  context,
  browser,
  person,
}) => {
  test.setTimeout(240_000);
  const project = await makeProject(context, "Tides");
  const graph = await makeWorkflow(context, project, "Forecast");
  const path = `/designer/projects/${project}/graphs/${graph}`;
  const other = await joinProject(browser, context, project, "Bea");
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

  // Set a breakpoint with F9 in the code.
  await page.goto(address(`${path}/code/${second}`));
  await page.getByText("time.sleep(0.02)").click();
  await page.keyboard.press("F9");
  await openEditor(page, path);
  await openProcessor(page);
  await expect(page.getByRole("region", { name: "Breakpoints" })).toContainText("line 11");

  // Connect them.
  await join(page, handle(page, "Load", "t:rows"), handle(page, "Sum", "r:rows"));
  await join(page, handle(page, "Sum", "t:total"), handle(page, "Report", "r:total"));
  await expect.poll(async () => (await stored(context, graph)).edges.length).toBe(2);

  // Start: cancel the token modal first, then answer it.
  await openEditor(other.page, path);
  await revokeTokens(context);
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

  // Both see the same pause and its variables.
  for (const one of [page, other.page]) {
    await expect(hit(one)).toContainText(`Node ${second}, line 11`);
    await expect(hit(one).getByRole("treeitem", { name: "total: 66" })).toBeVisible();
    await expect(label(one)).toHaveText("Paused");
  }
  // One steps, the other continues, and each sees who did it.
  await page.keyboard.press("F10");
  for (const one of [page, other.page]) await expect(hit(one)).toContainText(`Node ${second}, line 12`);
  await expect(other.page.getByTestId("last-action")).toContainText(`${person.firstName} stepped over`);
  await other.page.getByRole("button", { name: "Continue (F5)" }).first().click();
  await expect(page.getByTestId("last-action")).toContainText("Bea continued");
  await expect(page.getByText("Bea continued.", { exact: true })).toBeVisible();
  await expect(other.page.getByTestId("last-action")).toContainText("You continued");

  // Both see the failure.
  for (const one of [page, other.page]) {
    await expect(hit(one)).toHaveCount(0);
    const exception = one.getByRole("region", { name: "Exception" });
    await expect(exception).toContainText("An Error occured in Report");
    await expect(exception.getByTestId("traceback")).toContainText("KeyError: 'lowest'");
  }
  await expect(card(page, "Report").getByTestId("node-run-chip")).toHaveAttribute("data-status", "error");
  await expect(card(page, "Sum").getByTestId("node-run-chip")).toHaveText(/\d+ ms/);
  await expect(card(page, "Load").getByTestId("node-output")).toContainText("Brest");

  // View Code, fix it, and run what changed: the other nodes do not run again.
  await page.getByRole("region", { name: "Exception" }).getByRole("link", { name: "View Code" }).click();
  await expect(page).toHaveURL(address(`${path}/code/${third}`));
  await writeAndCommit(page, fixedReport);
  await page.getByRole("button", { name: "More ways to run" }).click();
  await page.getByRole("menuitem", { name: "Run what changed" }).hover();
  const plan = page.getByTestId("plan");
  // The node with the breakpoint runs; the output of the node before it is reused.
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

  // The filtered log shows that skipped nodes printed nothing again.
  await page.getByPlaceholder("Filter").fill("^loading$");
  await expect(page.getByTestId("log-line")).toHaveCount(1);
  await page.getByPlaceholder("Filter").fill("");
  await openEditor(page, path);
  await expect(card(page, "Load").getByTestId("node-run-chip")).toContainText("unchanged");

  // The session is on the processors page and, once it has ended, among the recent sessions with its cost.
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
