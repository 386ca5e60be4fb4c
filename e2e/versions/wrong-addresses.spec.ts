import { expect } from "@playwright/test";

import { card, makeGraph, makeNode, stored } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { makeProject, trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { cloneWorkflow, nameVersion, setValue, step } from "../drivers/versions.ts";

test("says what to do when an address names no version and no workflow", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Train", code: trainCode });

  for (const wrong of ["99", "first"]) {
    await page.goto(address(`${path}/history?version=${wrong}`));
    await expect(page.getByRole("heading", { name: "There is no such version" })).toBeVisible();
    await expect(page.getByTestId("shown-version")).toHaveText("Version not found");
    // These would act on the workflow as it is.
    await expect(page.getByRole("button", { name: "Publish" })).toHaveCount(0);
  }
  await page.getByRole("link", { name: "Show all versions" }).click();
  await expect(page.getByTestId("shown-version")).toHaveText("Now");
  await expect(card(page, "Train")).toBeVisible();

  await page.goto(address(`${path}/compare?before=99&after=now`));
  await expect(page.getByRole("heading", { name: "Version not found." })).toBeVisible();
  await expect(page.getByRole("button", { name: "Before Not found" })).toBeVisible();

  await page.goto(address(`${path}/merge?from=nonsense`));
  await expect(page.getByText("The address of this page names no workflow to merge from.")).toBeVisible();
  await page.goto(address(`${path}/merge?from=${graph}`));
  await expect(page.getByText("This one cannot be merged into itself.")).toBeVisible();
  await page.getByRole("link", { name: "Choose another workflow" }).click();
  await expect(page.getByRole("combobox", { name: "Search for workflows" })).toBeFocused();
});

test("compares with the version that was named last, and offers a choice where there is none", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const train = await makeNode(context, graph, { name: "Train", code: trainCode });
  await page.goto(address(`${path}/compare`));
  await expect(page.getByRole("heading", { name: "No version has a name yet" })).toBeVisible();
  await page.getByRole("button", { name: "Choose another workflow" }).click();
  await expect(page.getByRole("combobox", { name: "Search for workflows" })).toBeFocused();

  await nameVersion(context, graph, "First");
  await setValue(context, train.metadata_id, "note", "goodbye");
  await page.goto(address(`${path}/compare`));
  await expect(page.getByRole("button", { name: "Before First #1" })).toBeVisible();
  await expect(step(page, /Train/)).toContainText("note");
});

test("names the projects of two workflows with one name, and lets a reader only look at a merge", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context, "viewer");
  await makeNode(context, graph, { name: "Train", code: trainCode });
  const clone = await cloneWorkflow(context, graph, await makeProject(context, "Experiments"));
  const [copy] = Object.values((await stored(context, clone)).nodes);
  await setValue(context, copy?.metadata_id ?? 0, "note", "from the clone");

  await page.goto(address(`${path}/merge?from=${clone}`));
  await expect(page.getByRole("heading", { name: "Merge from Experiments > Forecast" })).toBeVisible();
  await expect(page.getByText("Into Tides > Forecast")).toBeVisible();
  await expect(page.getByRole("button", { name: "Merge", exact: true })).toBeEnabled();

  // Ben may read both, and write neither.
  await ben.page.goto(address(`${path}/merge?from=${clone}`));
  await expect(step(ben.page, /Train/)).toContainText("note");
  await expect(ben.page.getByText("You may only look at this workflow.")).toBeVisible();
  await expect(ben.page.getByRole("button", { name: "Merge", exact: true })).toHaveCount(0);
});
