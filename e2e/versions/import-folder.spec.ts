import { expect } from "@playwright/test";

import { makeNode, openEditor, stored, storedNode } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { setValue, step, writeCode } from "../drivers/versions.ts";
import { chooseFile, dropOnCanvas, exportedFolder, withText } from "../drivers/workflow-files.ts";

const toml = "workflow.toml";
const note = (text: string) => `    note = Field("${text}")\n`;

test("merges an edited folder with a conflict in code and one in a value, and everybody sees it", async ({
  page,
  context,
  browser,
  person,
}) => {
  const { project, graph, path, ben } = await twoPeople(browser, context);
  const train = await makeNode(context, graph, { name: "Train", code: trainCode });
  const load = await makeNode(context, graph, { name: "Load", code: trainCode, at: { x: 400, y: 0 } });
  await setValue(context, load.metadata_id, "mode", "safe");
  const folder = await exportedFolder(context, graph);
  const code = withText(folder, "nodes/train.py", note("hello"), note("from the folder"));
  const both = withText(code, toml, 'mode = "safe"', 'mode = "safe"\nnote = "from the folder"');
  await writeCode(context, train.metadata_id, trainCode.replace(note("hello"), note("from here")));
  await setValue(context, load.metadata_id, "note", "from here");
  await openEditor(ben.page, path);

  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Import a folder…" }).click();
  await expect(page.getByRole("heading", { name: "Import a folder into Forecast" })).toBeVisible();
  await chooseFile(page, "forecast.zip", both);
  await expect(page.getByTestId("resolved")).toHaveText("0 of 2 resolved");
  const merge = page.getByRole("button", { name: "Merge", exact: true });
  await expect(merge).toBeDisabled();

  const conflict = page.getByTestId("conflict");
  await step(page, /Train/).click();
  await expect(conflict.getByRole("region", { name: "Base", exact: true })).toContainText('Field("hello")');
  await expect(conflict.getByRole("region", { name: "Theirs", exact: true })).toContainText('Field("from the folder")');
  await conflict.getByRole("button", { name: "Use theirs" }).click();
  await step(page, /Load/).click();
  await conflict.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("textbox", { name: "Result" }).fill("from both");
  await expect(page.getByTestId("resolved")).toHaveText("2 of 2 resolved");

  // Somebody changes the workflow meanwhile: the folder is compared again, and what was decided stays.
  const again = page.waitForResponse(/\/files\/preview$/);
  await setValue(ben.context, train.metadata_id, "mode", "safe");
  await again;
  await expect(page.getByTestId("resolved")).toHaveText("2 of 2 resolved");
  // The notice goes by itself after a moment, so it is awaited first.
  const notice = expect(ben.page.getByText(`${person.username} imported a folder into this workflow.`)).toBeVisible();
  await merge.click();
  await notice;
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  await expect(page.getByText("Imported forecast.zip.")).toBeVisible();

  const noteOf = async () =>
    (await storedNode(context, graph, load.metadata_id))?.api.attributes.find(({ name }) => name === "note")?.value;
  expect((await storedNode(context, graph, train.metadata_id))?.source_code).toContain(note("from the folder"));
  expect(await noteOf()).toBe("from both");
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect.poll(noteOf).toBe("from here");
  await ben.context.close();
});

test("takes a zip that is dropped on the canvas, and asks for it again after a reload", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context, "viewer");
  await makeNode(context, graph, { name: "Train", code: trainCode });
  const folder = await exportedFolder(context, graph);
  const changed = withText(folder, "nodes/train.py", note("hello"), note("dropped"));

  await openEditor(page, path);
  await dropOnCanvas(page, "forecast.zip", changed);
  await expect(page).toHaveURL(/\/merge\?files=forecast\.zip$/);
  await expect(page.getByRole("heading", { name: "Import forecast.zip" })).toBeVisible();
  await expect(step(page, /Train/)).toContainText("Changed");

  await page.reload();
  await expect(page.getByRole("note")).toHaveText(
    "Choose forecast.zip again. A page that is loaded again no longer has the file.",
  );
  await chooseFile(page, "forecast.zip", folder);
  await expect(page.getByTestId("no-differences")).toHaveText("The workflow already has everything in this folder.");
  await expect(page.getByRole("button", { name: "Merge", exact: true })).toBeDisabled();
  await page.getByRole("button", { name: "Choose another file" }).click();
  await chooseFile(page, "forecast.zip", changed);
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  expect(JSON.stringify(await stored(context, graph))).toContain("dropped");

  // Somebody who may only read stays on the canvas.
  await openEditor(ben.page, path);
  await dropOnCanvas(ben.page, "forecast.zip", folder);
  await ben.page.getByRole("button", { name: "Versions" }).click();
  await expect(ben.page.getByRole("menuitem", { name: "History" })).toBeVisible();
  await expect(ben.page.getByRole("menuitem", { name: "Import a folder…" })).toHaveCount(0);
  await ben.context.close();
});

test("says what is wrong with a file, and changes nothing", async ({ page, context, browser, person: _person }) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Train", code: trainCode });
  await makeNode(context, graph, { name: "Load", code: trainCode, at: { x: 400, y: 0 } });
  const folder = await exportedFolder(context, graph);
  const before = await stored(context, graph);
  await openEditor(ben.page, path);

  await openEditor(page, path);
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("option", { name: "Import a folder into this workflow…" }).click();
  const alert = page.getByRole("alert");
  const wrong: [name: string, content: ReadonlyMap<string, string> | string, words: string][] = [
    ["notes.txt", "no zip", "Please upload a zip file."],
    ["broken.zip", "no zip either", "That is not a zip file we can read. Nothing was imported."],
    ["newer.zip", withText(folder, toml, "format = 1", "format = 2"), "format must be 1."],
    [
      "edge.zip",
      withText(
        folder,
        toml,
        "[layout]",
        `[graph]\nedges = [\n  { from = "train.model", to = "nobody.rows" },\n]\n\n[layout]`,
      ),
      "The edge train.model → nobody.rows leads to nowhere: there is no node nobody.",
    ],
    ["twice.zip", withText(folder, toml, "[nodes.load]", "[nodes.TRAIN]"), "have the same name."],
    ["missing.zip", new Map([...folder].filter(([file]) => file !== "nodes/train.py")), "nodes/train.py is missing."],
  ];
  for (const [name, content, words] of wrong) {
    await chooseFile(page, name, content);
    await expect(alert).toContainText(words);
    await expect(page.getByRole("button", { name: "Merge", exact: true })).toHaveCount(0);
  }
  expect(await stored(context, graph)).toEqual(before);

  // The screen is ready for the right file.
  await chooseFile(page, "forecast.zip", folder);
  await expect(page.getByTestId("no-differences")).toBeVisible();
  await expect(ben.page.getByText("imported a folder")).toHaveCount(0);
  await ben.context.close();
});
