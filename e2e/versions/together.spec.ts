import { expect, type Page } from "@playwright/test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { makeGraph, makeNode, openEditor, stored } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { openCommandLine } from "../drivers/command-line.ts";
import { ageVersions } from "../drivers/database.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { makeSteps, namedNode, setValue, stepName, valueOf, writeCode } from "../drivers/long-workflow.ts";
import { address, test } from "../drivers/people.ts";

const steps = 50;
const scaled = (by: number) => (code: string) => code.replace("scale = 1", `scale = ${by}`);

async function openVersionsMenu(page: Page, entry: RegExp | string): Promise<void> {
  await page.getByRole("button", { name: "Versions" }).click();
  await page.getByRole("menuitem", { name: entry }).click();
}

/** Publishes from the editor. Every work in `without` is left out, by the name of its person. */
async function publish(page: Page, name: string, without: readonly string[] = []): Promise<void> {
  await openVersionsMenu(page, /^Publish/);
  const dialog = page.getByTestId("publish-dialog");
  for (const who of without) await dialog.getByRole("checkbox", { name: new RegExp(who) }).uncheck();
  for (const who of without) await expect(dialog.getByText(`By ${who}`).first()).toBeVisible();
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("button", { name: "Publish" }).click();
  await expect(page.getByText(`Published “${name}”.`)).toBeVisible();
}

interface Listed {
  id: string;
  number: number;
  name: string;
}

