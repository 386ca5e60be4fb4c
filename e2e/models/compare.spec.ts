import { type BrowserContext, expect, type Page } from "@playwright/test";

import { makeProject } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { beginRun, endedRun, startSession } from "../drivers/runs.ts";
import { endSessions, giveToken, makeProgram, writeCode } from "../drivers/sessions.ts";
import { findModel, newName, openTracking, train } from "../drivers/training.ts";

// Versions of a model and runs of an experiment side by side.

test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));

const row = (page: Page, name: string) =>
  page.getByTestId("compared-row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
const part = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Parts of the comparison" }).getByRole("link", { name, exact: true });

/** Four versions: the learning rate grows, the loss falls and rises again. Returns the id of the model. */
async function trainFour(context: BrowserContext, project: string): Promise<string> {
  const tracking = await openTracking(context, project);
  const name = newName("iris");
  const rates = ["0.0001", "0.001", "0.01", "1"];
  for (const [at, rate] of rates.entries())
    await train(tracking, {
      name,
      params: { rate, depth: "3", solver: at % 2 === 0 ? "lbfgs" : "saga" },
      metrics: { loss: [1, 0.1 * (at + 1), 0.2 * (at + 1)], accuracy: [0.5, 0.6 + at * 0.1] },
      files: {},
    });
  return findModel(context, name);
}

test("versions are compared by what differs, at their last, their best, or a step", async ({
  page,
  context,
  person: _person,
}) => {
  const project = await makeProject(context, "Flowers");
  const id = await trainFour(context, project);
  await page.goto(address(`/designer/models/${id}/compare?versions=1,3`));
  await expect(row(page, "loss")).toContainText("0.2");
  await expect(row(page, "loss")).toContainText("0.6");
  await expect(row(page, "loss")).toContainText("+0.4");
  await expect(row(page, "depth")).toBeVisible();
  // The same words as in the list of versions.
  await expect(row(page, "Author").getByRole("cell").first()).toHaveText("Ada Tester");
  await expect(row(page, "Size").getByRole("cell").first()).toHaveText("No files");
  await page.getByRole("checkbox", { name: "Only differences" }).check();
  await expect(row(page, "depth")).toHaveCount(0);
  await expect(row(page, "rate")).toContainText("0.0001");
  await page.getByRole("button", { name: "Best value" }).click();
  await expect(row(page, "loss")).toContainText("0.1");
  await expect(row(page, "loss")).toContainText("0.3");
  await page.getByRole("button", { name: "At a step" }).click();
  const slider = page.getByRole("slider", { name: "Step" });
  await slider.focus();
  await page.keyboard.press("Home");
  await page.getByRole("checkbox", { name: "Only differences" }).uncheck();
  await expect(row(page, "loss").getByRole("cell").first()).toContainText("1");

  // One more column, and one less. The address keeps the choice.
  await page.getByRole("combobox", { name: "Add a version" }).selectOption("4");
  await expect(page).toHaveURL(/versions=1,3,4$/);
  await expect(page.getByTestId("compared-version")).toHaveCount(3);
  await page.getByRole("button", { name: "Leave out version 3" }).click();
  await expect(page.getByTestId("compared-version")).toHaveText([/Version 1/, /Version 4/]);

  await part(page, "Charts").click();
  await expect(page.getByRole("region", { name: "loss", exact: true }).getByTestId("chart-line")).toHaveCount(2);
  await part(page, "Code and graph").click();
  await expect(page.getByTestId("no-workflow")).toContainText("was not made by a run of a workflow");
});

test("many versions are chosen in the plots, and opened", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Flowers");
  const id = await trainFour(context, project);
  await page.goto(address(`/designer/models/${id}/compare/plots`));
  const parallel = page.getByRole("region", { name: "Parallel coordinates" });
  const scatter = page.getByRole("region", { name: "Scatter plot" });
  await expect(parallel.getByTestId("run-line")).toHaveCount(4);
  await expect(scatter.getByTestId("run-dot")).toHaveCount(4);
  // What is the same everywhere is no axis at first.
  await expect(parallel.getByRole("slider", { name: "Choose by depth" })).toHaveCount(0);

  // Dragging along an axis chooses, in both plots and in the list.
  const axis = parallel.getByRole("slider", { name: "Choose by accuracy" });
  const box = await axis.boundingBox();
  if (!box) throw new Error("The axis is not drawn.");
  const drag = async (from: number, to: number) => {
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * from);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height * to, { steps: 4 });
    await page.mouse.up();
  };
  await drag(0, 0.5);
  await expect(page.getByTestId("chosen-count")).toHaveText("2 of 4 versions");
  await expect(parallel.getByTestId("run-line")).toHaveCount(2);
  await expect(scatter.getByTestId("run-dot")).toHaveCount(2);
  await expect(page.getByTestId("chosen-run")).toHaveCount(2);
  await expect(page.getByRole("link", { name: "Compare these" })).toHaveAttribute("href", /versions=(3,4|4,3)$/);

  // With the keyboard, and back to all.
  await axis.focus();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("chosen-count")).toHaveText("4 versions");
  await page.keyboard.press("ArrowUp");
  await expect(page.getByTestId("chosen-count")).toHaveText("1 of 4 versions");
  await page.getByRole("button", { name: "Show all" }).click();

  // A dot under the pointer says which version it is, and opens it.
  const dot = await scatter.getByTestId("run-dot").last().boundingBox();
  if (!dot) throw new Error("The dot is not drawn.");
  await page.mouse.move(dot.x + dot.width / 2, dot.y + dot.height / 2);
  await expect(scatter.getByTestId("run-tip")).toBeVisible();
  await page.mouse.down();
  await page.mouse.up();
  await expect(page).toHaveURL(new RegExp(`/designer/models/${id}\\?version=\\d$`));
});

