import { expect } from "@playwright/test";

import { invite } from "../drivers/canvas.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";
import { beginRun, endedRun, makeFailing, runRow, startSession } from "../drivers/runs.ts";
import { endSessions, makeProgram } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

const quick = `from miranda import Node

class Quick(Node):
    def run(self):
        print("done")
`;

const slow = `import time
from miranda import Node

class Slow(Node):
    def run(self):
        time.sleep(20)
`;

test("lists runs of everything, of a project and of a workflow, and finds them by every filter", async ({
  page,
  context,
  person,
}) => {
  await page.goto(address("/designer"));
  await page.getByTestId("top-bar").getByRole("link", { name: "Runs" }).click();
  await expect(page.getByText("No runs yet")).toBeVisible();

  const failing = await makeFailing(context);
  await startSession(context, failing.graph);
  await beginRun(context, failing.graph);
  await endedRun(context, failing.graph);
  const other = await makeProgram(context, quick);
  await startSession(context, other.graph);
  await beginRun(context, other.graph);
  await endedRun(context, other.graph);

  await page.reload();
  await expect(page.getByTestId("run")).toHaveCount(2);
  await expect(runRow(page, "Failed")).toContainText("Report failed");
  await expect(runRow(page, "Failed")).toContainText("2 ran, 1 failed");
  await expect(runRow(page, "Done")).toContainText("1 ran");

  await page.getByLabel("State").selectOption("Ended badly");
  await expect(page.getByTestId("run")).toHaveCount(1);
  await expect(page).toHaveURL(/state=bad/);
  // The filter is part of the address.
  await page.reload();
  await expect(page.getByTestId("run")).toHaveCount(1);
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page.getByTestId("run")).toHaveCount(2);

  await page.getByLabel("Person").selectOption("Me");
  await expect(page).toHaveURL(new RegExp(`by=${person.username}`));
  await expect(page.getByTestId("run")).toHaveCount(2);
  await page.getByPlaceholder("Search workflows, people, sessions").fill("nothing of that name");
  await expect(page.getByText("No runs match")).toBeVisible();
  await page.getByRole("button", { name: "Remove the filters" }).click();
  await expect(page.getByTestId("run")).toHaveCount(2);
  await expect(page.getByPlaceholder("Search workflows, people, sessions")).toHaveValue("");

  const day = (later: number) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("From").fill(day(-1));
  await expect(page).toHaveURL(/from=/);
  await expect(page.getByTestId("run")).toHaveCount(2);
  await page.getByLabel("From").fill(day(2));
  await expect(page.getByText("No runs match")).toBeVisible();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page.getByTestId("run")).toHaveCount(2);

  // Both workflows have the same name; the project tells them apart.
  await page.goto(address(`/designer/projects/${failing.project}`));
  await page.getByRole("main").getByRole("link", { name: "Runs" }).click();
  await expect(page).toHaveURL(new RegExp(`/projects/${failing.project}/runs$`));
  await expect(page.getByTestId("run")).toHaveCount(1);

  await page.goto(address(other.path));
  await page.getByRole("link", { name: "Runs of this workflow" }).click();
  await expect(page).toHaveURL(new RegExp(`/designer/runs\\?graph=${other.graph}$`));
  await expect(runRow(page, "Done")).toContainText("Only what changed");
  await runRow(page, "Done").click();
  await expect(page.getByRole("heading", { name: /^Run 1/ })).toBeVisible();
  await page.getByTestId("back-link").click();
  await expect(page).toHaveURL(new RegExp(`graph=${other.graph}`));
});

test("shows a run that begins while the list is open, and how it ends", async ({ page, context, person: _person }) => {
  const { graph } = await makeProgram(context, slow);
  await startSession(context, graph);
  await page.goto(address(`/designer/runs?graph=${graph}`));
  await expect(page.getByText("No runs yet")).toBeVisible();
  await beginRun(context, graph);
  const row = page.getByTestId("run");
  await expect(row).toHaveAttribute("data-state", "running", { timeout: 30_000 });
  const first = await row.getByTestId("run-duration").innerText();
  await expect.poll(() => row.getByTestId("run-duration").innerText()).not.toBe(first);
  await expect(row).toHaveAttribute("data-state", "done", { timeout: 40_000 });
  await expect(row).toContainText("1 ran");
});

test("shows members the runs of their projects, and strangers nothing", async ({
  context,
  browser,
  person: _person,
}) => {
  const failing = await makeFailing(context);
  await context.request.patch(address(`/api/v3/projects/${failing.project}`), { form: { visibility: "private" } });
  await startSession(context, failing.graph);
  await beginRun(context, failing.graph);
  const run = await endedRun(context, failing.graph);
  const other = await newBrowser(browser);
  const mary = await signIn(other.context, newPerson("Mary"));
  await other.page.goto(address(`/designer/runs/${run.id}`));
  await expect(other.page.getByText("Run not found")).toBeVisible();
  await other.page.goto(address("/designer/runs"));
  await expect(other.page.getByText("No runs yet")).toBeVisible();

  await invite(context, failing.project, mary.username, "viewer");
  await other.page.goto(address(`/designer/projects/${failing.project}/runs`));
  await runRow(other.page, "Failed").click();
  await expect(other.page.getByTestId("run-header")).toContainText("Failed");
  // A reader changes nothing and starts nothing.
  await expect(other.page.getByRole("button", { name: "Compare with…" })).toBeVisible();
  await expect(other.page.getByRole("button", { name: "Run again exactly so" })).toHaveCount(0);
  await other.page.getByRole("button", { name: "More" }).click();
  await expect(other.page.getByRole("menuitem", { name: "Copy link" })).toBeVisible();
  await expect(other.page.getByRole("menuitem", { name: "Delete…" })).toHaveCount(0);
  await other.context.close();
});
