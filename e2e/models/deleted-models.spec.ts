import { expect, type Page } from "@playwright/test";

import { deploy, forecast } from "../drivers/deployments.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { findModel, newName, openTracking, train } from "../drivers/training.ts";

// Models and versions are deleted, and taken back with what they had.

const version = (page: Page, number: number) => page.locator(`[data-testid=version][data-number="${number}"]`);

async function askToDelete(page: Page, number: number): Promise<void> {
  await version(page, number)
    .getByRole("button", { name: `Actions for version ${number}` })
    .click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
}

test("a version that a deployment follows by its alias is deleted after a question, and gets the alias back", async ({
  page,
  context,
  person,
}) => {
  test.slow();
  const name = newName("iris");
  const { project } = await deploy(context, `${forecast}\n# models:/${name}@champion\n`);
  const tracking = await openTracking(context, project);
  for (const loss of [2, 1]) await train(tracking, { name, params: {}, metrics: { loss: [loss] } });
  await tracking.call("registered-models/alias", { name, alias: "champion", version: "2" });
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}`));
  await expect(version(page, 2)).toContainText("champion");

  await askToDelete(page, 2);
  const dialog = page.getByRole("dialog", { name: "Delete version 2?" });
  await expect(dialog).toContainText("It loses its alias “champion”.");
  await expect(dialog).toContainText("It stays in the trash for 30 days");
  await expect(dialog).toContainText("One deployment uses this version: Tides of tomorrow.");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(version(page, 2)).toContainText("champion");

  await askToDelete(page, 2);
  await dialog.getByRole("button", { name: "Delete the version" }).click();
  await expect(version(page, 2)).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).not.toContainText("champion");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(version(page, 2)).toContainText("champion");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("champion → v2");
  await page
    .getByRole("navigation", { name: "Parts of the model" })
    .getByRole("link", { name: "History", exact: true })
    .click();
  await expect(page.getByTestId("alias-move").first()).toContainText("The version was restored.");

  // The project's activity says who did it.
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "Activity" }).click();
  const activity = page.getByRole("dialog", { name: "Activity" });
  await activity.getByLabel("Kind").selectOption("model");
  const events = activity.getByTestId("audit-event");
  await expect(events).toHaveCount(5);
  await expect(events.first()).toContainText(`set the alias champion of the model ${name} to version 2 in Tides`);
  await expect(events.nth(1)).toContainText(`${person.username} restored version 2 of the model ${name} in Tides`);
});

test("the page of a deleted model says who deleted it, and leads to the deleted models", async ({
  page,
  context,
  person: _person,
}) => {
  const name = newName("iris");
  const project = await makeProject(context, "Flowers");
  await train(await openTracking(context, project), { name, params: {}, metrics: { loss: [1] }, files: {} });
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}`));
  await page.getByTestId("model-header").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("dialog")).toContainText("stay in the trash for 30 days");
  await page.getByRole("button", { name: "Delete the model" }).click();
  await expect(page).toHaveURL(address("/designer/models"));
  await page.goto(address(`/designer/models/${id}`));
  await expect(page.getByText(`“${name}” is deleted`)).toBeVisible();
  await expect(page.getByText(/^Ada Tester deleted it/)).toBeVisible();
  await page.getByRole("link", { name: "Deleted models" }).click();
  await expect(page.getByTestId("trashed").filter({ hasText: name })).toContainText("by Ada Tester");
});
