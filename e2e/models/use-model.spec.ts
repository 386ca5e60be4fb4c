import { expect } from "@playwright/test";

import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { findModel, newName, openTracking, train } from "../drivers/training.ts";

// A version of a model becomes a node of a workflow, and an app of its own.

test("a version is inserted as a node and deployed", async ({ page, context, person: _person }) => {
  test.slow();
  const name = newName("iris");
  const project = await makeProject(context, "Flowers");
  const graph = await makeWorkflow(context, project, "Predictions");
  const tracking = await openTracking(context, project);
  await train(tracking, { name, params: {}, metrics: { accuracy: [0.9] } });
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}/use`));
  await expect(page.getByLabel("Python", { exact: true })).toContainText(`models:/${name}/1`);
  await expect(page.getByLabel("Python", { exact: true })).toContainText('"sepal length": 0.0,');
  await expect(page.getByLabel("Python without packages")).toContainText(
    `/api/v3/models/${id}/versions/1/artifacts.zip`,
  );
  await expect(page.getByRole("table", { name: "Inputs and outputs of the model" })).toContainText("sepal length");

  await page.getByRole("button", { name: "Insert as a node" }).click();
  const dialog = page.getByRole("dialog", { name: "Insert as a node" });
  await expect(dialog.getByRole("button", { name: "Choose a workflow" })).toBeDisabled();
  await dialog.getByText("Predictions").click();
  await dialog.getByRole("button", { name: "Insert and open" }).click();
  await expect(page).toHaveURL(new RegExp(`/designer/projects/${project}/graphs/${graph}`));
  await expect(page.getByText(`models:/${name}/1`).first()).toBeVisible();

  await page.goto(address(`/designer/models/${id}/use`));
  await page.getByRole("button", { name: "Deploy this version" }).click();
  await page.getByLabel("Name of the workflow").fill("Which flower");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page).toHaveURL(new RegExp(`/designer/projects/${project}/deployments/`));
  // The form begins with the inputs of the model.
  const form = page.getByTestId("deploy-dialog");
  await expect(form.getByText(/sepal.length/i).first()).toBeVisible({ timeout: 30_000 });
});
