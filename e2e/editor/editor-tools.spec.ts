import { expect } from "@playwright/test";

import { card, header, makeEdge, makeGraph, makeNode, openEditor, stored, storedNode } from "../drivers/canvas.ts";
import { trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";

test("copies and pastes between workflows, duplicates, undoes and redoes", async ({
  page,
  context,
  person: _person,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const one = await makeGraph(context);
  const load = await makeNode(context, one.graph, { name: "Load", at: { x: 0, y: 0 } });
  const train = await makeNode(context, one.graph, { name: "Train", at: { x: 400, y: 0 }, code: trainCode });
  await makeEdge(context, load, "output", train, "rows");
  await openEditor(page, one.path);
  await expect(page.getByTestId("node")).toHaveCount(2);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+d");
  await expect(page.getByTestId("node")).toHaveCount(4);
  await expect(page.getByTestId("edge")).toHaveCount(2);
  await page.keyboard.press("Control+z");
  await expect(page.getByTestId("node")).toHaveCount(2);
  await page.keyboard.press("Control+Shift+z");
  await expect(page.getByTestId("node")).toHaveCount(4);

  const other = await makeGraph(context, "Another");
  await openEditor(page, other.path);
  await page.keyboard.press("Control+v");
  await expect(page.getByTestId("node")).toHaveCount(2);
  await expect(page.getByTestId("edge")).toHaveCount(1);
  await expect.poll(async () => (await stored(context, other.graph)).edges.length).toBe(1);
  await expect(page.locator("[data-testid=node][data-selected]")).toHaveCount(2);
  await page.keyboard.press("Control+x");
  await expect(page.getByTestId("node")).toHaveCount(0);
});

test("aligns, arranges, groups and collapses several nodes, and finds one by name", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const load = await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  const train = await makeNode(context, graph, { name: "Train", at: { x: 420, y: 130 } });
  await makeNode(context, graph, { name: "Report", at: { x: 60, y: 400 } });
  await makeEdge(context, load, "output", train, "input");
  await openEditor(page, path);
  await header(page, "Load").click();
  await header(page, "Train").click({ modifiers: ["Shift"] });
  await page.getByTestId("inspector").getByRole("button", { name: "Align top" }).click();
  await expect.poll(async () => (await storedNode(context, graph, train.metadata_id))?.position.y).toBe(0);

  await page.keyboard.press("Control+g");
  await expect(page.getByTestId("group")).toBeVisible();
  await expect.poll(async () => (await stored(context, graph)).groups[0]?.metadata_ids.length).toBe(2);
  await page.getByRole("button", { name: "Collapse Group" }).click();
  await expect(page.getByTestId("node")).toHaveCount(1);
  await expect(page.getByTestId("edge")).toHaveCount(0);
  await page.getByRole("button", { name: "Expand Group" }).click();
  await expect(page.getByTestId("node")).toHaveCount(3);

  await page.keyboard.press("Control+f");
  const find = page.getByRole("combobox", { name: "Find a node by name" });
  await find.fill("rep");
  await find.press("Enter");
  await expect(card(page, "Report")).toHaveAttribute("data-selected", "true");
  await expect(page.getByTestId("inspector").getByRole("textbox", { name: "Name", exact: true })).toHaveValue("Report");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
});

test("adds, names, connects, moves and removes nodes by keyboard alone", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load", at: { x: -400, y: 0 } });
  await openEditor(page, path);
  await page.keyboard.press("a");
  await page.getByRole("combobox", { name: "Add a node" }).press("Enter");
  await expect(card(page, "New Node")).toHaveAttribute("data-selected", "true");
  await page.keyboard.press("F2");
  await page.keyboard.type("Train");
  await page.keyboard.press("Enter");
  await expect(card(page, "Train")).toBeVisible();
  await page.keyboard.press("c");
  const connect = page.getByRole("combobox", { name: "Connect to" });
  await connect.fill("load output");
  await connect.press("Enter");
  await expect(page.getByTestId("edge")).toHaveCount(1);
  const trained = async () => Object.values((await stored(context, graph)).nodes).find(({ name }) => name === "Train");
  // The page shows the name and the edge before the server has them.
  await expect.poll(trained).toBeDefined();
  const before = await trained();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect
    .poll(async () => (await storedNode(context, graph, before?.metadata_id ?? 0))?.position.x)
    .toBe((before?.position.x ?? 0) + 16);
  await page.keyboard.press("Backspace");
  await expect(card(page, "Train")).toHaveCount(0);
});