test("lets three people clone, merge, publish, take one node back, and edit the workflow as files", async ({
  page,
  context,
  browser,
  person: ada,
}) => {
  // Three browsers and a command line, one after the other.
  test.setTimeout(300_000);
  const { project, graph, path } = await makeGraph(context);
  await makeSteps(context, graph, steps);
  const ben = await joinProject(browser, context, project, "Ben");
  const cara = await joinProject(browser, context, project, "Cara");

  // Last week Ada published the workflow. Since then she changed a node for the worse.
  await openEditor(page, path);
  await publish(page, "Last week");
  await ageVersions(graph, 7);
  await writeCode(context, graph, stepName(7), (code) => `${code}\n# a mistake\n`);

  // Ben clones it. Both go on: most of it apart, one line of code and one value against each other.
  const bens = await makeProject(ben.context, "Ben's experiments");
  const cloned = await ben.context.request.post(address(`/api/v3/graphs/${graph}/clone`), {
    form: { to_project: bens },
  });
  expect(cloned.status(), await cloned.text()).toBe(200);
  const { id: clone } = (await cloned.json()) as { id: string };
  expect(Object.keys((await stored(ben.context, clone)).nodes)).toHaveLength(steps);

  await writeCode(ben.context, clone, stepName(10), scaled(2));
  await setValue(ben.context, clone, stepName(20), "epochs", "20");
  await setValue(ben.context, clone, stepName(21), "epochs", "21");
  await makeNode(ben.context, clone, { name: "Ben's idea", at: { x: 0, y: 1600 } });
  await writeCode(context, graph, stepName(10), scaled(3));
  await setValue(context, graph, stepName(20), "epochs", "30");
  await setValue(context, graph, stepName(22), "epochs", "22");

  // Ben brings his changes back. He decides about the two conflicts, and Ada sees it happen.
  await openEditor(ben.page, `/designer/projects/${bens}/graphs/${clone}`);
  await openVersionsMenu(ben.page, "Bring changes back to Forecast");
  await expect(ben.page.getByTestId("resolved")).toHaveText("0 of 2 resolved");
  const conflicts = ben.page.getByRole("listbox", { name: "Conflicts" });
  await conflicts.getByRole("option", { name: /Step 10/ }).click();
  await ben.page.getByTestId("conflict").getByRole("button", { name: "Use theirs" }).click();
  await conflicts.getByRole("option", { name: /Step 20/ }).click();
  await ben.page.getByTestId("conflict").getByRole("button", { name: "Edit" }).click();
  await ben.page.getByTestId("conflict").getByRole("textbox").fill("25");
  await expect(ben.page.getByTestId("resolved")).toHaveText("2 of 2 resolved");
  // The notice goes by itself after a moment, so wait for it before anything else.
  const notice = expect(page.getByText(`${ben.person.username} merged changes of Forecast`)).toBeVisible();
  await ben.page.getByRole("button", { name: "Merge", exact: true }).click();
  await notice;
  await expect(ben.page.getByTestId("graph-editor")).toBeVisible();
  await page.keyboard.press("1");
  await expect(page.getByText("Ben's idea", { exact: true }).first()).toBeVisible();

  const merged = (name: string) => namedNode(context, graph, name);
  expect((await merged(stepName(10))).source_code).toContain("scale = 2");
  for (const [number, epochs] of [[20, 25] as const, [21, 21] as const, [22, 22] as const])
    expect(valueOf(await merged(stepName(number)), "epochs")).toBe(epochs);
  expect(Object.keys((await stored(context, graph)).nodes)).toHaveLength(steps + 1);

  // Cara has only begun with her node, so Ada publishes without it.
  await openEditor(cara.page, path);
  await cara.page.keyboard.press("a");
  await cara.page.getByRole("combobox", { name: "Add a node" }).press("Enter");
  const name = cara.page.getByTestId("inspector").getByRole("textbox", { name: "Name", exact: true });
  await name.fill("Half done");
  await name.press("Enter");
  const hasHalf = async () =>
    Object.values((await stored(context, graph)).nodes).some((one) => one.name === "Half done");
  await expect.poll(hasHalf).toBe(true);
  await publish(page, "This week", ["Cara"]);
  const { versions } = (await (
    await context.request.get(address(`/api/v3/graphs/${graph}/versions?kind=named`))
  ).json()) as { versions: Listed[] };
  expect(versions.map(({ name }) => name)).toEqual(["This week", "Last week"]);
  const published = (await (await context.request.get(address(`/api/v3/graphs/${graph}/versions/2/graph`))).json()) as {
    nodes: Record<string, { name: string }>;
  };
  const names = Object.values(published.nodes).map(({ name }) => name);
  expect(names).toHaveLength(steps + 1);
  expect(names).not.toContain("Half done");
  await expect(cara.page.getByTestId("node").filter({ hasText: "Half done" })).toBeVisible();

  // Ada takes one node back from last week.
  await openVersionsMenu(page, /^History/);
  await page.getByTestId("version").filter({ hasText: "Last week" }).click();
  await expect(page.getByTestId("shown-version")).toHaveText("Last week");
  await expect(page.getByTestId("node").first()).toBeVisible();
  await page.keyboard.press("Control+f");
  await page.getByRole("combobox", { name: "Find a node by name" }).fill(stepName(7));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Restore this node" }).click();
  await expect(page.getByText(`Restored “${stepName(7)}”.`)).toBeVisible();
  expect((await merged(stepName(7))).source_code).not.toContain("a mistake");
  expect((await merged(stepName(10))).source_code).toContain("scale = 2");

  // On her laptop she pulls the workflow, edits a node in a text editor, and pushes it.
  const laptop = await openCommandLine(ada);
  try {
    await laptop.miranda(["pull", graph, "forecast"]);
    expect(await laptop.miranda(["diff", "forecast"])).toBe("");
    const file = join(laptop.folder, "forecast", "nodes", "step_33.py");
    await writeFile(file, scaled(33)(await readFile(file, "utf8")));
    // Meanwhile Cara goes on in the browser.
    await setValue(cara.context, graph, stepName(44), "epochs", "44");
    expect(await laptop.miranda(["diff", "forecast", "--exit-code"], 1)).toContain("scale = 33");
    await laptop.miranda(["push", "forecast"]);
    expect((await merged(stepName(33))).source_code).toContain("scale = 33");
    expect(valueOf(await merged(stepName(44)), "epochs")).toBe(44);
    await laptop.miranda(["pull", "forecast"]);
    expect(await laptop.miranda(["diff", "forecast"])).toBe("");
  } finally {
    await laptop.close();
  }
  expect(Object.keys((await stored(context, graph)).nodes)).toHaveLength(steps + 2);
});
