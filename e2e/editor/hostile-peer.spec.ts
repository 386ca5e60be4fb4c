import { type BrowserContext, expect, type Page } from "@playwright/test";
import { io, type Socket } from "socket.io-client";

import { broadcastChannels } from "@miranda/contract/broadcast-channels.ts";
import { attribute, broadcastSamples, edge, node } from "@miranda/contract/graph/graph-samples.ts";
import { socket as limits } from "@miranda/contract/limits.ts";

import { card, makeGraph, makeNode, openEditor, tapSocket } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";

/** A person's socket that is not one of our pages. */
async function connectSocket(context: BrowserContext): Promise<Socket> {
  const cookies = await context.cookies(address("/"));
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const socket = io(address(""), {
    path: limits.path,
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
    extraHeaders: { cookie },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("ready", () => resolve());
    socket.once("connect_error", reject);
  });
  return socket;
}

async function expectUnharmed(page: Page): Promise<void> {
  await expect(page.getByTestId("global-error-stack")).toHaveCount(0);
  await expect(page.getByTestId("error-screen")).toHaveCount(0);
  await expect(page.getByTestId("graph-editor")).toBeVisible();
}

test("shows no error for broadcasts that break their channel's schema, even if the server let them through", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Load" });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("could not be read")) warnings.push(message.text());
    // Parsing broadcasts must not compile code: the Content Security Policy forbids it.
    if (message.text().includes("Content Security Policy")) faults.push(message.text());
  });
  const tap = await tapSocket(page);
  await openEditor(page, path);
  const garbage = [null, undefined, 5, "x", [], {}, { metadata_id: null }, { metadata_ids: null, changes: null }];
  for (const channel of broadcastChannels)
    for (const data of garbage) tap.inject(`broadcast<${ben.person.username}>(${channel})`, data);
  await expect.poll(() => warnings.length).toBe(broadcastChannels.length * garbage.length);
  await expectUnharmed(page);

  // A valid broadcast still arrives.
  const socket = await connectSocket(ben.context);
  expect(await socket.emitWithAck("enter_project", graph)).toBe(null);
  const { metadata_id } = await makeNode(context, graph, { name: "Mix", at: { x: 380, y: 0 } });
  expect(await socket.emitWithAck("broadcast", "selection", { metadata_ids: [metadata_id] })).toBe(null);
  await expect(card(page, "Mix").getByText(ben.person.username)).toBeVisible();
  socket.disconnect();
  expect(faults).toEqual([]);
});

test("keeps everybody's canvas working whatever a hostile editor broadcasts", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  const load = await makeNode(context, graph, { name: "Load" });
  const policy = await makeNode(context, graph, { name: "Disk", type: "STORAGE_POLICY", at: { x: 0, y: 300 } });
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await openEditor(page, path);
  await card(page, "Disk").click();
  const socket = await connectSocket(ben.context);
  expect(await socket.emitWithAck("enter_project", graph)).toBe(null);
  const broadcast = (channel: string, data: unknown) =>
    socket.emitWithAck("broadcast", channel, data) as Promise<string | null>;

  // These once opened the error dialog for everybody and broke the canvas.
  const refused = "That is not what this channel carries.";
  expect(await broadcast("selection", null)).toBe(refused);
  expect(await broadcast("create[edge]", {})).toBe(refused);

  // These match their schema but are as odd as it allows.
  const odd = attribute("odd", "RECEIVER_FIELD", {
    control: { type: "slider", min: 5, max: -5 },
    value: { deep: [null] },
    shown_when: { nobody: [{ unknown: 1 }] },
  });
  const id = load.metadata_id;
  const sent: [string, unknown][] = [
    ["create[edge]", edge("999999.x", "999998.y")],
    ["create[edge]", edge(`${id}.nothing`, `${id}.nowhere`)],
    ["update[attribute]", { metadata_id: id, name: "input", value: { not: ["text"] } }],
    ["update[CODE]", { metadata_id: id, source_code: "", api: { ...load.api, attributes: [odd, odd] } }],
    ["update[wob]", { metadata_id: id, changes: { name: "", description: "\u202e", position: { x: -1e7, y: 1e7 } } }],
    ["update[wob]", { metadata_id: policy.metadata_id, changes: { body: { type: "s3", bucket: "" } } }],
    ["update[wob]", { metadata_id: policy.metadata_id, changes: { body: {} } }],
    ["update[wob]", { metadata_id: policy.metadata_id, changes: { body: null } }],
    ["create[wob]", node(-1, [odd])],
    ["create[wob]", { ...node(999_997, [odd]), key: 5 }],
    ["create[blueprint]", { ...broadcastSamples["create[blueprint]"], nodes: { x: node(999_996, [odd]) } }],
    ["setWaitingOnTag", { tag: -1 }],
    ["selection", { metadata_ids: Array.from({ length: 5_000 }, (_, at) => at) }],
  ];
  for (const [channel, data] of sent) expect([channel, await broadcast(channel, data)]).toEqual([channel, null]);
  await expectUnharmed(page);
  // None of it is stored, so all of it disappears by itself.
  await expect(card(page, "Load")).toBeVisible({ timeout: 15_000 });
  await expectUnharmed(page);
  socket.disconnect();
  expect(faults).toEqual([]);
});

test("shows that an account has too many connections, and keeps the page usable", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load" });
  const sockets = await Promise.all(Array.from({ length: 250 }, () => connectSocket(context)));
  await page.goto(address(path));
  await expect(page.getByTestId("offline")).toHaveText("You have too many connections. Close some tabs.");
  await expect(card(page, "Load")).toBeVisible();
  for (const socket of sockets) socket.disconnect();
});
