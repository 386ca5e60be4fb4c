import { expect } from "@playwright/test";

import {
  addAt,
  card,
  drag,
  handle,
  header,
  join,
  makeGraph,
  makeNode,
  middle,
  openEditor,
  stored,
  storedNode,
  tapSocket,
} from "../drivers/canvas.ts";
import { address, stall, test } from "../drivers/people.ts";
import { graphml, trainCode } from "../drivers/fixtures.ts";

test("S2-013 S2-014 S2-145 shows a spinner while the editor's code and the graph load", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeGraph(context);
  const releaseCode = await stall(page, /assets\/graph-editor-screen.*\.js/);
  const releaseGraph = await stall(page, /\/graph\?include_updates=true/);
  await page.goto(address(path));
  await expect(page.getByText("Loading", { exact: true })).toBeVisible();
  await releaseCode();
  await expect(page.getByText("Loading the workflow")).toBeVisible();
  await expect(page.getByTestId("graph-editor")).toHaveCount(0);
  await releaseGraph();
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Start with a node" })).toBeVisible();
});

test("S1-009 S2-146 shows the three kinds of nodes at their stored positions", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  await makeNode(context, graph, { name: "Box", type: "COMPUTE_POLICY", at: { x: 320, y: 200 } });
  await makeNode(context, graph, { name: "Disk", type: "STORAGE_POLICY", at: { x: -40, y: 240 } });
  await openEditor(page, path);
  await expect(card(page, "Load")).toHaveAttribute("data-class", "Code_block");
  await expect(card(page, "Box")).toHaveAttribute("data-class", "compute_policy");
  await expect(card(page, "Disk")).toHaveAttribute("data-class", "storage_policy");
  const [load, box, disk] = await Promise.all(
    ["Load", "Box", "Disk"].map(async (name) => (await card(page, name).boundingBox()) ?? { x: 0, y: 0 }),
  );
  expect(box!.x - load!.x).toBeCloseTo(320, 0);
  expect(box!.y - load!.y).toBeCloseTo(200, 0);
  expect(disk!.x - load!.x).toBeCloseTo(-40, 0);
  expect(disk!.y - load!.y).toBeCloseTo(240, 0);
});

test("S1-010 S2-147 S2-149 S7-038 S7-039 adds, moves, renames and deletes a node, with a ghost until it exists", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await openEditor(page, path);
  const release = await stall(page, /\/api\/v3\/objects\?wob_type/, "POST");
  const asked = page.waitForRequest(/\/api\/v3\/objects\?wob_type/);
  const drop = await addAt(page, 0.3, 0.3);
  const request = await asked;
  expect(request.url()).toContain("wob_type=CODE_BLOCK");
  expect(new URLSearchParams(request.postData() ?? "").get("name")).toBe("New Node");
  const ghost = page.getByTestId("ghost-node");
  await expect(ghost).toHaveText("Instantiating");
  const ghostAt = await ghost.boundingBox();
  expect(Math.abs((ghostAt?.x ?? 0) - drop.x)).toBeLessThan(12);
  expect(Math.abs((ghostAt?.y ?? 0) - drop.y)).toBeLessThan(12);
  await release();
  await expect(ghost).toHaveCount(0);
  await expect(card(page, "New Node")).toBeVisible();
  const realAt = await card(page, "New Node").boundingBox();
  expect(realAt?.x).toBeCloseTo(ghostAt?.x ?? 0, 0);

  const origin = Object.values((await stored(context, graph)).nodes)[0]?.position ?? { x: 0, y: 0 };
  const at = await middle(header(page, "New Node"));
  await drag(page, at, { x: at.x + 160, y: at.y + 80 });
  const placed = async () => Object.values((await stored(context, graph)).nodes)[0]?.position ?? { x: 0, y: 0 };
  await expect.poll(async () => (await placed()).x - origin.x).toBeGreaterThan(100);
  const moved = await card(page, "New Node").boundingBox();
  expect((moved?.x ?? 0) - (realAt?.x ?? 0)).toBeCloseTo((await placed()).x - origin.x, 0);
  expect((moved?.y ?? 0) - (realAt?.y ?? 0)).toBeCloseTo((await placed()).y - origin.y, 0);

  await header(page, "New Node").dblclick();
  const field = page.getByRole("textbox", { name: "Node name" });
  await field.fill("Load tides 🌊");
  await field.press("Enter");
  await expect(card(page, "Load tides 🌊")).toBeVisible();
  await expect.poll(async () => Object.values((await stored(context, graph)).nodes)[0]?.name).toBe("Load tides 🌊");

  await page.reload();
  await expect(card(page, "Load tides 🌊")).toBeVisible();
  const before = await stored(context, graph);
  expect(Object.values(before.nodes)).toHaveLength(1);
  await header(page, "Load tides 🌊").click();
  await page.keyboard.press("Delete");
  await expect(page.getByTestId("node")).toHaveCount(0);
  await expect.poll(async () => Object.keys((await stored(context, graph)).nodes).length).toBe(0);
  await page.keyboard.press("Control+z");
  await expect(card(page, "Load tides 🌊")).toBeVisible();
  await expect
    .poll(async () => (await stored(context, graph)).nodes)
    .toMatchObject(Object.fromEntries(Object.entries(before.nodes).map(([key, { name }]) => [key, { name }])));
});

