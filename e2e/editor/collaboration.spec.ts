import { expect, type Page } from "@playwright/test";

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
  spot,
  stored,
  storedNode,
  tapSocket,
} from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";

const twoFields = `from miranda import Node, Field

class Mix(Node):
    left = Field("l")
    right = Field("r")
`;

test("S1-012 S2-046 S7-094 to S7-105 lets two people build one graph and shows each what the other does", async ({
  page,
  context,
  browser,
  person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  await makeNode(context, graph, { name: "Mix", at: { x: 380, y: 0 }, code: twoFields });
  await openEditor(page, path);
  await openEditor(ben.page, path);
  const avatars = page.getByTestId("collaborators").getByRole("button");
  await expect(avatars).toHaveCount(2);
  await expect(avatars.nth(0)).toHaveAccessibleName("Ada Tester");
  await expect(avatars.nth(1)).toHaveAccessibleName("Ben Tester");
  const bar = await page.getByTestId("top-bar").boundingBox();
  expect((await avatars.nth(0).boundingBox())?.x).toBeGreaterThan((bar?.width ?? 0) / 2);

  // A selection and a pointer have the colour of their person.
  await header(page, "Load").click();
  await expect(card(ben.page, "Load").getByText(person.username)).toBeVisible();
  const empty = await spot(page, 0.4, 0.7);
  await page.mouse.move(empty.x, empty.y);
  await expect(ben.page.getByTestId("cursor")).toContainText(person.username);

  // Field values.
  await card(page, "Mix").getByRole("textbox", { name: "left" }).fill("from Ada");
  await expect(card(ben.page, "Mix").getByRole("textbox", { name: "left" })).toHaveValue("from Ada");
  await header(page, "Load").click();
  await page.keyboard.press("d");
  await expect(card(ben.page, "Load")).toHaveAttribute("data-disabled", "true");
  await ben.page.getByRole("button", { name: /^Fit everything/ }).click();
  await header(ben.page, "Load").dblclick();
  await ben.page.getByRole("textbox", { name: "Node name" }).fill("Read");
  await ben.page.keyboard.press("Enter");
  await expect(card(page, "Read")).toBeVisible();
});

test("S7-102 to S7-107 shows both people every created, moved and deleted node, edge and blueprint, and who left", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Read", at: { x: 0, y: 0 } });
  await openEditor(page, path);
  await openEditor(ben.page, path);
  await addAt(page, 0.2, 0.75);
  await expect(card(ben.page, "New Node")).toBeVisible();
  await expect(card(page, "New Node")).toBeVisible();
  await join(page, handle(page, "Read", "t:output"), handle(page, "New Node", "r:input"));
  await expect(ben.page.getByTestId("edge")).toHaveCount(1);
  const before = await card(ben.page, "New Node").boundingBox();
  const at = await middle(header(page, "New Node"));
  await drag(page, at, { x: at.x - 120, y: at.y + 40 });
  await expect
    .poll(async () => ((await card(ben.page, "New Node").boundingBox())?.x ?? 0) - (before?.x ?? 0))
    .toBeLessThan(-60);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await expect(ben.page.getByTestId("edge")).toHaveCount(0);
  await header(page, "New Node").click();
  await page.keyboard.press("Delete");
  await expect(card(ben.page, "New Node")).toHaveCount(0);

  await page.keyboard.press("a");
  // By its name: other journeys publish blueprints of their own.
  await page.getByRole("combobox", { name: "Add a node" }).fill("Iris: your first model");
  await page.getByRole("listbox").getByRole("option").first().click();
  const count = async () => Object.keys((await stored(context, graph)).nodes).length;
  await expect.poll(count).toBeGreaterThan(4);
  for (const one of [page, ben.page]) {
    await one.keyboard.press("1");
    await expect(one.getByTestId("node")).toHaveCount(await count());
  }

  // One person leaves.
  await page.getByTestId("back-link").click();
  await expect(page.getByTestId("collaborators")).toHaveCount(0);
  await expect(ben.page.getByTestId("collaborators").getByRole("button")).toHaveCount(1);
  await expect(ben.page.getByTestId("cursor")).toHaveCount(0);
});

