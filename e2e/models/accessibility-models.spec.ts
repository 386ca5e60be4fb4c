import { expect } from "@playwright/test";

import type { ModelVersionDetails } from "@miranda/contract/schemas/models/versions.ts";

import { audit } from "../drivers/audit.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { serveModels } from "../drivers/models.ts";
import { fitsOnScreen } from "../drivers/fits-on-screen.ts";
import { address, test } from "../drivers/people.ts";
import { findModel, newName, openTracking, train } from "../drivers/training.ts";

test("the pages of models can be read by everybody, and fit a phone", async ({ page, context, person: _person }) => {
  test.slow();
  await serveModels(page, []);
  await page.goto(address("/designer/models"));
  await expect(page.getByRole("region", { name: "How a model comes about" })).toBeVisible();
  await audit(page, "the list without models");
  await page.unrouteAll();
  const name = newName("iris");
  const project = await makeProject(context, "Flowers");
  const tracking = await openTracking(context, project);
  for (const loss of [2, 1])
    await train(tracking, { name, params: { C: "1.0" }, metrics: { loss: [loss, loss / 2], accuracy: [0.9] } });
  const id = await findModel(context, name);
  const base = `/designer/models/${id}`;
  const first = await context.request.get(address(`/api/v3/models/${id}/versions/1`));
  const run = ((await first.json()) as ModelVersionDetails).tracked_run?.id;
  await tracking.upload(`0/${run}/artifacts/notes.txt`, "High water.");
  const old = newName("old");
  await train(tracking, { name: old, params: {}, metrics: {} });
  await context.request.delete(address(`/api/v3/models/${await findModel(context, old)}`));
  for (const [part, shown] of [
    ["/designer/models", page.getByTestId("model").first()],
    [`${base}?version=2`, page.getByTestId("version-details")],
    [`${base}/charts`, page.getByTestId("metric-chart").first()],
    [`${base}/files`, page.getByRole("button", { name: /^MLmodel/ })],
    [`${base}/use`, page.getByRole("button", { name: "Insert as a node" })],
    [`${base}/history`, page.getByText("No alias yet")],
    [`${base}/lineage`, page.getByTestId("lineage")],
    [`${base}/compare?versions=1,2`, page.getByTestId("comparison-table")],
    [`${base}/compare/plots`, page.getByTestId("chosen-run").first()],
    [`/designer/projects/${project}/experiments`, page.getByTestId("chosen-run").first()],
    [`/designer/projects/${project}/experiments/0/runs/${run}`, page.getByRole("tree", { name: "Files of the run" })],
    ["/designer/models/trash", page.getByRole("button", { name: "Delete all for good" })],
  ] as const) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(address(part));
    await expect(shown).toBeVisible();
    if (part.endsWith("/files")) await shown.click();
    await audit(page, part);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(shown).toBeVisible();
    await fitsOnScreen(page, part);
  }
  // On a phone the sections are in a menu.
  await page.goto(address("/designer"));
  await expect(page.getByTestId("top-bar").getByRole("link", { name: "Models" })).toBeHidden();
  await page.getByRole("button", { name: "Sections" }).click();
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Models" }).click();
  await expect(page).toHaveURL(address("/designer/models"));
});
