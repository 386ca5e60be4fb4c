import { expect } from "@playwright/test";

import { card, header, makeGraph, openEditor, stored } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";

const isDrawn = (image: HTMLImageElement): boolean => image.complete && image.naturalWidth > 0;

test("shows the library by category, with a picture of what a node or a blueprint shows", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await openEditor(page, path);
  await page.getByRole("button", { name: /^Library/ }).click();
  const library = page.getByTestId("library");
  const evaluate = library.getByRole("button", { name: "Evaluate" });
  await evaluate.click();
  await expect(evaluate).toHaveAttribute("aria-pressed", "true");
  await expect(library.getByTestId("library-item").first()).toContainText("Classification metrics");
  const matrix = library.getByTestId("library-item").filter({ hasText: "Confusion matrix" });
  await matrix.focus();
  const picture = page.getByTestId("item-preview").locator("img");
  await expect.poll(() => picture.evaluate(isDrawn)).toBe(true);
  await evaluate.click();
  await expect(library.getByTestId("library-item").first()).toContainText("Code block");

  await library.getByRole("tab", { name: "blueprints" }).click();
  await library.getByRole("searchbox").fill("Iris");
  const iris = library.getByTestId("library-item").filter({ hasText: "Iris: your first model" });
  await iris.hover();
  await expect.poll(() => picture.evaluate(isDrawn)).toBe(true);
  await iris.click();
  await expect(card(page, "Confusion matrix")).toBeVisible();
  await expect(header(page, "Iris flowers")).toBeVisible();
  expect(Object.keys((await stored(context, graph)).nodes)).toHaveLength(7);
});

test("shows a picture beside the list of nodes to add, and none where there is no room", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeGraph(context);
  await openEditor(page, path);
  await page.keyboard.press("a");
  const search = page.getByRole("combobox", { name: "Add a node" });
  await search.fill("scatter plot");
  const picture = page.getByTestId("palette").getByTestId("item-preview").locator("img");
  await expect.poll(() => picture.evaluate(isDrawn)).toBe(true);
  await search.press("Escape");
  await page.setViewportSize({ width: 390, height: 800 });
  await page.keyboard.press("l");
  const library = page.getByTestId("library");
  await library.getByRole("button", { name: "Time series" }).click();
  await library.getByTestId("library-item").filter({ hasText: "Forecast" }).focus();
  await expect(page.getByTestId("item-preview")).toBeHidden();
  const box = await library.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
});