test("keeps both edits to different fields of a node, and one value for both people when they edit the same field", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  const mix = await makeNode(context, graph, { name: "Mix", code: twoFields });
  await openEditor(page, path);
  await openEditor(ben.page, path);
  const field = (one: Page, name: string) => card(one, "Mix").getByRole("textbox", { name });
  const { revision } = await stored(context, graph);
  const isAt = (wanted: number) => expect.poll(async () => (await stored(context, graph)).revision).toBe(wanted);
  await Promise.all([field(page, "left").fill("Ada"), field(ben.page, "right").fill("Ben")]);
  for (const one of [page, ben.page]) {
    await expect(field(one, "left")).toHaveValue("Ada");
    await expect(field(one, "right")).toHaveValue("Ben");
  }
  await isAt(revision + 2);
  await Promise.all([field(page, "left").fill("one"), field(ben.page, "left").fill("two")]);
  await Promise.all([field(page, "left").blur(), field(ben.page, "left").blur()]);
  // The later of the two is known only when both are stored.
  await isAt(revision + 4);
  const left = (await storedNode(context, graph, mix.metadata_id))?.api.attributes.find(({ name }) => name === "left");
  expect(left?.value).toMatch(/^(one|two)$/);
  await expect(field(page, "left")).toHaveValue(String(left?.value));
  await expect(field(ben.page, "left")).toHaveValue(String(left?.value));
});

test("notifies a person when somebody deletes the node they are editing", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Mix", code: twoFields });
  await openEditor(page, path);
  await openEditor(ben.page, path);
  await header(page, "Mix").click();
  await card(page, "Mix").getByRole("textbox", { name: "left" }).pressSequentially("abc");
  await header(ben.page, "Mix").click();
  await ben.page.keyboard.press("Delete");
  await expect(page.getByText(`${ben.person.username} deleted “Mix” while you had it open.`)).toBeVisible();
  await expect(page.getByTestId("node")).toHaveCount(0);
  await expect(page.getByTestId("inspector")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Start with a node" })).toBeVisible();
});

test("gives everybody exactly the server's graph after a connection breaks", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Load", at: { x: 0, y: 0 } });
  await makeNode(context, graph, { name: "Train", at: { x: 380, y: 0 } });
  const socket = await tapSocket(ben.page);
  await openEditor(page, path);
  await openEditor(ben.page, path);
  await expect(card(ben.page, "Train")).toBeVisible();
  // Only somebody who was in the graph before loads it again.
  await expect(ben.page.getByTestId("collaborators").getByRole("button")).toHaveCount(2);
  const refetched = ben.page.waitForRequest((request) => request.url().endsWith(`/graphs/${graph}/graph`));
  await socket.cut();
  await expect(ben.page.getByTestId("offline")).toBeVisible();

  await header(page, "Load").click();
  await page.keyboard.press("Delete");
  await expect(card(page, "Load")).toHaveCount(0);
  await addAt(page, 0.3, 0.75);
  await expect(card(page, "New Node")).toBeVisible();
  await header(page, "Train").dblclick();
  await page.getByRole("textbox", { name: "Node name" }).fill("Fit");
  await page.keyboard.press("Enter");

  await refetched;
  await expect(ben.page.getByTestId("offline")).toHaveCount(0);
  await expect(card(ben.page, "Fit")).toBeVisible();
  await expect(card(ben.page, "New Node")).toBeVisible();
  await expect(ben.page.getByTestId("node")).toHaveCount(2);
  await expect(ben.page.getByTestId("ghost-node")).toHaveCount(0);
  await expect(page.getByTestId("collaborators").getByRole("button")).toHaveCount(2);
  // Editing goes on afterwards.
  await header(ben.page, "Fit").click();
  await ben.page.keyboard.press("d");
  await expect(card(page, "Fit")).toHaveAttribute("data-disabled", "true");
});

test("lets readers look, select, copy and search, and offers them no way to change anything", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context, "viewer");
  await makeNode(context, graph, { name: "Mix", code: twoFields });
  await openEditor(ben.page, path);
  const reader = ben.page;
  await expect(reader.getByTestId("view-only")).toBeVisible();
  await expect(reader.getByRole("button", { name: /Add node|Undo|Arrange|Library/ })).toHaveCount(0);
  await expect(card(reader, "Mix").getByRole("textbox", { name: "left" })).toBeDisabled();
  await header(reader, "Mix").click();
  await expect(reader.getByTestId("inspector").getByRole("textbox", { name: "Name", exact: true })).toBeDisabled();
  await expect(reader.getByRole("button", { name: "Delete" })).toHaveCount(0);
  await reader.keyboard.press("Delete");
  await reader.keyboard.press("a");
  const empty = await spot(reader, 0.3, 0.8);
  await reader.mouse.dblclick(empty.x, empty.y);
  await expect(reader.getByTestId("palette")).toHaveCount(0);
  await expect(card(reader, "Mix")).toBeVisible();
  const at = await middle(header(reader, "Mix"));
  const before = await card(reader, "Mix").boundingBox();
  await drag(reader, at, { x: at.x + 100, y: at.y });
  expect((await storedNode(context, graph, 0)) ?? null).toBeNull();
  await reader.keyboard.press("Escape");
  await reader.keyboard.press("1");
  await expect.poll(async () => (await card(reader, "Mix").boundingBox())?.x).toBeCloseTo(before?.x ?? 0, 0);
  await reader.keyboard.press("Control+f");
  await reader.getByRole("combobox", { name: "Find a node by name" }).fill("mix");
  await expect(reader.getByRole("listbox").getByRole("option")).toHaveCount(1);
  await reader.keyboard.press("Escape");
  // The person becomes an editor while the graph is open.
  await openEditor(page, path);
  const members = (await (
    await context.request.get(address(`/api/v3/projects/${path.split("/")[3]}/members`))
  ).json()) as { id: string; username: string }[];
  const member = members.find(({ username }) => username === ben.person.username);
  const raised = await context.request.patch(address(`/api/v3/projects/${path.split("/")[3]}/members/${member?.id}`), {
    form: { role: "editor" },
  });
  expect(raised.status(), await raised.text()).toBe(200);
  await expect(reader.getByTestId("view-only")).toHaveCount(0);
  await expect(card(reader, "Mix").getByRole("textbox", { name: "left" })).toBeEnabled();
});

