import { expect } from "@playwright/test";

import type { ExperimentList } from "@miranda/contract/schemas/models/compare.ts";

import { openEditor } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, label, makeProgram } from "../drivers/sessions.ts";
import { findModel, newName, openTracking } from "../drivers/training.ts";

// Every training makes a version, and each leads back to its run.

const program = (name: string) => `import miranda
from miranda import Node

class Fit(Node):
    cache = False

    def run(self):
        for step in range(20):
            miranda.log_metric("loss", 1 / (step + 1), step=step)
        miranda.log_model("${name}", metrics={"loss": 0.05, "accuracy": 0.9})
        print("fitted")
`;

test.afterEach(({ context }) => endSessions(context));

test("a node that trains twice makes two versions with charts", async ({ page, context, person: _person }) => {
  test.slow();
  const name = newName("tide-net");
  await giveToken(context);
  const { path, project, graph } = await makeProgram(context, program(name));
  await openEditor(page, path);
  for (const times of [1, 2]) {
    await runButton(page).click();
    await expect
      .poll(async () => ((await page.getByTestId("log-lines").textContent()) ?? "").split("fitted").length - 1, {
        timeout: 60_000,
      })
      .toBe(times);
    await expect(label(page)).toHaveText("Ready");
  }
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}`));
  await expect(page.getByTestId("model-header")).toContainText("2 versions in Tides from Forecast");
  await expect(page.getByTestId("version")).toHaveCount(2);
  await page.getByRole("button", { name: "Version 2", exact: true }).click();
  const details = page.getByTestId("version-details");
  await expect(details.getByRole("link", { name: "Step 1" })).toBeVisible();
  await expect(details.getByRole("link", { name: "Open the run" })).toHaveAttribute("href", /^\/designer\/runs\//);

  // The files that the run logged are on its page.
  await details.getByRole("link", { name: "Open the run" }).click();
  await page
    .getByRole("navigation", { name: "Parts of the run" })
    .getByRole("link", { name: "Files", exact: true })
    .click();
  await expect(page.getByText("This run logged no files")).toBeVisible();
  const runId = /runs\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? "";
  const listed = await context.request.get(address(`/api/v3/projects/${project}/experiments`));
  const experiment = ((await listed.json()) as ExperimentList).find(({ graph_id }) => graph_id === graph)?.number;
  const { upload } = await openTracking(context, project);
  await upload(`${experiment}/${runId.replaceAll("-", "")}/artifacts/notes.txt`, "High water.");
  await page.reload();
  await page
    .getByRole("tree", { name: "Files of the run" })
    .getByRole("button", { name: /^notes\.txt/ })
    .click();
  await expect(page.getByTestId("file-preview")).toContainText("High water.");

  await page.goto(address(`/designer/models/${id}`));
  await page.getByRole("link", { name: "Charts", exact: true }).click();
  const loss = page.getByRole("region", { name: "loss", exact: true });
  await expect(loss.getByTestId("chart-line")).toHaveCount(2);

  // Only metrics were logged, so there is nothing to load.
  await page.getByRole("link", { name: "Use it", exact: true }).click();
  await expect(page.getByText("This version has no files, only metrics.")).toBeVisible();
  await page.getByRole("link", { name: "Files", exact: true }).click();
  await expect(page.getByText("This version has no files")).toBeVisible();
});
