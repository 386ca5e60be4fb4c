import { expect } from "@playwright/test";

import { invite } from "../drivers/canvas.ts";
import { pane, typeAfter } from "../drivers/coding.ts";
import { ageRuns } from "../drivers/database.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";
import { beginRun, endedRun, nodePanel, nodeRow, runRow, runsOf, startSession } from "../drivers/runs.ts";
import { endSessions, makeProgram } from "../drivers/sessions.ts";

test.describe.configure({ timeout: 240_000 });

const count = 10;
const broken = 9;

/** Takes long enough to be kept. The ninth divides by nothing. */
function step(number: number): string {
  const made = number === broken ? "self.given / divisor" : "(self.given or 0) + 1";
  return `import time
from miranda import Node, Receiver, Transmitter


class Step${number}(Node):
    given = Receiver("number")
    made = Transmitter("number")

    def run(self):
        divisor = 0
        time.sleep(0.02)
        print("step ${number} runs")
        self.made.send(${made})
`;
}

test("the day after: somebody else finds the failed run, sees why, fixes the line, resumes, is told, and compares", async ({
  context,
  browser,
  person: ada,
}) => {
  // A run of ten nodes fails at the ninth, and nobody has the page open.
  const programs = Array.from({ length: count }, (_, at) => step(at + 1));
  const { project, graph, nodes, path } = await makeProgram(context, ...programs);
  for (let at = 1; at < count; at += 1) {
    const form = { from_id: nodes[at - 1] ?? 0, to_id: nodes[at] ?? 0, transmitter_key: "made", receiver_key: "given" };
    expect((await context.request.post(address("/api/v3/objects/edges"), { form })).status()).toBe(200);
  }
  await startSession(context, graph);
  await beginRun(context, graph);
  const failed = await endedRun(context, graph);
  const continuation = address(`/api/v3/graphs/${graph}/continuation`);
  await expect.poll(async () => (await context.request.get(continuation)).json()).toMatchObject({ kept: 8, nodes: 10 });
  await endSessions(context);
  await ageRuns(graph, 1);

  // The next day, somebody else finds it in the list.
  const { context: other, page } = await newBrowser(browser);
  const mary = await signIn(other, newPerson("Mary"));
  await invite(context, project, mary.username, "editor");
  const told = await other.request.put(address("/api/v3/accounts/notification-settings"), { form: { min_seconds: 0 } });
  expect(told.status(), await told.text()).toBe(200);
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("main").getByRole("link", { name: "Runs" }).click();
  await expect(runRow(page, "Failed")).toContainText(`Step ${broken} failed`);
  await expect(runRow(page, "Failed")).toContainText("1 day ago");
  await runRow(page, "Failed").click();

  // The timeline, and the variables at the crash.
  await expect(page.getByTestId("run-header")).toContainText(ada.firstName);
  await expect(page.getByTestId("run-node")).toHaveCount(count);
  await expect(nodeRow(page, /^Failed.*Step 9/)).toBeVisible();
  await expect(nodeRow(page, /^Not reached.*Step 10/)).toBeVisible();
  await nodeRow(page, /Step 9/).click();
  await expect(nodePanel(page).getByTestId("traceback")).toContainText("ZeroDivisionError");
  await expect(nodePanel(page).getByRole("region", { name: "Variables" })).toContainText("divisor");

  // The code at the line, with the values beside it.
  await page.getByTestId("run-failure").getByRole("link", { name: "Fix and resume" }).click();
  await expect(page).toHaveURL(new RegExp(`${path}/code/${nodes[broken - 1]}`));
  const values = page.getByRole("region", { name: "Values at the crash" });
  await expect(values).toContainText("divisor");
  await expect(pane(page)).toContainText("divisor = 0");
  await typeAfter(page, "divisor = 0", " + 2");
  await values.getByRole("button", { name: "Resume" }).click();

  // Two nodes run; eight are kept.
  const resumed = await endedRun(other, graph, 2);
  expect(resumed).toMatchObject({ state: "done", nodes: { run: 2, kept: 8, failed: 0 } });
  // The other one tells her of the project that was shared.
  await page.getByRole("button", { name: "Notifications, 2 new" }).click();
  await page
    .getByRole("region", { name: "Notifications" })
    .getByRole("link", { name: /Forecast/ })
    .click();
  await expect(page).toHaveURL(new RegExp(`/designer/runs/${resumed.id}`));
  await expect(page.getByTestId("run-header")).toContainText("2 ran, 8 kept");
  await expect(page.locator('[data-testid="run-node"][data-state="kept"]')).toHaveCount(8);

  // Both runs side by side.
  await page.getByRole("button", { name: "Compare with…" }).click();
  await page.getByRole("dialog").getByRole("option").first().click();
  await expect(page).toHaveURL(new RegExp(`compare/${failed.id}$`));
  const ninth = page.getByTestId("compared-node").filter({ hasText: "Step 9" });
  await expect(ninth).toContainText(/Before: Failed.*After: Ran/);
  await page.getByRole("link", { name: "Code and values" }).click();
  await expect(
    page.getByRole("listbox", { name: "Differences" }).getByRole("option", { name: /Step 9/ }),
  ).toBeVisible();
  expect(await runsOf(other, graph)).toHaveLength(2);
  await endSessions(other);
  await other.close();
});
