import { expect } from "@playwright/test";

import { card, handle, middle, spot } from "../drivers/canvas.ts";
import type { Visitor } from "./visitor.ts";

/** scikit-learn with all it needs is 60 MB, which take minutes over a slow connection. */
const downloadTimeout = 300_000;

interface Place {
  across: number;
  down: number;
}

/** Types into the open list and chooses what it finds. */
async function choose({ page, type, press }: Visitor, text: string, name: string): Promise<void> {
  await expect(page.getByTestId("palette").getByRole("combobox")).toBeFocused();
  await type(text);
  await expect(page.getByTestId("palette").getByRole("option").first()).toContainText(name);
  await press("Enter");
  await expect(card(page, name)).toHaveAttribute("data-selected", "true");
}

/** Drags from a port to a free place, and chooses the node to add there. */
async function pull(
  visitor: Visitor,
  from: { node: string; port: string },
  { across, down }: Place,
  wanted: { text: string; name: string },
): Promise<void> {
  const { page, drag } = visitor;
  await drag(
    () => middle(handle(page, from.node, `t:${from.port}`)),
    () => spot(page, across, down),
  );
  const wires = page.locator(".react-flow__edge");
  const before = await wires.count();
  await choose(visitor, wanted.text, wanted.name);
  await expect(wires).toHaveCount(before + 1);
}

/** From nothing: a project, an empty canvas, nodes of the library, edges, a run, a plot and a model. */
export async function trainIris(visitor: Visitor): Promise<void> {
  const { page, click, drag, doubleClick, type } = visitor;
  await click(page.getByRole("link", { name: "New Project" }));
  await page.getByLabel("Project Name").focus();
  await type("Flowers");
  await click(page.getByRole("button", { name: "Create Project" }));
  await click(page.getByRole("link", { name: "Add Workflow" }));
  await page.getByLabel("Name").focus();
  await type("Iris");
  await click(page.getByRole("button", { name: "Create Workflow" }));
  await expect(page.getByTestId("graph-editor")).toBeVisible();

  await doubleClick(() => spot(page, 0.02, 0.14));
  await choose(visitor, "sample data", "Sample data set");
  const data = { node: "Sample data set", port: "table" };
  await pull(visitor, data, { across: 0.3, down: 0.14 }, { text: "split for", name: "Split for training" });
  const train = { node: "Split for training", port: "train" };
  await pull(visitor, train, { across: 0.56, down: 0.14 }, { text: "forest", name: "Random forest" });
  const model = { node: "Random forest", port: "model" };
  await pull(visitor, model, { across: 0.56, down: 0.62 }, { text: "confusion", name: "Confusion matrix" });
  await drag(
    () => middle(handle(page, "Split for training", "t:test")),
    () => middle(handle(page, "Confusion matrix", "r:table")),
  );
  await expect(page.locator(".react-flow__edge")).toHaveCount(4);
  await pull(visitor, model, { across: 0.2, down: 0.64 }, { text: "save", name: "Save model" });

  await click(page.getByRole("button", { name: "Run", exact: true }));
  await expect(page.getByTestId("run-state")).toHaveAttribute("data-state", "done", { timeout: downloadTimeout });
  await click(page.getByRole("button", { name: /^Fit everything/ }));
  const plot = page.getByTestId("node-output").filter({ has: page.getByLabel("Output of Confusion matrix") });
  await expect(plot.locator("img").first()).toBeInViewport();
  await click(page.getByTestId("made-models").getByRole("link", { name: "My model" }).first());
  await expect(page.getByRole("heading", { name: "My model" })).toBeVisible();
}
