import { expect } from "@playwright/test";

import { card, makeEdge, makeGraph, makeNode } from "../drivers/canvas.ts";
import { loadCode, makeWorkflow, trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { cloneWorkflow, deleteNode, nameVersion, setValue, step, writeCode } from "../drivers/versions.ts";

test("steps through what differs between a version and now by the arrow keys", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const load = await makeNode(context, graph, { name: "Load", code: loadCode });
  const train = await makeNode(context, graph, { name: "Train", code: trainCode, at: { x: 3_000, y: 0 } });
  const old = await makeNode(context, graph, { name: "Old", at: { x: 6_000, y: 0 } });
  await nameVersion(context, graph, "First");
  await setValue(context, train.metadata_id, "note", "goodbye");
  await writeCode(context, load.metadata_id, `${loadCode}    count = Transmitter("int")\n`);
  await makeEdge(context, load, "rows", train, "rows");
  await deleteNode(context, old.metadata_id);
  await makeNode(context, graph, { name: "Report", at: { x: 9_000, y: 0 } });

  await page.goto(address(`${path}/history?version=1`));
  await page.getByRole("link", { name: "Compare with now" }).click();
  const list = page.getByRole("listbox", { name: "Differences" });
  await expect(list).toBeFocused();
  await expect(page.getByText("2 added")).toBeVisible();
  await expect(page.getByText("2 changed")).toBeVisible();
  await expect(page.getByText("1 removed")).toBeVisible();

  await expect(step(list, /Load/).first()).toHaveAttribute("aria-selected", "true");
  await expect(page.getByTestId("diff")).toContainText('count = Transmitter("int")');
  await page.keyboard.press("Home");
  await expect(card(page, "Load")).toContainText("Changed");

  await page.keyboard.press("ArrowDown");
  await expect(step(list, /^Train/)).toHaveAttribute("aria-selected", "true");
  await expect(page.getByTestId("field-difference")).toContainText(/note.*as in the code.*→.*goodbye/);
  await expect(card(page, "Train")).toBeInViewport();
  await expect(list).toBeFocused();

  await page.keyboard.press("ArrowDown");
  await expect(step(list, /^Old/)).toHaveAttribute("aria-selected", "true");
  await expect(card(page, "Old")).toContainText("Removed");
  await expect(card(page, "Old")).toBeInViewport();

  await page.getByTestId("difference").getByRole("button", { name: "Restore this node" }).click();
  await expect(page.getByText("Restored “Old”.")).toBeVisible();
  await expect(step(list, /^Old/)).toHaveCount(0);

  await list.focus();
  await page.keyboard.press("End");
  await expect(step(list, /Load → Train/)).toHaveAttribute("aria-selected", "true");
  await expect(page.getByTestId("difference")).toContainText("This connection is new.");

  // The address can be shared: the other order says removed instead of added.
  await page.getByRole("button", { name: "Swap the sides" }).click();
  await expect(page.getByText("2 removed")).toBeVisible();
  await expect(page).toHaveURL(/before=now&after=1/);
});

test("hides what only moved until somebody asks for it", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  const load = await makeNode(context, graph, { name: "Load" });
  await nameVersion(context, graph, "First");
  const moved = await context.request.put(address(`/api/v3/designer/${graph}/nodes/${load.metadata_id}`), {
    form: { position: JSON.stringify({ x: 500, y: 500 }) },
  });
  expect(moved.status()).toBe(200);

  await page.goto(address(`${path}/compare?before=1&after=now`));
  await expect(page.getByTestId("no-differences")).toHaveText("Both sides are the same. Only positions differ.");
  await page.getByRole("switch", { name: "Positions (1)" }).click();
  await expect(step(page, /Load/)).toContainText("Moved");
  await expect(page.getByTestId("field-difference")).toContainText("Position");
});

test("compares a workflow with its clone, and with a workflow that was chosen", async ({
  page,
  context,
  person: _person,
}) => {
  const { project, graph, path } = await makeGraph(context);
  const train = await makeNode(context, graph, { name: "Train", code: trainCode });
  const clone = await cloneWorkflow(context, graph, project);
  await setValue(context, train.metadata_id, "note", "changed here");
  await makeWorkflow(context, project, "Empty basin");

  await page.goto(address(`/designer/projects/${project}/graphs/${clone}`));
  await page.getByRole("button", { name: "Versions" }).click();
  await page.getByRole("menuitem", { name: "Compare with Forecast" }).click();
  await expect(step(page, /Train/)).toContainText("Changed");
  await expect(page.getByTestId("field-difference")).toContainText("changed here");

  await page.goto(address(`${path}/compare?before=now&after=now`));
  await expect(page.getByTestId("no-differences")).toHaveText("Both sides are the same.");
  await page.getByRole("button", { name: /^After/ }).click();
  await page.getByRole("button", { name: "Another workflow…" }).click();
  await page.getByRole("combobox", { name: "Search for workflows" }).fill("Empty basin");
  await page.getByRole("option", { name: /Empty basin/ }).click();
  await expect(step(page, /Train/)).toContainText("Removed");
});
