import { expect } from "@playwright/test";

import {
  card,
  header,
  makeGraph,
  makeGroup,
  makeLoadAndTrain,
  makeNode,
  openEditor,
  stored,
  storedNode,
} from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { test } from "../drivers/people.ts";

test("a collapsed group has ports, a docked inspector leaves the view alone, and a link leads to a node", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path, load, train } = await makeLoadAndTrain(context, { x: 500, y: 0 });
  await makeGroup(context, graph, "Fit", [train]);
  await openEditor(page, path);
  const port = page.getByTestId("group-port");
  await expect(port).toHaveText("rows");
  await expect(port).toHaveAttribute("title", "Train · rows");

  // Docked, the inspector is there before anything is selected, and selecting moves nothing.
  await card(page, "Load").click();
  await page.getByRole("button", { name: "Dock beside the canvas" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("docked-inspector")).toContainText("Select a node");
  const view = () => page.locator(".react-flow__viewport").getAttribute("style");
  const before = await view();
  await card(page, "Load").click();
  await expect(page.getByTestId("docked-inspector").getByTestId("inspector")).toContainText("Code block");
  expect(await view()).toBe(before);
  await page.reload();
  await expect(page.getByTestId("docked-inspector")).toBeVisible();
  await page.getByRole("button", { name: "Show over the canvas" }).click();
  await expect(page.getByTestId("docked-inspector")).toHaveCount(0);

  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await card(page, "Load").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Copy a link to it" }).click();
  await expect(page.getByText("The link is in the clipboard.")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain(`?node=${load.metadata_id}`);
  await page.goto(link);
  await expect(page.getByTestId("inspector")).toContainText("Code block");
});

test("an opened group moves the nodes that it would cover, for everybody and in one step to undo", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, ben } = await twoPeople(browser, context);
  const [first, last] = [
    await makeNode(context, graph, { name: "First" }),
    await makeNode(context, graph, { name: "Last", at: { x: 600, y: 400 } }),
  ];
  const covered = await makeNode(context, graph, { name: "Covered", at: { x: 320, y: 344 } });
  const beside = await makeNode(context, graph, { name: "Beside", at: { x: 960, y: 0 } });
  await makeGroup(context, graph, "Steps", [first, last]);
  await openEditor(page, path);
  await openEditor(ben.page, path);
  const places = async () => {
    const all = [first, last, covered, beside];
    return Promise.all(all.map(async (node) => (await storedNode(context, graph, node.metadata_id))?.position));
  };
  const before = await places();

  await page.getByRole("button", { name: "Expand Steps" }).click();
  for (const one of [page, ben.page]) {
    await expect(one.getByRole("button", { name: "Collapse Steps" })).toBeVisible();
    await expect(one.getByTestId("group")).not.toHaveAttribute("data-holes");
    await expect
      .poll(async () => {
        const [frame, box] = [await one.getByTestId("group").boundingBox(), await card(one, "Covered").boundingBox()];
        return frame && box ? box.y >= frame.y + frame.height || box.y + box.height <= frame.y : undefined;
      })
      .toBe(true);
  }
  await expect.poll(places).not.toEqual(before);
  const after = await places();
  expect([after[0], after[1], after[3]]).toEqual([before[0], before[1], before[3]]);
  expect(after[2]?.x).toBe(before[2]?.x);

  await page.getByRole("button", { name: /^Undo/ }).click();
  await expect(ben.page.getByRole("button", { name: "Expand Steps" })).toBeVisible();
  await expect.poll(places).toEqual(before);
});

test("fingers select in a box, and a held Space moves the view over nodes", async ({ browser, context, person }) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load" });
  await makeNode(context, graph, { name: "Train", at: { x: 0, y: 320 } });
  const [check, report] = [
    await makeNode(context, graph, { name: "Check", at: { x: 0, y: 176 } }),
    await makeNode(context, graph, { name: "Report", at: { x: 900, y: 900 } }),
  ];
  await makeGroup(context, graph, "Results", [check, report]);
  const storageState = await context.storageState();
  const phone = await browser.newContext({ storageState, hasTouch: true, viewport: { width: 390, height: 844 } });
  const page = await phone.newPage();
  await openEditor(page, path);
  await page.getByRole("button", { name: "Select in a box" }).tap();
  const pane = await page.getByTestId("graph-editor").boundingBox();
  if (!pane) throw new Error("The canvas has no size.");
  const touches = await phone.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: { x: number; y: number }[]) =>
    touches.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  const [start, end] = [
    { x: pane.x + 6, y: pane.y + 130 },
    { x: pane.x + pane.width - 6, y: pane.y + pane.height - 90 },
  ];
  await touch("touchStart", [start]);
  for (const part of [0.3, 0.6, 1])
    await touch("touchMove", [{ x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }]);
  await touch("touchEnd", []);
  await expect(page.getByRole("heading", { name: "4 nodes" })).toBeVisible();
  await phone.close();

  const laptop = await browser.newContext({ storageState, viewport: { width: 1_280, height: 800 } });
  const wide = await laptop.newPage();
  await openEditor(wide, path);
  const panOverLoad = async () => {
    const box = await card(wide, "Load").boundingBox();
    if (!box) throw new Error("The node has no place.");
    await wide.mouse.move(box.x + 60, box.y + 20);
    await wide.keyboard.down("Space");
    await wide.mouse.down();
    await wide.mouse.move(box.x + 100, box.y + 40, { steps: 5 });
    await wide.mouse.up();
    await wide.keyboard.up("Space");
    await expect.poll(async () => (await card(wide, "Load").boundingBox())?.x).toBeCloseTo(box.x + 40, -1);
  };
  await panOverLoad();
  // Also when the node has the focus, or a button that was clicked.
  await header(wide, "Load").click();
  await panOverLoad();
  const map = wide.getByRole("button", { name: /map/i });
  await map.click();
  const pressed = await map.getAttribute("aria-pressed");
  await panOverLoad();
  await expect(map).toHaveAttribute("aria-pressed", pressed ?? "");
  const { nodes } = await stored(context, graph);
  expect(Object.values(nodes).find(({ name }) => name === "Load")?.position).toEqual({ x: 0, y: 0 });
  await laptop.close();
  expect(person).toBeDefined();
});
