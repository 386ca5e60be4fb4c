import { type BrowserContext, expect, type Locator, type Page, type WebSocketRoute } from "@playwright/test";

import type { GraphResponse, Node, Position } from "@miranda/contract/schemas/nodes.ts";

import { address } from "./people.ts";
import { loadCode, makeProject, makeWorkflow, trainCode } from "./fixtures.ts";

export interface OpenWorkflow {
  project: string;
  graph: string;
  path: string;
}

export async function makeGraph(context: BrowserContext, name = "Forecast"): Promise<OpenWorkflow> {
  const project = await makeProject(context, "Tides");
  const graph = await makeWorkflow(context, project, name);
  return { project, graph, path: `/designer/projects/${project}/graphs/${graph}` };
}

interface Fields {
  name: string;
  type?: string;
  at?: Position;
  code?: string;
}

export async function makeNode(context: BrowserContext, graph: string, fields: Fields): Promise<Node> {
  const { name, type = "CODE_BLOCK", at = { x: 0, y: 0 }, code } = fields;
  const made = await context.request.post(address(`/api/v3/objects?wob_type=${type}`), {
    form: { name, project_id: graph, position: JSON.stringify(at) },
  });
  expect(made.status(), await made.text()).toBe(200);
  const node = (await made.json()) as Node;
  if (code === undefined) return node;
  const written = await context.request.put(address(`/api/v3/objects/${node.metadata_id}/api`), {
    form: { source_code: code },
  });
  expect(written.status(), await written.text()).toBe(200);
  return (await written.json()) as Node;
}

export async function makeEdge(
  context: BrowserContext,
  from: Pick<Node, "metadata_id">,
  out: string,
  to: Pick<Node, "metadata_id">,
  into: string,
): Promise<void> {
  const made = await context.request.post(address("/api/v3/objects/edges"), {
    form: { from_id: from.metadata_id, to_id: to.metadata_id, transmitter_key: out, receiver_key: into },
  });
  expect(made.status(), await made.text()).toBe(200);
}

/** A workflow of two nodes with an edge from Load to Train. */
export async function makeLoadAndTrain(
  context: BrowserContext,
  at: Position,
): Promise<OpenWorkflow & { load: Node; train: Node }> {
  const workflow = await makeGraph(context);
  const load = await makeNode(context, workflow.graph, { name: "Load", code: loadCode });
  const train = await makeNode(context, workflow.graph, { name: "Train", code: trainCode, at });
  await makeEdge(context, load, "rows", train, "rows");
  return { ...workflow, load, train };
}

export async function makeGroup(
  context: BrowserContext,
  graph: string,
  name: string,
  members: readonly Pick<Node, "metadata_id">[],
): Promise<void> {
  const made = await context.request.post(address(`/api/v3/graphs/${graph}/groups`), {
    form: { name, metadata_ids: JSON.stringify(members.map((node) => node.metadata_id)), collapsed: "true" },
  });
  expect(made.status(), await made.text()).toBe(200);
}

export async function invite(context: BrowserContext, project: string, user: string, role: string): Promise<void> {
  const answer = await context.request.post(address(`/api/v3/projects/${project}/members`), { form: { user, role } });
  expect(answer.status(), await answer.text()).toBe(200);
}

/** The graph as the server has it. */
export async function stored(context: BrowserContext, graph: string): Promise<GraphResponse> {
  const answer = await context.request.get(address(`/api/v3/graphs/${graph}/graph`));
  expect(answer.status()).toBe(200);
  return (await answer.json()) as GraphResponse;
}

export async function storedNode(context: BrowserContext, graph: string, id: number): Promise<Node | undefined> {
  return (await stored(context, graph)).nodes[id];
}

export async function openEditor(page: Page, path: string): Promise<void> {
  await page.goto(address(path));
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  await expect(page.getByTestId("offline")).toHaveCount(0);
}

export const card = (page: Page, name: string): Locator =>
  page.getByTestId("node").filter({ has: page.getByTestId("node-name").getByText(name, { exact: true }) });

export const header = (page: Page, name: string): Locator => card(page, name).getByTestId("node-name");

export async function middle(locator: Locator): Promise<Position> {
  const box = await locator.boundingBox();
  if (!box) throw new Error("It is not on the screen.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A point on the empty canvas, as fractions of its width and height. */
export async function spot(page: Page, across: number, down: number): Promise<Position> {
  const box = await page.locator(".react-flow__pane").boundingBox();
  if (!box) throw new Error("There is no canvas.");
  return { x: Math.round(box.x + box.width * across), y: Math.round(box.y + box.height * down) };
}

/** Adds the first item of the palette. */
export async function addAt(page: Page, across: number, down: number): Promise<Position> {
  const at = await spot(page, across, down);
  await page.mouse.dblclick(at.x, at.y);
  await page.getByRole("combobox", { name: "Add a node" }).press("Enter");
  return at;
}

/** Drags from one point to another. */
export async function drag(page: Page, from: Position, to: Position): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

export const handle = (page: Page, node: string, id: string): Locator => card(page, node).getByTestId(`handle-${id}`);

export async function join(page: Page, from: Locator, to: Locator): Promise<void> {
  await drag(page, await middle(from), await middle(to));
}

/** Pastes text on the canvas, as from another program. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((given) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", given);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

export interface TappedSocket {
  /** Events that the page sent, as [name, ...arguments]. */
  sent: unknown[][];
  /** Delivers an event to the page as if the server had sent it. */
  inject: (...event: unknown[]) => void;
  /** Sends the server's heartbeat, so that the page does not take a moved clock for a lost connection. */
  ping: () => void;
  /** Closes the connection. The page may reconnect. */
  cut: () => Promise<void>;
}

/** Records the page's socket, can send events on it, and can close it. Call it before the page opens. */
export async function tapSocket(page: Page): Promise<TappedSocket> {
  const sent: unknown[][] = [];
  let current: WebSocketRoute | undefined;
  await page.routeWebSocket(/\/ws\/socket\.io/, (route) => {
    current = route;
    const server = route.connectToServer();
    route.onMessage((message) => {
      const event = /^42\d*(\[.*\])$/s.exec(String(message))?.[1];
      if (event) sent.push(JSON.parse(event) as unknown[]);
      server.send(message);
    });
  });
  return {
    sent,
    inject: (...event) => current?.send(`42${JSON.stringify(event)}`),
    ping: () => current?.send("2"),
    cut: async () => current?.close({ code: 1001 }),
  };
}

/** The canvas moves its view when a panel takes space. Waits until it rests: before, a drag would miss its target. */
export async function viewRests(page: Page): Promise<void> {
  const view = page.locator(".react-flow__viewport");
  if ((await view.count()) === 0) return;
  let [before, same] = ["", 0];
  const countSame = async () => {
    const now = (await view.getAttribute("style")) ?? "";
    same = now === before ? same + 1 : 0;
    before = now;
    return same;
  };
  await expect.poll(countSame, { intervals: [100] }).toBeGreaterThan(4);
}