test("S1-011 connects ports that fit by dragging, refuses others, and removes edges", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  const train = await makeNode(context, graph, { name: "Train", at: { x: 400, y: 0 }, code: trainCode });
  await makeNode(context, graph, { name: "Box", type: "COMPUTE_POLICY", at: { x: 0, y: 300 } });
  await openEditor(page, path);

  const from = await middle(handle(page, "Load", "t:output"));
  const to = await middle(handle(page, "Train", "r:rows"));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y + 30, { steps: 4 });
  await expect(card(page, "Train").getByTestId("attribute-rows")).toHaveAttribute("data-lit", "true");
  await expect(card(page, "Train").getByTestId("attribute-compute")).toHaveAttribute("data-dim", "true");
  await expect(card(page, "Box")).toHaveAttribute("data-away", "true");
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByTestId("edge")).toHaveCount(1);
  await expect
    .poll(async () => (await stored(context, graph)).edges)
    .toMatchObject([
      { source_transmitter_key: "output", destination_wob_key: train.metadata_id, destination_receiver_key: "rows" },
    ]);
  await expect(card(page, "Train")).not.toHaveAttribute("data-away");

  // A policy does not fit a table port.
  await join(page, handle(page, "Box", "t:compute"), handle(page, "Train", "r:rows"));
  await expect(page.getByTestId("edge")).toHaveCount(1);
  await join(page, handle(page, "Box", "t:compute"), handle(page, "Load", "r:compute"));
  await expect(page.getByTestId("edge")).toHaveCount(2);
  // Train is downstream of Load, so it inherits the policy.
  await expect(page.getByTestId("implied-edge")).toHaveCount(1);
  await expect.poll(async () => (await stored(context, graph)).edges.length).toBe(2);
  await page.reload();
  await expect(page.getByTestId("edge")).toHaveCount(2);

  const line = await page.getByTestId("edge").first().boundingBox();
  await page.mouse.click((line?.x ?? 0) + (line?.width ?? 0) / 2, (line?.y ?? 0) + (line?.height ?? 0) / 2);
  await page.keyboard.press("Delete");
  await expect(page.getByTestId("edge")).toHaveCount(1);
  await page.keyboard.press("Control+z");
  await expect(page.getByTestId("edge")).toHaveCount(2);
});

test("S2-148 S7-052 adds a prefab for a dragged edge: a ghost first, then the edge, then the position", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  await openEditor(page, path);
  const calls: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    // Asking what a run would do changes nothing either.
    if (request.method() === "GET" || url.pathname.endsWith("/run-check")) return;
    if (url.pathname.startsWith("/api/v3/"))
      calls.push(`${request.method()} ${url.pathname.replace(/[0-9a-f-]{36}|\d+$/g, "…")}`);
  });
  const release = await stall(page, /\/api\/v3\/objects\/clone\//, "POST");
  const from = await middle(handle(page, "Load", "t:output"));
  const target = { x: from.x + 120, y: from.y + 200 };
  await drag(page, from, target);
  const search = page.getByRole("combobox", { name: "Add a node that fits" });
  await expect(page.getByRole("option", { name: /Compute policy/ })).toHaveCount(0);
  await search.fill("log value");
  await expect(page.getByRole("listbox").getByRole("option")).toHaveCount(1);
  await search.press("Enter");
  const ghost = page.getByTestId("ghost-node");
  await expect(ghost).toHaveText("Instantiating");
  const at = await ghost.boundingBox();
  expect(Math.abs((at?.x ?? 0) - target.x)).toBeLessThan(12);
  expect(Math.abs((at?.y ?? 0) - target.y)).toBeLessThan(12);
  await release();
  await expect(card(page, "Log value")).toBeVisible();
  await expect(ghost).toHaveCount(0);
  await expect(page.getByTestId("edge")).toHaveCount(1);
  expect(calls).toEqual([
    "POST /api/v3/objects/clone/…",
    "POST /api/v3/objects/edges",
    "PUT /api/v3/designer/…/nodes/…",
  ]);
  expect((await stored(context, graph)).edges).toHaveLength(1);
});

