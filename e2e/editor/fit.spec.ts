import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";

import { card, drag, header, makeGraph, makeNode, middle, openEditor, viewRests } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";

/** Three rows of four nodes; the upper left four are in a group. */
async function makeTwelve(context: BrowserContext, graph: string): Promise<void> {
  const ids: number[] = [];
  for (let at = 0; at < 12; at += 1) {
    const position = { x: (at % 4) * 340, y: Math.floor(at / 4) * 200 };
    ids.push((await makeNode(context, graph, { name: `Node ${at}`, at: position })).metadata_id);
  }
  const grouped = await context.request.post(address(`/api/v3/graphs/${graph}/groups`), {
    data: { name: "First", metadata_ids: [ids[0], ids[1], ids[4], ids[5]] },
  });
  expect(grouped.status()).toBe(200);
}

/** Returns which of these are out of view or below a panel. Waits until the view stops moving. */
async function hidden(page: Page, what: string): Promise<string[]> {
  const look = () =>
    page.evaluate((selector) => {
      const pane = document.querySelector("[data-editor]")?.getBoundingClientRect() ?? new DOMRect();
      const covers = Array.from(document.querySelectorAll("[data-editor] [data-covers]"), (one) =>
        one.getBoundingClientRect(),
      ).filter(({ width }) => width > 0);
      const boxes = Array.from(document.querySelectorAll(selector), (one) => one.getBoundingClientRect());
      const wrong = boxes.filter(
        (box) =>
          box.left < pane.left ||
          box.top < pane.top ||
          box.right > pane.right ||
          box.bottom > pane.bottom ||
          covers.some(
            (cover) =>
              box.left < cover.right && cover.left < box.right && box.top < cover.bottom && cover.top < box.bottom,
          ),
      );
      return { covers: covers.length, boxes: boxes.length, wrong: wrong.map((box) => JSON.stringify(box)) };
    }, what);
  await viewRests(page);
  const { covers, boxes, wrong } = await look();
  expect(covers).toBeGreaterThan(1);
  expect(boxes).toBeGreaterThan(0);
  return wrong;
}

const cards = "[data-testid=node], .group-handle";

test("fits everything into the area that no panel covers, whichever panels are open", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeTwelve(context, graph);
  await openEditor(page, path);
  await expect(page.getByTestId("node")).toHaveCount(12);
  await expect.poll(() => hidden(page, cards), "at first").toEqual([]);

  await page.keyboard.press("l");
  await expect(page.getByTestId("library")).toBeVisible();
  await page.keyboard.press("1");
  await expect.poll(() => hidden(page, cards), "with the library").toEqual([]);
  await header(page, "Node 6").click();
  await expect(page.getByTestId("inspector")).toBeVisible();
  await page.keyboard.press("1");
  await expect.poll(() => hidden(page, cards), "with library and inspector").toEqual([]);
  await page.keyboard.press("l");
  await page.getByRole("button", { name: "Logs" }).click();
  await page.keyboard.press("1");
  await expect.poll(() => hidden(page, cards), "with the inspector and the log").toEqual([]);
  await page.getByRole("button", { name: "Logs" }).click();

  // A panel that takes space from the canvas hides nothing that was in view.
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await expect.poll(() => hidden(page, "[data-testid=node]"), "fitted").toEqual([]);
  await expect(page.getByTestId("node")).toHaveCount(12);
  await page.getByRole("button", { name: /^Processor/ }).click();
  await expect(page.getByRole("complementary", { name: "Processor" })).toBeVisible();
  await expect.poll(() => hidden(page, "[data-testid=node]"), "beside the processor").toEqual([]);
  await expect(page.getByTestId("node")).toHaveCount(12);
  await page.getByRole("button", { name: "Logs" }).click();
  await expect.poll(() => hidden(page, "[data-testid=node]"), "above the log, with the map in a corner").toEqual([]);
  await expect(page.getByTestId("node")).toHaveCount(12);
  await page.getByRole("button", { name: "Logs" }).click();

  // Find a node, then walk to the next one along an edge.
  await page.keyboard.press("Control+f");
  const find = page.getByRole("combobox", { name: "Find a node by name" });
  await find.fill("node 11");
  await find.press("Enter");
  await expect(card(page, "Node 11")).toHaveAttribute("data-selected", "true");
  await expect.poll(() => hidden(page, "[data-selected]"), "found").toEqual([]);
  await page.keyboard.press("2");
  await expect.poll(() => hidden(page, "[data-selected]"), "the selection").toEqual([]);
  await page.keyboard.press("Alt+ArrowUp");
  await expect(card(page, "Node 7")).toHaveAttribute("data-selected", "true");
  await expect.poll(() => hidden(page, "[data-selected]"), "the next one").toEqual([]);

  await page.setViewportSize({ width: 390, height: 844 });
  // The panels move to their places on a phone a moment later.
  await expect(async () => {
    await page.keyboard.press("1");
    expect(await hidden(page, cards), "on a phone").toEqual([]);
  }).toPass();
});

