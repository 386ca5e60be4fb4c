import { type BrowserContext, expect } from "@playwright/test";

import { openEditor } from "../drivers/canvas.ts";
import { bookUsage } from "../drivers/database.ts";
import { deployWorkflow } from "../drivers/deployments.ts";
import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";
import { address, newPerson, signIn, test } from "../drivers/people.ts";
import { hit, runButton } from "../drivers/running.ts";
import { endedRun } from "../drivers/runs.ts";
import { endSessions, label } from "../drivers/sessions.ts";
import { savePicture } from "./save-picture.ts";
import { makeWater } from "./water-workflow.ts";

const high = { width: 1440, height: 900 };
/** For screens that would leave most of the picture empty. */
const low = { width: 1440, height: 560 };

test.use({ viewport: high });
test.afterEach(({ context }) => endSessions(context));

async function makeProjects(context: BrowserContext): Promise<void> {
  for (const [name, about] of [
    ["Harbour traffic", "Counts ships by type and hour from the camera at the pier."],
    ["Energy of the pumps", "Finds the hours in which pumping is cheapest."],
    ["Rain radar", "Turns radar pictures into a forecast for each basin."],
  ] as const)
    await makeWorkflow(context, await makeProject(context, name, about), "First");
}

test("pictures of the home screen, the editor, a run, a model and the debugger", async ({ page, context }) => {
  await signIn(context, newPerson("Ada"));
  await makeProjects(context);
  const { graph, path, train } = await makeWater(context);
  await page.goto(address("/designer"));
  await expect(page.getByTestId("project-card")).toHaveCount(4);
  await page.setViewportSize(low);
  await savePicture(page, "pictures/home");
  await page.setViewportSize(high);

  await openEditor(page, path);
  await runButton(page).first().click();
  await expect(label(page)).toHaveText("Ready", { timeout: 90_000 });
  await page.getByRole("button", { name: /Processor Ready/ }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  await page.keyboard.press("1");
  await savePicture(page, "pictures/editor");

  const run = await endedRun(context, graph);
  await page.goto(address(`/designer/runs/${run.id}`));
  await expect(page.getByText("Train").first()).toBeVisible();
  await page.setViewportSize(low);
  await savePicture(page, "pictures/run");
  await page.setViewportSize(high);

  await page.goto(address("/designer/models"));
  await page.getByRole("link", { name: "water level" }).first().click();
  await page.getByRole("link", { name: "Charts" }).click();
  await expect(page.getByTestId("metric-chart").first()).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 600 });
  await savePicture(page, "pictures/model");
  await page.setViewportSize(high);

  await page.goto(address(`${path}/code/${train}`));
  const line = page.locator(".cm-line:visible", { hasText: "progress(epoch + 1" });
  await line.click();
  await page.keyboard.press("F9");
  await page.keyboard.press("F5");
  await expect(hit(page)).toBeVisible({ timeout: 60_000 });
  for (const asked of ["sum(levels) / count", "weight * levels[-1] + bias"]) {
    await hit(page).getByRole("textbox", { name: "Evaluate" }).fill(asked);
    await page.keyboard.press("Enter");
  }
  await expect(hit(page).getByText("weight * levels[-1] + bias").first()).toBeVisible();
  await savePicture(page, "pictures/debugger");
});

test("a picture of what was spent", async ({ page, context }) => {
  const { username } = await signIn(context, newPerson("Ada"));
  const { project } = await makeWater(context);
  const second = await makeProject(context, "Energy of the pumps");
  for (let daysAgo = 0; daysAgo < 24; daysAgo += 1) {
    const wave = 1.2 + Math.sin(daysAgo / 2.4) + (daysAgo % 5) / 4;
    const water = { project, projectName: "Waste Water Management", graphName: "Level forecast" };
    await bookUsage(username, { ...water, daysAgo, amount: wave.toFixed(2) });
    const pumps = { project: second, projectName: "Energy of the pumps", graphName: "Cheap hours" };
    if (daysAgo % 3 !== 1) await bookUsage(username, { ...pumps, daysAgo, amount: (wave / 2.5).toFixed(2) });
  }
  await page.goto(address("/account/billing"));
  await expect(page.getByRole("list", { name: "Parts" })).toContainText("Energy of the pumps");
  await savePicture(page, "pictures/billing");
});

test("a picture of an app", async ({ page, context }) => {
  await signIn(context, newPerson("Ada"));
  const { graph } = await makeWater(context);
  const { name } = await deployWorkflow(context, graph, {
    title: "Will the basin run over?",
    description: "Learns from the sensors, looks two days ahead, and says whether the water stays below your limit.",
  });
  await page.goto(address(`/explorer/apps/${name}`));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("hours above").first()).toBeVisible({ timeout: 90_000 });
  await savePicture(page, "pictures/app");
});
