import { expect, type Page } from "@playwright/test";
import { readFile } from "node:fs/promises";

import { joinProject } from "../drivers/collaborators.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { findModel, newName, openTracking, train } from "../drivers/training.ts";

// A model that training code logged is looked at, named, used, and thrown away and taken back.

const version = (page: Page, number: number) => page.locator(`[data-testid=version][data-number="${number}"]`);
const tab = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Parts of the model" }).getByRole("link", { name, exact: true });
const chart = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

const falling = (from: number) => Array.from({ length: 30 }, (_, step) => from / (step + 1));

test("a model's versions are compared, charted and read on its page", async ({ page, context, person: _person }) => {
  test.slow();
  const name = newName("iris");
  const project = await makeProject(context, "Flowers");
  const tracking = await openTracking(context, project);
  await train(tracking, {
    name,
    params: { max_iter: "100", C: "1.0" },
    metrics: { loss: falling(1), accuracy: [0.8, 0.7] },
  });
  await train(tracking, {
    name,
    params: { max_iter: "200" },
    metrics: { loss: [...falling(2), "NaN"], accuracy: [0.9] },
  });

  // From the bar to the list, and into the model.
  await page.goto(address("/designer"));
  await page.getByTestId("top-bar").getByRole("link", { name: "Models" }).click();
  const row = page.getByTestId("model").filter({ hasText: name });
  await expect(row).toContainText("v2");
  await row.getByRole("link", { name, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
  await expect(page.getByTestId("model-header")).toContainText("2 versions in Flowers");

  // The newest is the first; the best value of each metric stands out.
  const rows = page.getByTestId("version");
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("Version 2");
  await expect(version(page, 2)).toContainText("NaN");
  await expect(version(page, 2).getByText("0.9, the best")).toBeVisible();
  await version(page, 1).getByRole("button", { name: "Version 1", exact: true }).click();
  const details = page.getByTestId("version-details");
  await expect(details).toContainText("max_iter100");
  await expect(details).toContainText(`models:/${name}/1`);
  await details.getByRole("definition").filter({ hasText: "Default" }).getByRole("link").click();
  await expect(page.getByTestId("tracked-run")).toContainText("Finished");
  // What the run logged as files is shown on its page.
  const runFiles = page.getByRole("region", { name: "Files" });
  await expect(runFiles).toContainText("None were logged.");
  const runKey = /runs\/([0-9a-f]{32})/.exec(page.url())?.[1];
  await tracking.upload(`0/${runKey}/artifacts/tables/heights.csv`, "place,height\nQuay,4.2\n");
  await tracking.upload(`0/${runKey}/artifacts/notes.txt`, "High water.");
  await page.reload();
  await expect(runFiles).toContainText("2 files");
  await runFiles
    .getByRole("tree", { name: "Files of the run" })
    .getByRole("button", { name: /^heights\.csv/ })
    .click();
  await expect(runFiles.getByRole("table", { name: "heights.csv" })).toContainText("Quay");
  const zip = page.waitForEvent("download");
  await runFiles.getByRole("link", { name: "Download all" }).click();
  expect((await readFile(await (await zip).path())).includes("tables/heights.csv")).toBe(true);
  await page.goBack();

  // Both versions in one chart for each metric.
  await tab(page, "Charts").click();
  await expect(chart(page, "loss").getByTestId("chart-line")).toHaveCount(2);
  await expect(chart(page, "loss").getByTestId("mark-best")).toHaveCount(2);
  await expect(chart(page, "loss").getByTestId("mark-last")).toHaveCount(2);
  const slider = chart(page, "loss").getByRole("slider");
  await slider.focus();
  await page.keyboard.press("Home");
  await expect(slider).toHaveAttribute("aria-valuetext", "0: Version 2 2, Version 1 1");
  const drawn = () => chart(page, "loss").getByTestId("chart-line").first().getAttribute("d");
  const linear = await drawn();
  await page.getByRole("checkbox", { name: "Log scale" }).check();
  expect(await drawn()).not.toBe(linear);
  await page.getByRole("slider", { name: "Smoothing" }).fill("0.9");
  await expect(page.getByText("0.90")).toBeVisible();
  // The address keeps the choice, so the box follows a moment later.
  await page.getByRole("checkbox", { name: "Version 1" }).click();
  await expect(page.getByRole("checkbox", { name: "Version 1" })).not.toBeChecked();
  await expect(chart(page, "loss").getByTestId("chart-line")).toHaveCount(1);
  await expect(page).toHaveURL(/versions=2$/);
});

test("the files of a version are looked at and downloaded", async ({ page, context, person: _person }) => {
  test.slow();
  const name = newName("iris");
  const project = await makeProject(context, "Flowers");
  const tracking = await openTracking(context, project);
  await train(tracking, { name, params: {}, metrics: { loss: [1] } });
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}/files`));
  const tree = page.getByRole("tree", { name: "Files of the version" });
  const preview = page.getByTestId("file-preview");
  const open = (name: RegExp) => tree.getByRole("button", { name }).click();
  await open(/^MLmodel/);
  await expect(preview).toContainText("loader_module: mlflow.sklearn");
  await open(/^rows\.csv/);
  await expect(preview.getByRole("table", { name: "rows.csv" })).toContainText("virginica");
  await open(/^info\.json/);
  await expect(preview.getByRole("tree", { name: "info.json" })).toContainText("rows:");
  await open(/^confusion\.png/);
  const image = preview.getByRole("img", { name: "confusion.png" });
  await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(1);
  await open(/^model\.pkl/);
  await expect(preview).toContainText("This file is not text");

  // With the keyboard.
  await tree.getByRole("button", { name: /^data/ }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(tree.getByRole("button", { name: /^rows\.csv/ })).toHaveCount(0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "info.json" })).toBeVisible();

  const one = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download", exact: true }).click();
  expect(await readFile(await (await one).path(), "utf8")).toContain("setosa");
  const all = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download all" }).click();
  const zip = await readFile(await (await all).path());
  expect(zip.subarray(0, 2).toString()).toBe("PK");
  expect(zip.includes("plots/confusion.png")).toBe(true);

  // Files that a client keeps in a bucket of its own are named, and its client still loads them.
  await tracking.call("model-versions/create", { name, source: "s3://flowers/iris" });
  await page.goto(address(`/designer/models/${id}/files?version=2`));
  await expect(page.getByTestId("elsewhere")).toHaveText("s3://flowers/iris");
  await tab(page, "Use it").click();
  await expect(page.getByText("The files of this version are at s3://flowers/iris")).toBeVisible();
  await expect(page.getByLabel("Python", { exact: true })).toContainText(`models:/${name}/2`);
});

test("an alias is set and moved with a reason, and others see who did it", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  test.slow();
  const name = newName("iris");
  const project = await makeProject(context, "Flowers");
  const tracking = await openTracking(context, project);
  for (const loss of [2, 1]) await train(tracking, { name, params: {}, metrics: { loss: [loss] } });
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}`));
  const setAlias = async (number: number, alias: string, reason: string) => {
    await version(page, number)
      .getByRole("button", { name: `Actions for version ${number}` })
      .click();
    await page.getByRole("menuitem", { name: "Set an alias…" }).click();
    await page.getByLabel("Alias", { exact: true }).fill(alias);
    await page.getByLabel("Reason").fill(reason);
  };
  await setAlias(1, "latest", "");
  await page.getByRole("button", { name: "Set the alias" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toBeVisible();
  await page.getByLabel("Alias", { exact: true }).fill("champion");
  await page.getByRole("button", { name: "Set the alias" }).click();
  await expect(version(page, 1)).toContainText("champion");
  await setAlias(2, "champion", "Half the loss.");
  await page.getByRole("button", { name: "Move from version 1" }).click();
  await expect(version(page, 2)).toContainText("champion");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("champion → v2");

  // Somebody who may only read sees it all, and has nothing to change.
  const ben = await joinProject(browser, context, project, "Ben", "viewer");
  await ben.page.goto(address(`/designer/models/${id}/history`));
  const moves = ben.page.getByTestId("alias-move");
  await expect(moves).toHaveCount(2);
  await expect(moves.first()).toContainText("moved from version 1 to version 2");
  await expect(moves.first()).toContainText("Half the loss.");
  await expect(moves.first()).toContainText("Ada Tester");
  await expect(ben.page.getByRole("button", { name: "Edit" })).toHaveCount(0);
  await tab(ben.page, "Versions").click();
  await version(ben.page, 2).getByRole("button", { name: "Actions for version 2" }).click();
  await expect(ben.page.getByRole("menuitem", { name: "Files" })).toBeVisible();
  await expect(ben.page.getByRole("menuitem", { name: "Set an alias…" })).toHaveCount(0);
  await tab(ben.page, "Use it").click();
  await expect(ben.page.getByLabel("Python", { exact: true })).toContainText(`load_model("models:/${name}@champion")`);
  await expect(ben.page.getByRole("button", { name: "Deploy this version" })).toHaveCount(0);
  await ben.context.close();
});

test("a description and tags are written, versions and the model are deleted and taken back", async ({
  page,
  context,
  person: _person,
}) => {
  test.slow();
  const name = newName("iris");
  const project = await makeProject(context, "Flowers");
  const tracking = await openTracking(context, project);
  for (const loss of [2, 1]) await train(tracking, { name, params: {}, metrics: { loss: [loss] } });
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}`));
  const header = page.getByTestId("model-header");
  await header.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Description").fill("Tells flowers apart.");
  await page.getByRole("button", { name: "Add a tag" }).click();
  await page.getByLabel("Name of tag 1").fill("team");
  await page.getByLabel("Value of tag 1").fill("botany");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(header).toContainText("Tells flowers apart.");
  await expect(header.getByRole("list", { name: "Tags" })).toContainText("team: botany");
  // A name that an address could not hold is refused, and nothing is lost.
  await header.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Name", { exact: true }).fill("a/b");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("/");
  await page.getByRole("button", { name: "Cancel" }).click();

  // Clients may set longer tags than a form allows. They do not keep the rest from being changed.
  const long = { key: "notes", value: "x".repeat(6_000) };
  await tracking.call("registered-models/set-tag", { name, ...long });
  await tracking.call("model-versions/set-tag", { name, version: "1", ...long });
  await page.reload();
  await header.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Description").fill("Tells three flowers apart.");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(header).toContainText("Tells three flowers apart.");
  await expect(header.getByRole("list", { name: "Tags" })).toContainText("notes: xxx");
  await version(page, 1).getByRole("button", { name: "Actions for version 1" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByLabel("Stage").selectOption("Staging");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(version(page, 1)).toContainText("Staging");

  await version(page, 1).getByRole("button", { name: "Actions for version 1" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(version(page, 1)).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(version(page, 1)).toBeVisible();

  await header.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the model" }).click();
  await expect(page).toHaveURL(address("/designer/models"));
  await page.getByPlaceholder("Search by ID").fill(name);
  await expect(page.getByText("No results.")).toBeVisible();
  await page.getByRole("link", { name: "Deleted models" }).click();
  const trashed = page.getByTestId("trashed").filter({ hasText: name });
  await expect(trashed).toContainText("2 versions");
  await trashed.getByRole("button", { name: /^Restore/ }).click();
  await expect(trashed).toHaveCount(0);
  await page.goto(address(`/designer/models/${id}`));
  await expect(page.getByTestId("version")).toHaveCount(2);

  // Deleted models take room of the project. Its owner can free it at once.
  await header.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the model" }).click();
  await expect(page).toHaveURL(address("/designer/models"));
  await page.goto(address("/designer/models/trash"));
  await page.getByRole("region", { name: "Flowers" }).getByRole("button", { name: "Delete all for good" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
  await expect(page.getByText("Nothing is deleted")).toBeVisible();
  await page.goto(address(`/designer/models/${id}`));
  await expect(page.getByText("Model not found")).toBeVisible();

  await page.goto(address("/designer/models/019aa000-0000-7000-8000-000000000001"));
  await expect(page.getByText("Model not found")).toBeVisible();
});
