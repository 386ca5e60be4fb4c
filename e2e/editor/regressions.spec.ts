import { expect } from "@playwright/test";

import {
  card,
  drag,
  header,
  makeEdge,
  makeGraph,
  makeNode,
  middle,
  openEditor,
  storedNode,
  stored,
} from "../drivers/canvas.ts";
import { trainCode } from "../drivers/fixtures.ts";
import { test } from "../drivers/people.ts";

const passCode = `from miranda import Node, Receiver, Transmitter

class Pass(Node):
    rows = Receiver("any")
    out = Transmitter("any")
`;

test("keeps a value that is set while the server cannot be reached, and sends it later", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const { metadata_id } = await makeNode(context, graph, { name: "Train", code: trainCode });
  await openEditor(page, path);
  await header(page, "Train").click();
  await page.route("**/api/v3/objects/**", (route) => route.abort());
  const note = card(page, "Train").getByRole("textbox", { name: "note" });
  await note.fill("typed in a tunnel");
  await note.press("Tab");
  await expect(page.getByText("Your changes are kept here and are sent when it is back.")).toBeVisible();
  await expect(note).toHaveValue("typed in a tunnel");
  // Loading the page again would lose it, so the browser asks first. This person stays.
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  const reload = () => page.evaluate(() => setTimeout(() => location.reload()));
  await reload();
  await expect.poll(() => asked).toEqual(["beforeunload"]);
  await expect(note).toHaveValue("typed in a tunnel");

  await page.unroute("**/api/v3/objects/**");
  const storedValue = async () =>
    (await storedNode(context, graph, metadata_id))?.api.attributes.find(({ name }) => name === "note")?.value;
  await expect.poll(storedValue).toBe("typed in a tunnel");
  await expect(note).toHaveValue("typed in a tunnel");
  // Once everything is sent, it asks nothing.
  await expect
    .poll(() => page.evaluate(() => dispatchEvent(new Event("beforeunload", { cancelable: true }))))
    .toBe(true);
  const loaded = page.waitForEvent("load");
  await reload();
  await loaded;
  await expect(note).toHaveValue("typed in a tunnel");
  expect(asked).toHaveLength(1);
});

test("inserts a node into the edge that it is dropped on, and one undo takes it out again", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const load = await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 }, code: passCode });
  const fit = await makeNode(context, graph, { name: "Fit", at: { x: 640, y: 0 }, code: passCode });
  await makeNode(context, graph, { name: "Clean", at: { x: 320, y: 320 }, code: passCode });
  await makeEdge(context, load, "out", fit, "rows");
  await openEditor(page, path);

  const edge = await middle(page.getByTestId("edge"));
  const from = await middle(header(page, "Clean"));
  const body = await middle(card(page, "Clean"));
  await drag(page, from, { x: edge.x + from.x - body.x, y: edge.y + from.y - body.y });
  const edges = async () =>
    (await stored(context, graph)).edges.map((one) => `${one.source_wob_key}→${one.destination_wob_key}`).toSorted();
  const clean = Object.values((await stored(context, graph)).nodes).find(({ name }) => name === "Clean")?.metadata_id;
  await expect.poll(edges).toEqual([`${load.metadata_id}→${clean}`, `${clean}→${fit.metadata_id}`].toSorted());
  // One undo takes back both the position and the edges.
  await page.keyboard.press("Control+z");
  await expect.poll(edges).toEqual([`${load.metadata_id}→${fit.metadata_id}`]);
});

test("copies a node that is dragged with Alt, and one undo takes the copy away", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const load = await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 }, code: passCode });
  await openEditor(page, path);
  const from = await middle(header(page, "Load"));
  await page.keyboard.down("Alt");
  await drag(page, from, { x: from.x + 160, y: from.y + 240 });
  await page.keyboard.up("Alt");
  const places = async () =>
    Object.fromEntries(
      Object.values((await stored(context, graph)).nodes).map((node) => [node.metadata_id, node.position]),
    );
  await expect.poll(async () => Object.keys(await places()).length).toBe(2);
  await expect(page.getByTestId("node")).toHaveCount(2);
  // The node itself stays.
  const { [load.metadata_id]: original, ...copies } = await places();
  expect(original).toMatchObject({ x: 0, y: 0 });
  expect(Object.values(copies)[0]?.y).toBeGreaterThan(100);
  await page.keyboard.press("Control+z");
  await expect.poll(async () => Object.keys(await places())).toEqual([`${load.metadata_id}`]);
});

test("fits a workflow into the screen of a phone", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  for (let at = 0; at < 6; at++)
    await makeNode(context, graph, { name: `Step ${at}`, at: { x: at * 320, y: (at % 2) * 160 }, code: passCode });
  await page.setViewportSize({ width: 390, height: 844 });
  await openEditor(page, path);
  const nodes = page.getByTestId("node");
  await expect(nodes).toHaveCount(6);
  for (const one of [nodes.first(), nodes.last()]) await expect(one).toBeInViewport({ ratio: 1 });
});

test("says that the node of a link is gone", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Train" });
  await openEditor(page, `${path}?node=999999`);
  await expect(page.getByText("The node of this link is no longer in the workflow.")).toBeVisible();
  await expect(page).not.toHaveURL(/node=/);
});
