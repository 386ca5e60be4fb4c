import { expect } from "@playwright/test";

import { card, drag, header, makeEdge, makeGraph, makeNode, middle, openEditor, stored } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";

const passCode = `from miranda import Node, Receiver, Transmitter

class Pass(Node):
    rows = Receiver("any")
    out = Transmitter("any")
`;

test("puts a node into the edge that it is dropped on, and takes it out again in one step", async ({
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
  // One step takes it back: the place and the edges.
  await page.keyboard.press("Control+z");
  await expect.poll(edges).toEqual([`${load.metadata_id}→${fit.metadata_id}`]);
});
