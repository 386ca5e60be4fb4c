import { expect, type Page } from "@playwright/test";

import { joinProject } from "../drivers/collaborators.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { fitsOnScreen } from "../drivers/fits-on-screen.ts";
import { address, test } from "../drivers/people.ts";
import { beginRun, endedRun, startSession } from "../drivers/runs.ts";
import { endSessions, giveToken, makeProgram, writeCode } from "../drivers/sessions.ts";
import { findModel, newName, openTracking, train } from "../drivers/training.ts";

// From a model to what made it, and back.

test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));

const trains = (name: string, loss: number) => `from miranda import Node, log_metric, log_model, show

class Train(Node):
    cache = False

    def run(self):
        log_metric("loss", ${loss})
        show("trained with ${loss}")
        log_model("${name}", {"loss": ${loss}})
`;

const tab = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Parts of the model" }).getByRole("link", { name, exact: true });

test("a model leads to its run, code and cost in two clicks, and each of them leads back", async ({
  page,
  context,
  person: _person,
}) => {
  await giveToken(context);
  const name = newName("harbour");
  const { graph, path, nodes } = await makeProgram(context, trains(name, 0.25));
  const committed = await context.request.post(address(`/api/v3/objects/${nodes[0]}/commits`), {
    form: { message: "Train the harbour", source_code: `${trains(name, 0.25)}\n` },
  });
  expect(committed.status(), await committed.text()).toBe(200);
  await startSession(context, graph);
  await beginRun(context, graph);
  const run = await endedRun(context, graph);
  const id = await findModel(context, name);

  await page.goto(address(`/designer/models/${id}`));
  await tab(page, "Lineage").click();
  await expect(page.getByTestId("lineage-facts")).toContainText("Cost");
  const picture = page.getByTestId("lineage-picture");
  for (const kind of ["node", "workflow", "run", "model"])
    await expect(picture.getByTestId(`lineage-${kind}`)).toBeVisible();
  await expect(picture.getByTestId("lineage-commit").first()).toBeVisible();
  expect(await picture.getByTestId("lineage-edge").count()).toBeGreaterThanOrEqual(3);

  // Pointing at a card says more about it.
  await picture.getByTestId("lineage-run").hover();
  await expect(page.getByTestId("lineage-more")).toContainText("Cost");

  // The second click: the run, which leads back to the model.
  await picture.getByTestId("lineage-run").click();
  await expect(page).toHaveURL(new RegExp(`/designer/runs/${run.id}$`));
  await page
    .getByTestId("made-models")
    .getByRole("link", { name: `${name} v1` })
    .click();
  await expect(page).toHaveURL(new RegExp(`/designer/models/${id}/lineage\\?version=1$`));

  // The version of the workflow.
  await picture.getByTestId("lineage-workflow").click();
  await expect(page).toHaveURL(/\/history\?version=/);
  await expect(page.getByTestId("made-models")).toContainText(name);
  await page.getByTestId("made-models").getByRole("link").click();

  // The node, and the commit of its code.
  await picture.getByTestId("lineage-node").click();
  await expect(page).toHaveURL(new RegExp(`/code/${nodes[0]}`));
  await page
    .getByTestId("made-models")
    .getByRole("link", { name: `${name} v1` })
    .click();
  await picture.getByTestId("lineage-commit").first().click();
  await expect(page).toHaveURL(new RegExp(`${path}/code/${nodes[0]}/history/`));
});

test("a lineage is walked with the keyboard, and read as a list on a phone", async ({
  page,
  context,
  person: _person,
}) => {
  await giveToken(context);
  const name = newName("harbour");
  const { graph } = await makeProgram(context, trains(name, 0.5));
  await startSession(context, graph);
  await beginRun(context, graph);
  await endedRun(context, graph);
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}/lineage`));
  const picture = page.getByTestId("lineage-picture");
  await picture.getByTestId("lineage-model").focus();
  await page.keyboard.press("ArrowLeft");
  await expect(picture.getByTestId("lineage-run")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(picture.getByTestId("lineage-workflow")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/history\?version=/);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(address(`/designer/models/${id}/lineage`));
  const list = page.getByTestId("lineage-list");
  await expect(list).toContainText("Run 1");
  await expect(picture).toHaveCount(0);
  await fitsOnScreen(page);
  await list.getByTestId("lineage-run").click();
  await expect(page).toHaveURL(/\/designer\/runs\//);
});

test("a version is reproduced from the workflow as it was, and compared with the original", async ({
  page,
  context,
  person: _person,
}) => {
  await giveToken(context);
  const name = newName("harbour");
  const { graph, nodes } = await makeProgram(context, trains(name, 0.25));
  await startSession(context, graph);
  await beginRun(context, graph);
  await endedRun(context, graph);
  // The workflow goes on: reproducing must not run this.
  await writeCode(context, nodes[0] ?? 0, trains(name, 0.125));
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}/lineage`));
  await page.getByRole("button", { name: "Reproduce" }).click();
  const plan = page.getByTestId("reproduce-plan");
  await expect(plan).toContainText("The workflow as it was");
  await expect(plan).toContainText("You pay for it.");
  await page.getByRole("button", { name: "Run and compare" }).click();
  await expect(page).toHaveURL(new RegExp(`/designer/models/${id}/compare\\?versions=1,2$`), { timeout: 90_000 });
  const loss = page.getByTestId("compared-row").filter({ hasText: "loss" }).first();
  await expect(loss).toContainText("0.25");
  await expect(loss).not.toContainText("0.125");
  await page.getByRole("link", { name: "Code and graph" }).click();
  await expect(page.getByTestId("same-version")).toBeVisible();

  await page.goto(address(`/designer/models/${id}/lineage?version=1`));
  await expect(page.getByTestId("reproduction")).toContainText("It made version 2, with the same metrics.");
});

test("a version from outside says that nothing is known, and a viewer cannot reproduce", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  await giveToken(context);
  const name = newName("harbour");
  const project = await makeProject(context, "Flowers");
  const tracking = await openTracking(context, project);
  await train(tracking, { name, params: {}, metrics: { loss: [1] } });
  const id = await findModel(context, name);
  await page.goto(address(`/designer/models/${id}/lineage`));
  await expect(page.getByTestId("not-reproducible")).toContainText("A client outside of Miranda did.");
  await expect(page.getByTestId("lineage-picture").getByTestId("lineage-model")).toBeVisible();

  const ben = await joinProject(browser, context, project, "Ben", "viewer");
  await ben.page.goto(address(`/designer/models/${id}/lineage`));
  await expect(ben.page.getByTestId("lineage-picture")).toBeVisible();
  await expect(ben.page.getByTestId("not-reproducible")).toHaveCount(0);
  await expect(ben.page.getByRole("button", { name: "Reproduce" })).toHaveCount(0);
});
