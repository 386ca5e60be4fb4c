import { expect } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { invite, makeNode, openEditor } from "../drivers/canvas.ts";
import { deploy, deployDialog, deploymentPath, deployWorkflow, forecast, release } from "../drivers/deployments.ts";
import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";
import { fitsOnScreen } from "../drivers/fits-on-screen.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";
import { endSessions, makeProgram } from "../drivers/sessions.ts";
import { nameVersion, setValue } from "../drivers/versions.ts";

test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));

test("two clicks lead from the editor to a working app, and its page shows it", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await makeProgram(context, forecast);
  await nameVersion(context, made.graph, "First version", { publish: true });
  await openEditor(page, made.path);
  await page.getByRole("button", { name: "Deploy" }).click();
  await expect(deployDialog(page).getByTestId("deploy-field")).toHaveCount(3);
  await expect(deployDialog(page).getByRole("region", { name: "Preview of the form" })).toContainText("City");
  await audit(page, "Deploy", "[data-testid=deploy-dialog]");
  await deployDialog(page).getByRole("button", { name: "Deploy" }).click();
  await expect(page.getByTestId("deployed")).toContainText("/explorer/apps/forecast");
  await audit(page, "It is deployed", "[data-testid=deploy-dialog]");

  await page.getByRole("link", { name: "Manage it" }).click();
  await expect(release(page, 1)).toContainText("Production");
  await audit(page, "the overview of a deployment");

  // The version is frozen: it shows the published code while the workflow goes on.
  await page.getByRole("link", { name: "Code", exact: true }).click();
  await expect(page.getByTestId("code-ide")).toContainText("class Forecast");
  await expect(page.getByRole("textbox", { name: "Code of Step 1" })).toHaveAttribute("contenteditable", "false");
  await audit(page, "the code of a deployment");

  await page.goto(address(`/designer/projects/${made.project}`));
  await expect(page.getByTestId("deployment-item")).toContainText("Release 1: First version");
  await page.getByRole("button", { name: "Delete workflow" }).click();
  await expect(page.getByTestId("ended-deployments")).toContainText("Forecast");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete project" }).click();
  await expect(page.getByTestId("ended-deployments")).toContainText("Forecast");
});

test("a project shows its deployments by pages", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Harbour");
  const code = "from miranda import *\n\n\nclass Pass(Node):\n    def run(self):\n        pass\n";
  for (let at = 0; at < 25; at += 1) {
    const graph = await makeWorkflow(context, project, `Flow ${at}`);
    await makeNode(context, graph, { name: "Pass", code });
    await deployWorkflow(context, graph, { title: `App ${at}` });
  }
  await page.goto(address(`/designer/projects/${project}`));
  const section = page.getByRole("region", { name: /^Deployments/ });
  await expect(section.getByTestId("deployment-item")).toHaveCount(24);
  await expect(section.getByRole("heading")).toHaveText("Deployments24+");
  await expect(section.getByRole("link", { name: "App 0", exact: true })).toHaveCount(0);
  await section.getByRole("button", { name: "Show more" }).click();
  await expect(section.getByRole("link", { name: "App 0", exact: true })).toBeVisible();
  await expect(section.getByRole("heading")).toHaveText("Deployments25");
  await expect(section.getByRole("button", { name: "Show more" })).toHaveCount(0);
});

test("a workflow that is not published is published from the dialog", async ({ page, context, person: _person }) => {
  const made = await makeProgram(context, forecast);
  await openEditor(page, made.path);
  await page.getByRole("button", { name: "Deploy" }).click();
  await audit(page, "Deploy without a version", "[data-testid=deploy-dialog]");
  await deployDialog(page).getByRole("button", { name: "Publish and continue" }).click();
  await expect(deployDialog(page).getByLabel("Version")).toContainText("First version");
});