test("S3-023 S5-013 S5-014 hides conditional controls on the node and stores values after a pause or on blur", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const train = await makeNode(context, graph, { name: "Train", code: trainCode });
  const value = async (name: string) =>
    (await storedNode(context, graph, train.metadata_id))?.api.attributes.find((one) => one.name === name)?.value;
  await openEditor(page, path);
  const node = card(page, "Train");
  await expect(node.getByTestId("attribute-epochs")).toHaveCount(0);
  await node.getByRole("combobox", { name: "mode" }).selectOption("safe");
  await expect(node.getByTestId("attribute-epochs")).toBeVisible();
  await expect.poll(() => value("mode")).toBe("safe");

  const note = node.getByRole("textbox", { name: "note" });
  const patched = page.waitForRequest((request) => request.url().endsWith("/attributes/note"));
  await note.fill("first");
  await patched;
  await expect.poll(() => value("note")).toBe("first");
  await note.fill("second");
  await note.blur();
  await expect.poll(() => value("note")).toBe("second");

  // Reset to the code's default from the inspector.
  await header(page, "Train").click();
  await page.getByRole("button", { name: "Reset note to its default" }).click();
  await expect(note).toHaveValue("hello");
  await expect.poll(() => value("note")).toBe("hello");
});

test("S4-019 disables, enables, locks and unlocks a node", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  const { metadata_id } = await makeNode(context, graph, { name: "Load" });
  await openEditor(page, path);
  await header(page, "Load").click();
  const inspector = page.getByTestId("inspector");
  await inspector.getByRole("switch", { name: "Enabled" }).click();
  await expect(card(page, "Load")).toHaveAttribute("data-disabled", "true");
  await expect.poll(async () => (await storedNode(context, graph, metadata_id))?.api.disabled).toBe(true);
  await header(page, "Load").click();
  await page.keyboard.press("d");
  await expect(card(page, "Load")).not.toHaveAttribute("data-disabled");
  await expect.poll(async () => (await storedNode(context, graph, metadata_id))?.api.disabled).toBe(false);
  await inspector.getByRole("switch", { name: "Locked" }).click();
  await expect(page.getByTestId("locked-badge")).toBeVisible();
  await header(page, "Load").click();
  await page.keyboard.press("Delete");
  await expect(card(page, "Load")).toBeVisible();
  await inspector.getByRole("switch", { name: "Locked" }).click();
  await expect(page.getByTestId("locked-badge")).toHaveCount(0);
});

test("S5-004 S5-005 S5-006 sends no name or description that changes nothing", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load" });
  await openEditor(page, path);
  const warnings: string[] = [];
  const patches: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning") warnings.push(message.text());
  });
  page.on("request", (request) => {
    if (request.method() === "PATCH") patches.push(request.url());
  });
  const field = page.getByRole("textbox", { name: "Node name" });
  for (const [name, count] of [
    ["   ", 1],
    ["Load", 2],
  ] as const) {
    await header(page, "Load").dblclick();
    await field.fill(name);
    await field.press("Enter");
    await expect(field).toHaveCount(0);
    await expect.poll(() => warnings.length).toBe(count);
  }
  const description = page.getByTestId("inspector").getByRole("textbox", { name: "Description" });
  await description.fill("");
  await description.press("End");
  await description.blur();
  await expect(card(page, "Load")).toBeVisible();
  expect(patches).toEqual([]);
  await description.fill("Reads the tides.");
  await description.blur();
  await expect.poll(() => patches.length).toBe(1);
});

test("S8-008 reverts, logs and explains a change that the server refuses", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load" });
  await openEditor(page, path);
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning") warnings.push(message.text());
  });
  await page.route(/\/api\/v3\/objects\/\d+$/, (route) =>
    route.request().method() === "PATCH" ? route.fulfill({ status: 500, body: "The disk is full." }) : route.continue(),
  );
  await header(page, "Load").dblclick();
  await page.getByRole("textbox", { name: "Node name" }).fill("Other");
  await page.keyboard.press("Enter");
  await expect(page.getByText("The disk is full.")).toBeVisible();
  await expect(card(page, "Load")).toBeVisible();
  await expect(card(page, "Other")).toHaveCount(0);
  expect(warnings.join()).toContain("The disk is full.");
});

test("S7-034 S7-035 loads the graph once, and refreshes it without the query", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes(`/graphs/${graph}/graph`) && request.method() === "GET")
      asked.push(new URL(request.url()).search);
  });
  const socket = await tapSocket(page);
  await page.clock.install();
  await openEditor(page, path);
  for (let passed = 0; passed < 40_000; passed += 5_000) {
    socket.ping();
    await page.clock.fastForward(5_000);
  }
  await page.clock.resume();
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  expect(asked).toEqual(["?include_updates=true"]);
  // An import changes more than single events carry, so every browser reloads the graph.
  const imported = await context.request.post(address(`/api/v3/graphs/${graph}/graphml`), { form: { body: graphml } });
  expect(imported.status()).toBe(200);
  await expect(card(page, "Train")).toBeVisible();
  expect(asked.slice(1)).toEqual([""]);
});