test("S4-014 S4-015 S7-086 S7-090 S7-091 sends enter, renew, broadcast and leave on the socket", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load" });
  const socket = await tapSocket(page);
  const named = (name: string) => socket.sent.filter(([event]) => event === name).map(([, argument]) => argument);
  await page.clock.install();
  await openEditor(page, path);
  await expect.poll(() => named("enter_project")).toEqual([graph]);
  for (let passed = 0; passed < 35_000; passed += 5_000) {
    socket.ping();
    await page.clock.runFor(5_000);
  }
  // Time also passes by itself, so there may be more.
  await expect.poll(() => named("renew_project_presence").length).toBeGreaterThanOrEqual(2);
  expect(new Set(named("renew_project_presence"))).toEqual(new Set([graph]));
  await page.clock.resume();
  await header(page, "Load").click();
  await expect.poll(() => named("broadcast")).toContain("selection");
  await page.keyboard.press("d");
  await expect.poll(() => named("broadcast")).toContain("setNodeDisabled");
  await page.getByTestId("back-link").click();
  await expect.poll(() => named("leave_project")).toEqual([graph]);
});

test("S7-093 S7-109 S7-110 S7-111 S7-119 S8-007 S8-009 S8-010 handles every event that the server pushes", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const { metadata_id } = await makeNode(context, graph, { name: "Load" });
  const socket = await tapSocket(page);
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning") warnings.push(message.text());
  });
  await openEditor(page, path);
  await expect(card(page, "Load")).toBeVisible();

  socket.inject("status", { metadata_id, status: "done" });
  await expect(card(page, "Load")).toHaveAttribute("data-status", "done");
  socket.inject("running_node", { job_id: graph, wob_key: metadata_id });
  await expect(card(page, "Load")).toHaveAttribute("data-status", "running");
  socket.inject("running_node", { job_id: graph, wob_key: null });
  await expect(card(page, "Load")).toHaveAttribute("data-status", "done");

  const asked = page.waitForRequest((request) => request.url().includes(`/objects/${metadata_id}?wob_type=Code_block`));
  socket.inject("update[VIEW]", { metadata_id });
  await asked;
  warnings.length = 0;
  socket.inject("update[VIEW]", {});
  await expect.poll(() => warnings.length).toBe(1);
  socket.inject("broadcast<somebody>(update[wob])", { metadata_id: 999_999, changes: { name: "x" } });
  await expect.poll(() => warnings.length).toBe(2);
  socket.inject("realtime_message_queue", "{ not json");
  await expect.poll(() => warnings.length).toBe(3);
  const payload = { action: "status", data: { metadata_id, status: "failed" } };
  socket.inject("realtime_message_queue", JSON.stringify({ payload }));
  await expect(card(page, "Load")).toHaveAttribute("data-status", "failed");

  const question = `${graph}.1`;
  socket.inject("ask_for_password", { project_id: graph, passwd_prompt: "Password for the tide archive", question });
  const dialog = page.getByRole("dialog", { name: "A node asks for a password" });
  await expect(dialog.getByLabel("Password for the tide archive")).toBeVisible();
  socket.inject("password_closed", { question: `${graph}.2`, answered: false });
  await expect(dialog).toBeVisible();
  socket.inject("password_closed", { question, answered: false });
  await expect(page.getByText("Nobody waits for the password any more.")).toBeVisible();
  await expect(dialog).toBeHidden();
});