test("drags a blueprint out of the library, publishes a node into it, and takes newer code after showing its diff", async ({
  page,
  context,
  person,
}) => {
  const { graph, path } = await makeGraph(context);
  const name = `Tide gauge ${person.username}`;
  const original = await makeNode(context, graph, { name, code: trainCode });
  await openEditor(page, path);
  await header(page, name).click();
  await page.getByTestId("inspector").getByRole("button", { name: "Publish" }).click();
  const dialog = page.getByRole("dialog", { name: "Publish as prefab" });
  await dialog.getByRole("button", { name: "Publish" }).click();
  await expect(page.getByText("is in the library.")).toBeVisible();

  await page.getByRole("button", { name: /^Library/ }).click();
  const library = page.getByTestId("library");
  await library.getByRole("searchbox").fill(name);
  await expect(library.getByTestId("library-item")).toHaveCount(1);
  await library.getByTestId("library-item").click();
  await expect(card(page, name)).toHaveCount(2);

  await library.getByRole("tab", { name: "blueprints" }).click();
  await library.getByRole("searchbox").fill("Count words");
  await library
    .getByTestId("library-item")
    .first()
    .dragTo(page.locator(".react-flow__pane"), {
      targetPosition: { x: 480, y: 620 },
    });
  await expect.poll(async () => Object.keys((await stored(context, graph)).nodes).length).toBe(5);

  const prefabs = (await (await context.request.get(address("/api/v3/prefabs?limit=500"))).json()) as {
    id: string;
    name: string;
  }[];
  const prefab = prefabs.find((one) => one.name === name);
  await context.request.put(address(`/api/v3/objects/${original.metadata_id}/api`), {
    form: { source_code: trainCode.replace('"hello"', '"goodbye"') },
  });
  const renewed = await context.request.patch(address(`/api/v3/prefabs/${prefab?.id}`), {
    form: { metadata_id: original.metadata_id },
  });
  expect(renewed.status(), await renewed.text()).toBe(200);
  await page.reload();
  // The view moved to the blueprint, and only nodes in view are drawn.
  await page.getByRole("button", { name: /^Fit everything/ }).click();
  const offered = page.getByTestId("node").filter({ has: page.getByLabel("Newer code is available") });
  await expect(offered).toHaveCount(1);
  await offered.getByTestId("node-name").click();
  await page.getByRole("button", { name: "See it" }).click();
  await expect(page.getByTestId("diff")).toContainText('note = Field("goodbye")');
  await page.getByRole("button", { name: "Use the newer code" }).click();
  await expect(offered).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "note", exact: true }).nth(1)).toHaveValue("goodbye");
});

test("edits policies in the inspector, and shows an error when a graph cannot be loaded", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path, project } = await makeGraph(context);
  const box = await makeNode(context, graph, { name: "Box", type: "COMPUTE_POLICY" });
  await openEditor(page, path);
  await header(page, "Box").click();
  const asked = page.waitForRequest(/\/api\/v3\/compute_policies\//);
  const cores = page.getByLabel("CPU cores");
  await cores.fill("4");
  await cores.blur();
  expect((await asked).method()).toBe("PATCH");
  await expect(card(page, "Box")).toContainText("4 cores");
  await expect.poll(async () => (await storedNode(context, graph, box.metadata_id))?.body).toMatchObject({ cpu: 4 });

  // An invalid value is explained beside its field, stays as typed, and changes nothing.
  await cores.fill("9999");
  await cores.blur();
  await expect(page.getByRole("alert")).toContainText("CPU must be a number from");
  await expect(cores).toHaveValue("9999");
  expect((await storedNode(context, graph, box.metadata_id))?.body).toMatchObject({ cpu: 4 });
  await cores.fill("2");
  await cores.blur();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(card(page, "Box")).toContainText("2 cores");

  await page.goto(address(`/designer/projects/${project}/graphs/0190a000-0000-7000-8000-000000000000`));
  await expect(page.getByText("Workflow not found")).toBeVisible();
  await expect(page.getByRole("link", { name: "Go to your projects" })).toBeVisible();
  await page.route(/\/graph\?include_updates/, (route) => route.fulfill({ status: 503, body: "Not now." }));
  await page.goto(address(path));
  // Once the page has entered the graph, it does not load it again by itself.
  await expect(page.getByTestId("collaborators")).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("Not now.");
  await page.unroute(/\/graph\?include_updates/);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(card(page, "Box")).toBeVisible();
});