test("fields are labelled, ordered and limited, and the form shows it at once", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await makeProgram(context, forecast);
  await nameVersion(context, made.graph, "First version", { publish: true });
  await openEditor(page, made.path);
  await page.getByRole("button", { name: "Deploy" }).click();
  const dialog = deployDialog(page);
  const preview = dialog.getByRole("region", { name: "Preview of the form" });
  await dialog.getByLabel("Label of city").fill("Where");
  await expect(preview.getByLabel("Where")).toHaveValue("Oslo");

  // By keyboard: the handle moves the field, and keeps the focus.
  await dialog.getByRole("button", { name: "Move Where. Use the arrow keys." }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(dialog.getByTestId("deploy-field").nth(2)).toHaveAttribute("data-name", "city");
  await expect(dialog.getByRole("button", { name: "Move Where. Use the arrow keys." })).toBeFocused();
  // By dragging it back.
  await dialog
    .getByRole("button", { name: "Move Where. Use the arrow keys." })
    .dragTo(dialog.getByRole("button", { name: "Move Days. Use the arrow keys." }));
  await expect(dialog.getByTestId("deploy-field").first()).toHaveAttribute("data-name", "city");

  await dialog.getByLabel("Ask for Mode").uncheck();
  await expect(preview).not.toContainText("Mode");
  await dialog.getByRole("button", { name: "Settings of Days" }).click();
  await dialog.getByLabel("Maximum", { exact: true }).fill("7");
  await dialog.getByLabel("Help").fill("How far to look ahead");
  await expect(preview).toContainText("How far to look ahead");

  // A default that is half typed is shown at its field when somebody deploys, and stays as it is.
  await dialog.getByLabel("Default value, as a number").fill("5x");
  await expect(preview.getByLabel("Days, as a number")).toHaveValue("3");
  await dialog.getByRole("button", { name: "Settings of Days" }).click();
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await expect(dialog.getByTestId("deploy-field").filter({ hasText: /Default value must be/ })).toBeVisible();
  await expect(dialog.getByLabel("Default value", { exact: true })).toBeFocused();
  await expect(dialog.getByLabel("Default value, as a number")).toHaveValue("5x");
  await audit(page, "a default that is wrong", "[data-testid=deploy-dialog]");
  await dialog.getByLabel("Default value, as a number").fill("5");
  await expect(preview.getByLabel("Days, as a number")).toHaveValue("5");

  // What is wrong is said, and nothing that was written is lost.
  await dialog.getByLabel("Short name").fill("no good");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await expect(dialog.getByRole("alert")).toContainText("small letters, digits and dashes");
  await expect(dialog.getByLabel("Label of city")).toHaveValue("Where");
  const name = `where-${Date.now()}`;
  await dialog.getByLabel("Short name").fill(name);
  await dialog.getByText("Everybody with an account").click();
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await expect(page.getByTestId("deployed")).toContainText("Everybody with an account");

  const app = (await (await context.request.get(address(`/api/v3/deployments/${name}`))).json()) as {
    fields: { name: string; label: string; help: string; max: number | null }[];
  };
  expect(app.fields).toMatchObject([
    { name: "city", label: "Where" },
    { name: "days", help: "How far to look ahead", max: 7 },
  ]);
});

test("a short name that is taken is said, and a suggested one gets a number", async ({
  page,
  context,
  person: _person,
}) => {
  const taken = `taken-${Date.now()}`;
  await deploy(context, forecast, { name: taken });
  const made = await makeProgram(context, forecast);
  await nameVersion(context, made.graph, "First version", { publish: true });
  await openEditor(page, made.path);
  await page.getByRole("button", { name: "Deploy" }).click();
  await deployDialog(page).getByLabel("Short name").fill(taken);
  await deployDialog(page).getByRole("button", { name: "Deploy" }).click();
  await expect(deployDialog(page).getByRole("alert")).toContainText("That short name is taken.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Deploy" }).click();
  await deployDialog(page).getByLabel("Title").fill(taken.replace("-", " "));
  await expect(deployDialog(page).getByLabel("Short name")).toHaveValue(taken);
  await deployDialog(page).getByRole("button", { name: "Deploy" }).click();
  await expect(page.getByTestId("deployed")).toContainText(`/explorer/apps/${taken}-2`);
});