test("the runs of an experiment are plotted and compared", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Flowers");
  await trainFour(context, project);
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("link", { name: "Experiments" }).click();
  await expect(page.getByRole("combobox", { name: "Experiment" })).toContainText("Default");
  await expect(page.getByTestId("chosen-run")).toHaveCount(4);
  // A run that a client made has a page of its own.
  await page.getByTestId("chosen-run").first().getByRole("link").click();
  await expect(page.getByTestId("tracked-run")).toContainText("Finished");
  await expect(page.getByText("solver")).toBeVisible();
  await expect(page.getByRole("slider", { name: "Metrics by step" })).toBeVisible();
  await page.getByTestId("made-models").getByRole("link").click();
  // The lineage of its model leads back to it.
  await page.getByTestId("lineage-picture").getByTestId("lineage-run").click();
  await expect(page.getByTestId("tracked-run")).toContainText("Finished");
  await page.goto(address(`/designer/projects/${project}/experiments/0`));
  await page.getByRole("link", { name: "Compare these" }).click();
  await expect(row(page, "solver")).toContainText("saga");
  await expect(row(page, "loss").getByRole("cell")).toHaveCount(4);

  // What does not exist says so.
  await page.goto(address(`/designer/projects/${project}/experiments/99`));
  await expect(page.getByText("Experiment not found")).toBeVisible();
  await page.goto(address("/designer/projects/00000000-0000-4000-8000-000000000000/experiments"));
  await expect(page.getByText("Project not found")).toBeVisible();
});

const trains = (name: string, loss: number) => `from miranda import Node, log_metric, log_model, show

class Train(Node):
    cache = False

    def run(self):
        log_metric("loss", ${loss})
        show("trained with ${loss}")
        log_model("${name}", {"loss": ${loss}})
`;

test("the code and the outputs that made two versions are side by side", async ({ page, context, person: _person }) => {
  await giveToken(context);
  const name = newName("tide");
  const { graph, nodes } = await makeProgram(context, trains(name, 0.5));
  await startSession(context, graph);
  await beginRun(context, graph);
  await endedRun(context, graph);
  await writeCode(context, nodes[0] ?? 0, trains(name, 0.25));
  await beginRun(context, graph, { mode: "all" });
  await endedRun(context, graph, 2);
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}`));
  await page.getByRole("checkbox", { name: "Choose version 1" }).check();
  await page.getByRole("checkbox", { name: "Choose version 2" }).check();
  await page.getByRole("link", { name: "Compare", exact: true }).last().click();
  await expect(row(page, "loss").first()).toContainText("0.25");
  await part(page, "Code and graph").click();
  await expect(page.getByText('log_metric("loss", 0.25)').first()).toBeVisible();
  await part(page, "Outputs").click();
  const sides = page.getByTestId("compared-outputs");
  await expect(sides).toHaveCount(2);
  await expect(sides.first()).toContainText("trained with 0.5");
  await expect(sides.last()).toContainText("trained with 0.25");
});
