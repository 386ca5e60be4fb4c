import { type BrowserContext, expect } from "@playwright/test";

import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { card, header, makeEdge, makeGraph, makeNode, openEditor, stored } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";

async function group(context: BrowserContext, graph: string, name: string, nodes: Node[]): Promise<void> {
  const made = await context.request.post(address(`/api/v3/graphs/${graph}/groups`), {
    data: { name, colour: "#7c4dd8", metadata_ids: nodes.map(({ metadata_id }) => metadata_id) },
  });
  expect(made.status(), await made.text()).toBe(200);
}

/** Creates a node that is linked to its own prefab. */
async function linkedNode(context: BrowserContext, graph: string, name: string, at: object): Promise<Node> {
  const source = await makeNode(context, graph, { name, at: { x: 0, y: 400 } });
  const published = await context.request.post(address("/api/v3/prefabs"), {
    form: { metadata_id: source.metadata_id, public: "false" },
  });
  const { id } = (await published.json()) as { id: string };
  await context.request.delete(address(`/api/v3/objects/${source.metadata_id}`));
  const made = await context.request.post(address(`/api/v3/objects/clone/${id}`), {
    form: { project_id: graph, position: JSON.stringify(at) },
  });
  expect(made.status(), await made.text()).toBe(200);
  return (await made.json()) as Node;
}

test("copies, duplicates, cuts and pastes groups and template links along with nodes, and undoes all of it", async ({
  page,
  context,
  person: _person,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const one = await makeGraph(context);
  const load = await makeNode(context, one.graph, { name: "Load", at: { x: 0, y: 0 } });
  const clean = await linkedNode(context, one.graph, "Clean", { x: 360, y: 0 });
  await makeEdge(context, load, "output", clean, "input");
  await group(context, one.graph, "Prepare", [load, clean]);
  await openEditor(page, one.path);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+d");
  await expect(page.getByTestId("group")).toHaveCount(2);
  await expect(page.getByRole("textbox", { name: "Group name" }).nth(1)).toHaveValue("Prepare");
  await page.keyboard.press("Control+z");
  await expect(page.getByTestId("group")).toHaveCount(1);
  await expect.poll(async () => (await stored(context, one.graph)).groups.length).toBe(1);
  await page.keyboard.press("Control+Shift+z");
  await expect(page.getByTestId("group")).toHaveCount(2);
  await page.keyboard.press("Control+z");
  await expect(page.getByTestId("node")).toHaveCount(2);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");

  // Paste into another workflow, in another tab.
  const other = await makeGraph(context, "Another");
  const tab = await context.newPage();
  await openEditor(tab, other.path);
  await tab.keyboard.press("Control+v");
  await expect(tab.getByTestId("node")).toHaveCount(2);
  await expect(tab.getByTestId("edge")).toHaveCount(1);
  await expect(tab.getByRole("textbox", { name: "Group name" })).toHaveValue("Prepare");
  const copy = await stored(context, other.graph);
  const [copied] = copy.groups;
  expect(copied).toMatchObject({ name: "Prepare", colour: "#7c4dd8" });
  expect(new Set(copied?.metadata_ids)).toEqual(new Set(Object.keys(copy.nodes).map(Number)));
  const linked = Object.values(copy.nodes).find(({ name }) => name === "Clean");
  expect(linked).toMatchObject({ update_policy: "linked", template: clean.template });

  // Cutting every member also removes the group. Undo restores the same group.
  await expect(tab.locator("[data-testid=node][data-selected]")).toHaveCount(2);
  await tab.keyboard.press("Control+x");
  await expect(tab.getByTestId("node")).toHaveCount(0);
  await expect.poll(async () => (await stored(context, other.graph)).groups).toEqual([]);
  await tab.keyboard.press("Control+z");
  await expect(tab.getByTestId("group")).toHaveCount(1);
  await expect.poll(async () => (await stored(context, other.graph)).groups).toEqual([copied]);
  await tab.keyboard.press("Control+v");
  await expect(tab.getByTestId("group")).toHaveCount(2);

  // A single node copied out of a group is pasted without a group.
  await page.bringToFront();
  await page.keyboard.press("Escape");
  await header(page, "Load").click();
  await page.keyboard.press("Control+d");
  await expect(card(page, "Load")).toHaveCount(2);
  await expect(page.getByTestId("group")).toHaveCount(1);
});

test("undoes a copy that is on the canvas before the server's answer is here", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  const answer = Promise.withResolvers<void>();
  await page.route("**/paste", async (route) => {
    const response = await route.fetch();
    await answer.promise;
    await route.fulfill({ response });
  });
  await openEditor(page, path);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+d");
  await expect(page.getByTestId("node")).toHaveCount(2);
  await page.keyboard.press("Control+z");
  answer.resolve();
  await expect(page.getByTestId("node")).toHaveCount(1);
  await expect.poll(async () => Object.keys((await stored(context, graph)).nodes)).toHaveLength(1);
});

test("deletes, cuts and duplicates the copy that the server still makes, and never its original", async ({
  page,
  context,
  person: _person,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { graph, path } = await makeGraph(context);
  const { metadata_id: original } = await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  let answer = Promise.withResolvers<void>();
  await page.route("**/paste", async (route) => {
    await answer.promise;
    await route.continue();
  });
  await openEditor(page, path);
  await header(page, "Load").click();
  const makeCopyAnd = async (key: string) => {
    answer = Promise.withResolvers<void>();
    const made = page.waitForResponse("**/paste");
    await page.keyboard.press("Control+d");
    await page.keyboard.press(key);
    answer.resolve();
    await made;
  };
  const ids = async () => Object.keys((await stored(context, graph)).nodes).map(Number);

  for (const key of ["Delete", "Control+x"]) {
    await makeCopyAnd(key);
    await expect.poll(ids).toEqual([original]);
    await expect(page.getByTestId("node")).toHaveCount(1);
    await header(page, "Load").click();
  }
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("Load");

  await makeCopyAnd("Control+d");
  await expect(page.getByTestId("node")).toHaveCount(3);
  const places = async () => Object.values((await stored(context, graph)).nodes).map(({ position }) => position.x);
  await expect.poll(async () => new Set(await places()).size).toBe(3);
});

test("pastes a node without its link when the person may not see the template, and says so", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await linkedNode(context, graph, "Clean", { x: 0, y: 0 });
  for (const one of [context, ben.context]) await one.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openEditor(page, path);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(clipboard).toContain("Clean");
  const text = await clipboard();
  await openEditor(ben.page, path);
  await expect(ben.page.getByTestId("node")).toHaveCount(1);
  await ben.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await ben.page.keyboard.press("Control+v");
  await expect(ben.page.getByText("“Clean” is no longer linked: you cannot access its template.")).toBeVisible();
  await expect(ben.page.getByTestId("node")).toHaveCount(2);
  const policies = Object.values((await stored(context, graph)).nodes).map(({ update_policy }) => update_policy);
  expect(policies).toEqual(["linked", null]);
  // The person who published the template keeps the link.
  await page.keyboard.press("Control+v");
  await expect(page.getByTestId("node")).toHaveCount(3);
  await expect
    .poll(async () => Object.values((await stored(context, graph)).nodes).map((node) => node.update_policy))
    .toEqual(["linked", null, "linked"]);
});
