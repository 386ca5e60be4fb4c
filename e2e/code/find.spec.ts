import { expect } from "@playwright/test";

import { makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";

test("opens a node by its name and finds a text in all nodes, by keyboard alone", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const load = await makeNode(context, graph, { name: "Load rows", code: "import csv\n\nsource = 'tides.csv'\n" });
  const fit = await makeNode(context, graph, { name: "Fit model", code: "def fit(rows):\n    return rows\n" });
  await page.goto(address(`${path}/code/${load.metadata_id}`));
  const pane = page.getByTestId("code-pane");
  await expect(pane.locator(".cm-content")).toContainText("import csv");

  await page.keyboard.press("Control+p");
  const open = page.getByRole("dialog", { name: "Open a node" });
  await open.getByRole("combobox").fill("fmod");
  await expect(open.getByRole("option")).toHaveText(["Fit model"]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(address(`${path}/code/${fit.metadata_id}`));
  await expect(open).toHaveCount(0);

  await page.keyboard.press("Control+Shift+F");
  const search = page.getByRole("dialog", { name: "Search in all nodes" });
  await search.getByRole("combobox").fill("TIDES");
  await expect(search.getByRole("option")).toContainText(["source = 'tides.csv'"]);
  await expect(search.getByRole("option")).toContainText(["Load rows:3"]);
  await search.getByRole("combobox").fill("nowhere");
  await expect(search).toContainText("No line has this text.");
  await search.getByRole("combobox").fill("csv");
  await expect(search.getByRole("option")).toHaveCount(2);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(address(`${path}/code/${load.metadata_id}?line=1`));
  await expect(search).toHaveCount(0);

  await page.keyboard.press("Control+Shift+O");
  await page.getByRole("combobox", { name: "Name of a class, function or variable" }).fill("fit");
  await page.getByRole("option", { name: /Fit model:1/ }).click();
  await expect(page).toHaveURL(address(`${path}/code/${fit.metadata_id}?line=1`));
  await expect(page.getByTestId("cursor-place")).toHaveText(/^Line \d+,/);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByTestId("cursor-place").click();
  await expect(page.getByText("The link is in the clipboard.")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const place = await page.getByTestId("cursor-place").textContent();
  await page.goto(link);
  await expect(page.getByTestId("cursor-place")).toHaveText((place ?? "").replace(/column.*/, "column 1"));
});

test("finds code from the canvas too, and prefers the symbols of the open node", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const run = "def run(self):\n    return 'tides'\n";
  await makeNode(context, graph, { name: "Ask", code: run });
  const load = await makeNode(context, graph, { name: "Load rows", code: `# Rows\n${run}` });
  await openEditor(page, path);
  await page.keyboard.press("Control+p");
  await page.getByRole("dialog", { name: "Open a node" }).getByRole("combobox").fill("load");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("code-pane").locator(".cm-content")).toContainText("# Rows");
  // Also from the code beside the canvas.
  await page.getByTestId("code-pane").locator(".cm-content").click();
  await page.keyboard.press("Control+Shift+F");
  const search = page.getByRole("dialog", { name: "Search in all nodes" });
  await search.getByRole("combobox").fill("# rows");
  await search.getByRole("option").click();
  await expect(page).toHaveURL(address(`${path}/code/${load.metadata_id}?line=1`));
  // The address changes before the screen has come.
  await expect(page.getByTestId("cursor-place")).toHaveText(/^Line 1,/);

  await page.keyboard.press("Control+Shift+O");
  await page.getByRole("combobox", { name: "Name of a class, function or variable" }).fill("run");
  await expect(page.getByRole("option").first()).toContainText("Load rows:2");
});
