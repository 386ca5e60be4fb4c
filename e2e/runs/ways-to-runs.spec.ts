import { expect } from "@playwright/test";

import type { ModelsResponse } from "@miranda/contract/schemas/models/models.ts";

import { address, test } from "../drivers/people.ts";
import { report } from "../drivers/running.ts";
import { beginRun, endedRun, makeFailing, startSession } from "../drivers/runs.ts";
import { endSessions, makeProgram, writeCode } from "../drivers/sessions.ts";

// How people come to a run from what it left behind.

test.describe.configure({ timeout: 150_000 });
test.afterEach(({ context }) => endSessions(context));

const trains = `from miranda import Node, log_metric, log_model

class Train(Node):
    def run(self):
        log_metric("loss", 0.5)
        log_metric("loss", 0.25)
        log_model("harbour", {"loss": 0.25})
`;

test("a session whose last run failed says so in the list, and leads to the run", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await makeFailing(context);
  await startSession(context, made.graph);
  await beginRun(context, made.graph);
  const failed = await endedRun(context, made.graph);
  await page.goto(address("/designer/processors"));
  await page.getByRole("link", { name: "The last run failed" }).click();
  await expect(page).toHaveURL(new RegExp(`/designer/runs/${failed.id}$`));
  await expect(page.getByTestId("run-header")).toContainText("Failed");

  // A run that ends well takes the words away while the list is open.
  await page.goto(address("/designer/processors"));
  await expect(page.getByRole("link", { name: "The last run failed" })).toBeVisible();
  await writeCode(context, made.report.metadata_id, report.replace("lowest", "highest"));
  await beginRun(context, made.graph);
  await endedRun(context, made.graph, 2);
  await expect(page.getByRole("link", { name: "The last run failed" })).toHaveCount(0);
});

test("a model leads to the run that trained it, and every part of its page opens", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph } = await makeProgram(context, trains);
  await startSession(context, graph);
  await beginRun(context, graph);
  const run = await endedRun(context, graph);
  await page.goto(address("/designer/models"));
  // Other people's models may have the same name.
  const { json } = (await (await context.request.get(address("/api/v3/models/"))).json()) as ModelsResponse;
  const model = json.find(({ run_id }) => run_id === run.id);
  await page.locator(`a[href$="/designer/models/${model?.id}"]`).click();
  await page.getByRole("link", { name: "Lineage", exact: true }).click();
  await page.getByTestId("lineage-picture").getByTestId("lineage-run").click();
  await expect(page).toHaveURL(new RegExp(`/designer/runs/${run.id}$`));
  await expect(page.getByTestId("run-header")).toContainText("harbour");
  for (const part of ["Graph", "Log", "Metrics", "Timeline"]) {
    await page.getByRole("link", { name: part, exact: true }).click();
    await expect(page.getByRole("link", { name: part, exact: true })).toHaveAttribute("aria-current", "page");
    await expect(page.getByText("Something went wrong")).toHaveCount(0);
    if (part === "Metrics") await expect(page.getByRole("checkbox", { name: /^loss 0\.25/ })).toBeChecked();
  }
});

test("the metrics of the last run are shown below the code too", async ({ page, context, person: _person }) => {
  const { graph, path, nodes } = await makeProgram(context, trains);
  await startSession(context, graph);
  await page.goto(address(`${path}/code/${nodes[0]}`));
  const metrics = page.getByRole("region", { name: "Metrics of the last run" });
  const log = page.getByRole("region", { name: "Logs", exact: true });
  await page.getByRole("button", { name: "Metrics", exact: true }).click();
  await expect(metrics).toContainText("Run the workflow to see its metrics.");
  await beginRun(context, graph);
  await expect(metrics.getByRole("checkbox", { name: /^loss 0\.25/ })).toBeChecked({ timeout: 30_000 });
  await page.keyboard.press("ControlOrMeta+j");
  await expect(log.first()).toBeVisible();
  await expect(metrics).toHaveCount(0);
  await page.getByRole("button", { name: "Metrics", exact: true }).click();
  await expect(metrics).toBeVisible();
  await expect(log).toHaveCount(0);
});