test("moves a clicked node out from below the panel that opens, and moves the view for nothing else", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeTwelve(context, graph);
  await openEditor(page, path);
  await expect(page.getByTestId("node")).toHaveCount(12);
  const panel = page.getByTestId("inspector");
  const view = () => page.locator(".react-flow__viewport").getAttribute("style");
  const boxOf = async (one: Locator) => (await one.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

  const before = await boxOf(card(page, "Node 3"));
  await header(page, "Node 3").click();
  await expect(panel).toBeVisible();
  const { x: left } = await boxOf(panel);
  expect(before.x + before.width).toBeGreaterThan(left);
  await expect.poll(() => hidden(page, "[data-selected]"), "clicked").toEqual([]);

  const rested = await view();
  await header(page, "Node 6").click();
  await expect.poll(() => hidden(page, "[data-selected]"), "not covered").toEqual([]);
  expect(await view()).toBe(rested);
  const at = await middle(header(page, "Node 6"));
  await drag(page, at, { x: left + 80, y: at.y });
  const right = async () => {
    const { x, width } = await boxOf(card(page, "Node 6"));
    return x + width;
  };
  await expect.poll(right).toBeGreaterThan(left);
  expect(await hidden(page, "[data-selected]"), "dragged there").toHaveLength(1);
  expect(await view()).toBe(rested);

  // The second click of a double click hits the node where it was.
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await expect.poll(() => hidden(page, cards), "fitted again").toEqual([]);
  await header(page, "Node 11").dblclick();
  const name = page.getByRole("textbox", { name: "Node name" });
  await expect(name).toBeFocused();
  await expect.poll(() => hidden(page, "[data-selected]"), "renamed").toEqual([]);
  await name.press("Escape");

  // The hint that the pointer has opened does not use up Escape.
  await header(page, "Node 11").hover();
  await expect(page.getByRole("tooltip").first()).toBeAttached();
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  // The panels move to their places on a phone a moment later.
  await expect(async () => {
    await page.keyboard.press("1");
    expect(await hidden(page, cards), "on a phone").toEqual([]);
  }).toPass();
  await page.getByTestId("node").filter({ hasText: "Node 9" }).click();
  await expect(panel).toBeVisible();
  await expect.poll(() => hidden(page, "[data-selected]"), "clicked on a phone").toEqual([]);
});

test("fits everything from a closer view of almost the same centre", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  await makeTwelve(context, graph);
  await openEditor(page, path);
  await page.keyboard.press("1");
  expect(await hidden(page, cards)).toEqual([]);
  const key = `viewport:${graph}`;
  await expect.poll(() => page.evaluate((name) => localStorage.getItem(name), key)).not.toBeNull();
  await page.evaluate((name) => {
    const { x, y, zoom } = JSON.parse(localStorage.getItem(name) ?? "") as { x: number; y: number; zoom: number };
    const { clientWidth, clientHeight } = document.querySelector(".react-flow__renderer") ?? document.body;
    const [left, top, closer] = [clientWidth / 2, clientHeight / 2, 2.4];
    const centre = { x: (left - x) / zoom + 3e-6, y: (top - y) / zoom };
    const view = { x: left - centre.x * closer, y: top - centre.y * closer, zoom: closer };
    localStorage.setItem(name, JSON.stringify(view));
  }, key);
  await page.reload();
  await expect(page.getByTestId("node").first()).toBeVisible();
  expect((await hidden(page, cards)).length).toBeGreaterThan(0);
  const zooms = page.evaluate(async () => {
    const seen: string[] = [];
    for (const end = performance.now() + 1000; performance.now() < end;) {
      await new Promise(requestAnimationFrame);
      seen.push(document.querySelector("[title='Zoom to 100 %']")?.textContent ?? "");
    }
    return seen;
  });
  await page.keyboard.press("1");
  expect(await hidden(page, cards)).toEqual([]);
  expect((await zooms).filter((text) => !/^\d+ %$/.test(text))).toEqual([]);
});

test("fits everything also when panels leave no room", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  await makeTwelve(context, graph);
  await openEditor(page, path);
  await header(page, "Node 6").click();
  await expect(page.getByTestId("inspector")).toBeVisible();
  await page.setViewportSize({ width: 340, height: 360 });
  await page.keyboard.press("1");
  await viewRests(page);
  await expect(page.getByRole("button", { name: "Fit everything (1)" })).toBeAttached();
  await expect(page.getByRole("button", { name: "NaN %" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("node")).toHaveCount(12);
});

test("hides and shows the map, and remembers the choice", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load" });
  await openEditor(page, path);
  await expect(page.getByTestId("minimap")).toBeVisible();
  await page.keyboard.press("m");
  await expect(page.getByTestId("minimap")).toHaveCount(0);
  await page.reload();
  await expect(card(page, "Load")).toBeVisible();
  await expect(page.getByTestId("minimap")).toHaveCount(0);
  await page.getByRole("button", { name: /^Show the map/ }).click();
  await expect(page.getByTestId("minimap")).toBeVisible();
});