test("a new release goes to staging, to production, and back in one click", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await deploy(context);
  await setValue(context, made.nodes[0] ?? 0, "days", 5);
  await page.goto(address(deploymentPath(made)));
  await page.getByRole("button", { name: "New release" }).click();
  const dialog = deployDialog(page);
  await expect(dialog).toContainText("The workflow has changed since “First version”.");
  await dialog.getByRole("button", { name: "Publish it as it is now" }).click();
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await expect(dialog.getByLabel("Version")).toHaveValue("2");
  await dialog.getByLabel("Ask for Mode").uncheck();
  await expect(dialog.getByTestId("release-changes")).toContainText("No longer asks for “Mode”.");
  await audit(page, "New release", "[data-testid=deploy-dialog]");
  await dialog.getByText("Staging: editors only").click();
  await dialog.getByLabel("Note").fill("Five days");
  await dialog.getByRole("button", { name: "Release", exact: true }).click();
  await expect(release(page, 2)).toContainText("Staging");
  await expect(release(page, 2)).toContainText("Five days");
  await expect(release(page, 1)).toContainText("Production");

  await release(page, 2).getByRole("button", { name: "Put in production: release 2" }).click();
  await expect(release(page, 2)).toContainText("Production");
  await audit(page, "releases");
  await release(page, 1).getByRole("button", { name: "Roll back to this: release 1" }).click();
  await expect(release(page, 1)).toContainText("Production");
  await expect(page.getByText("Serves release 1")).toBeVisible();
});

test("settings are changed, secrets are shown once, and deleting ends it", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await deploy(context);
  await page.goto(address(deploymentPath(made, "settings")));
  await page.getByLabel("Title").fill("Tides of the week");
  await page.getByRole("form", { name: "About" }).getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Tides of the week");

  const access = page.getByRole("form", { name: "Who may use it" });
  await access.getByText("Anybody with the link").click();
  await access.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("group", { name: "Public link" })).toContainText("/explorer/links/");

  const cost = page.getByRole("form", { name: "Compute and cost" });
  await cost.getByLabel("Processors kept warm").fill("9");
  await cost.getByRole("button", { name: "Save" }).click();
  await expect(cost.getByRole("alert")).toContainText("more warm processors");
  await expect(cost.getByLabel("Processors kept warm")).toHaveValue("9");

  await page.getByLabel("Name of a new token").fill("Nightly job");
  await page.getByRole("button", { name: "Make a token" }).click();
  await expect(page.getByTestId("new-token")).toContainText("mdt_");
  await expect(page.getByRole("list", { name: "Tokens" })).toContainText("Nightly job");
  await page.getByRole("button", { name: "Make an address" }).click();
  await expect(page.getByTestId("new-hook")).toContainText("/api/v3/hooks/");
  await audit(page, "the settings of a deployment");
  await page.reload();
  await expect(page.getByRole("list", { name: "Tokens" })).toContainText("Nightly job");
  await expect(page.getByTestId("new-token")).toBeHidden();

  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  await page.goto(address(deploymentPath(made)));
  await expect(page.getByText("This workflow is not deployed")).toBeVisible();
  await audit(page, "no deployment");
});

test("a viewer of the project sees the deployment and can change nothing", async ({
  context,
  person: _person,
  browser,
}) => {
  const made = await deploy(context);
  const other = await newBrowser(browser);
  const viewer = await signIn(other.context, newPerson("Vera"));
  await invite(context, made.project, viewer.username, "viewer");
  await other.page.goto(address(deploymentPath(made)));
  await expect(release(other.page, 1)).toContainText("Production");
  await expect(other.page.getByRole("button", { name: "New release" })).toBeHidden();
  await other.page.goto(address(deploymentPath(made, "settings")));
  await expect(other.page.getByText("Editors of the project can change the settings")).toBeVisible();
  await other.context.close();
});

test("every part fits a phone", async ({ page, context, person: _person }) => {
  const made = await deploy(context);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const tab of ["overview", "code", "calls", "schedules", "processors", "settings"]) {
    await page.goto(address(deploymentPath(made, tab)));
    await expect(page.getByTestId("deployment")).toBeVisible();
    await expect(
      page.getByRole("link", { name: tab, exact: false }).and(page.locator("[aria-current=page]")),
    ).toBeVisible();
    await audit(page, `${tab} of a deployment on a phone`, "main");
    await fitsOnScreen(page, tab);
  }
});
