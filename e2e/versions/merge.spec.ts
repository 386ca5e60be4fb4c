import { expect } from "@playwright/test";

import { makeGraph, makeNode, openEditor, stored } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { cloneWorkflow, setValue, step, writeCode } from "../drivers/versions.ts";

test("brings the changes of a clone back, with a conflict in code and one in a value resolved by a click", async ({
  page,
  context,
  browser,
  person,
}) => {
  const { project, graph, path } = await makeGraph(context);
  const train = await makeNode(context, graph, { name: "Train", code: trainCode });
  const load = await makeNode(context, graph, { name: "Load", code: trainCode, at: { x: 400, y: 0 } });
  const clone = await cloneWorkflow(context, graph, project);
  const copies = Object.values((await stored(context, clone)).nodes);
  const copyOf = (name: string) => copies.find((node) => node.name === name)?.metadata_id ?? 0;

  const line = '    note = Field("hello")\n';
  await writeCode(context, train.metadata_id, trainCode.replace(line, '    note = Field("mine")\n'));
  await writeCode(context, copyOf("Train"), trainCode.replace(line, '    note = Field("theirs")\n'));
  await setValue(context, load.metadata_id, "mode", "safe");
  await setValue(context, copyOf("Load"), "note", "from the clone");
  await setValue(context, load.metadata_id, "note", "from here");
  await makeNode(context, clone, { name: "Report", at: { x: 800, y: 0 } });

  // Somebody else has the workflow open.
  const other = await joinProject(browser, context, project, "Bea");
  await openEditor(other.page, path);

  await openEditor(page, `/designer/projects/${project}/graphs/${clone}`);
  await page.getByRole("button", { name: "Versions" }).click();
  await page.getByRole("menuitem", { name: "Bring changes back to Forecast" }).click();
  await expect(page).toHaveURL(new RegExp(`/graphs/${graph}/merge\\?from=${clone}$`));
  await expect(page.getByTestId("resolved")).toHaveText("0 of 2 resolved");
  const merge = page.getByRole("button", { name: "Merge", exact: true });
  await expect(merge).toBeDisabled();

  await step(page, /Train/).click();
  const conflict = page.getByTestId("conflict");
  await expect(conflict.getByRole("region", { name: "Base", exact: true })).toContainText('Field("hello")');
  await expect(conflict.getByRole("region", { name: "Theirs", exact: true })).toContainText('Field("theirs")');
  await conflict.getByRole("button", { name: "Use theirs" }).click();
  await expect(page.getByTestId("resolved")).toHaveText("1 of 2 resolved");
  await step(page, /Load/).click();
  await expect(conflict).toContainText("from the clone");
  await conflict.getByRole("button", { name: "Use mine" }).click();
  await expect(page.getByTestId("resolved")).toHaveText("2 of 2 resolved");

  await page.getByRole("button", { name: /^Changes/ }).click();
  await expect(step(page, /Report/)).toContainText("Added");
  // The notice goes by itself after a moment, so it is awaited first.
  const notice = expect(other.page.getByText(`${person.username} merged changes of `)).toBeVisible();
  await merge.click();
  await notice;
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  await expect(page.getByText("Merged the changes of")).toBeVisible();

  const { nodes } = await stored(context, graph);
  const noteOf = (id: number) => nodes[id]?.api.attributes.find(({ name }) => name === "note")?.value;
  expect(nodes[train.metadata_id]?.source_code).toContain('Field("theirs")');
  expect(noteOf(load.metadata_id)).toBe("from here");
  expect(Object.values(nodes).map(({ name }) => name)).toContain("Report");

  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect.poll(async () => Object.keys((await stored(context, graph)).nodes).length).toBe(2);
  await other.context.close();
});

test("resolves a conflict by editing, and asks again when the workflow changes meanwhile", async ({
  page,
  context,
  person: _person,
}) => {
  const { project, graph, path } = await makeGraph(context);
  const train = await makeNode(context, graph, { name: "Train", code: trainCode });
  const clone = await cloneWorkflow(context, graph, project);
  const [copy] = Object.values((await stored(context, clone)).nodes);
  await setValue(context, train.metadata_id, "note", "here");
  await setValue(context, copy?.metadata_id ?? 0, "note", "there");

  await page.goto(address(`${path}/merge?from=${clone}`));
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("textbox", { name: "Result" }).fill("here and there");
  await expect(page.getByTestId("resolved")).toHaveText("1 of 1 resolved");

  // The clone changes after the preview: the merge is refused, and what was written stays.
  await setValue(context, copy?.metadata_id ?? 0, "note", "elsewhere");
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("One of the workflows changed since you looked.");
  await expect(page.getByRole("region", { name: "Theirs", exact: true })).toContainText("elsewhere");
  await expect(page.getByRole("textbox", { name: "Result" })).toHaveValue("here and there");
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  const note = (await stored(context, graph)).nodes[train.metadata_id]?.api.attributes.find(
    ({ name }) => name === "note",
  );
  expect(note?.value).toBe("here and there");
});

test("merges from a workflow that is chosen, and says when there is nothing new", async ({
  page,
  context,
  person: _person,
}) => {
  const { project, graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Train", code: trainCode });
  await cloneWorkflow(context, graph, project);
  await page.goto(address(path));
  await page.getByRole("button", { name: "Versions" }).click();
  await page.getByRole("menuitem", { name: "Merge from…" }).click();
  await page.getByRole("combobox", { name: "Search for workflows" }).fill("Forecast");
  await page
    .getByRole("option", { name: /Forecast/ })
    .first()
    .click();
  await expect(page.getByTestId("no-differences")).toHaveText("There is nothing new to merge.");
  await expect(page.getByRole("button", { name: "Merge", exact: true })).toBeDisabled();
});
