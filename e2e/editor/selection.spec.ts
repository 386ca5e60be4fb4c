import { type BrowserContext, expect, type Page } from "@playwright/test";

import { openEditor, stored } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";

/** Nodes side by side, close enough that some are in view at 100 %. */
async function makeMany(context: BrowserContext, graph: string, count: number): Promise<void> {
  const nodes = Array.from({ length: count }, (_, key) => ({
    key,
    class: "Code_block",
    name: `Node ${key}`,
    position: { x: (key % 25) * 300, y: Math.floor(key / 25) * 160 },
  }));
  const made = await context.request.post(address(`/api/v3/graphs/${graph}/paste`), { data: { nodes } });
  expect(made.status(), await made.text()).toBe(200);
}

/** Returns a function that gives the page's changing calls since it was last called. */
function callsOf(page: Page): () => string[] {
  const calls: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== "GET" && pathname.startsWith("/api/")) calls.push(`${request.method()} ${pathname}`);
  });
  return () => calls.splice(0);
}

/** Returns a function that gives how many change events the page received since it was last called. */
function changesReceived(page: Page): () => number {
  let received = 0;
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).includes('"update[GRAPH]"')) received += 1;
    }),
  );
  return () => {
    const now = received;
    received = 0;
    return now;
  };
}

test("disables, tags, locks, moves and deletes 500 selected nodes with one call each, and undoes each with one call", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const count = 500;
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeMany(context, graph, count);
  const [calls, received] = [callsOf(page), changesReceived(ben.page)];
  for (const one of [page, ben.page]) {
    await openEditor(one, path);
    await one.keyboard.press("0");
    await expect(one.getByTestId("node").first()).toBeVisible();
  }
  const seen = (what: string) => ben.page.locator(`[data-testid=node]${what}`);
  const all = async (is: (node: Awaited<ReturnType<typeof nodes>>[number]) => boolean) =>
    (await nodes()).filter(is).length;
  const nodes = async () => Object.values((await stored(context, graph)).nodes);
  const once = async (call: string) => {
    await expect.poll(received).toBe(1);
    expect(calls()).toEqual([call]);
  };
  const change = `PATCH /api/v3/graphs/${graph}/nodes`;

  await page.keyboard.press("Control+a");
  await expect(page.getByTestId("inspector")).toContainText(`${count} nodes`);
  calls();
  await page.keyboard.press("d");
  await expect(seen(":not([data-disabled])")).toHaveCount(0);
  await once(change);
  expect(await all(({ api }) => api.disabled)).toBe(count);
  await page.keyboard.press("Control+z");
  await expect(seen("[data-disabled]")).toHaveCount(0);
  await once(change);

  const tag = page.getByTestId("inspector").getByRole("textbox", { name: "Add a tag" });
  await tag.fill("night");
  await tag.press("Enter");
  await tag.blur();
  await expect(seen(":not(:has(.node-tag))")).toHaveCount(0);
  await once(change);
  expect(await all(({ tags }) => tags.tags.includes("night"))).toBe(count);

  await page.keyboard.press("Control+Shift+k");
  await expect(seen(":not([data-locked])")).toHaveCount(0);
  await once(change);
  await page.keyboard.press("d");
  await expect(page.getByText("Locked nodes are not changed.")).toBeVisible();
  expect(calls()).toEqual([]);
  await page.keyboard.press("Control+z");
  await expect(seen("[data-locked]")).toHaveCount(0);
  await once(change);

  const before = await ben.page.getByTestId("node").first().boundingBox();
  await page.keyboard.press("ArrowRight");
  await expect
    .poll(async () => (await ben.page.getByTestId("node").first().boundingBox())?.x)
    .toBeCloseTo((before?.x ?? 0) + 8, 0);
  await once(`POST /api/v3/graphs/${graph}/positions`);

  await page.keyboard.press("Delete");
  await expect(ben.page.getByTestId("node")).toHaveCount(0);
  await once(`POST /api/v3/graphs/${graph}/delete`);
  await page.keyboard.press("Control+z");
  await expect(ben.page.getByTestId("node").first()).toBeVisible();
  await once(`POST /api/v3/graphs/${graph}/restore`);
  expect(await all(({ tags }) => tags.tags.includes("night"))).toBe(count);
});

test("changes nothing and says why when another person has locked one of the selected nodes", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  await makeMany(context, graph, 6);
  await openEditor(page, path);
  await expect(page.getByTestId("node")).toHaveCount(6);
  await page.keyboard.press("Control+a");
  await expect(page.getByTestId("inspector")).toContainText("6 nodes");
  // The lock reaches the server before this page receives the event.
  const [first] = Object.values((await stored(context, graph)).nodes);
  await page.route(/\/graphs\/[^/]+\/nodes$/, async (route) => {
    const own = address(`/api/v3/objects/${first?.metadata_id}`);
    const locked = await ben.context.request.patch(own, { form: { locked: "true" } });
    expect(locked.status(), await locked.text()).toBe(200);
    await route.continue();
  });
  await page.keyboard.press("d");
  await expect(page.getByText(`“${first?.name}” is locked. Nothing was changed.`)).toBeVisible();
  const disabled = Object.values((await stored(context, graph)).nodes).filter(({ api }) => api.disabled);
  expect(disabled).toEqual([]);
  await expect(page.locator("[data-testid=node][data-disabled]")).toHaveCount(0);
});
