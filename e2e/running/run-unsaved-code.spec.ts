import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { editor, file, line, pane, typeAfter } from "../drivers/coding.ts";
import { address, password, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, label, openProcessor, revokeTokens } from "../drivers/sessions.ts";

const train = `from miranda import Node


class Train(Node):
    def run(self):
        print("as committed")
`;

test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));

const logs = (page: Page) => page.getByRole("log");
const mark = (page: Page, name: string) =>
  page.getByTestId("node").filter({ hasText: name }).getByTestId("unsaved-mark");

async function openLogs(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: /^Logs/ });
  if ((await button.getAttribute("aria-pressed")) !== "true") await button.click();
}

const counting = `from miranda import Field, Node, Number


class Count(Node):
    first = Field(1, control=Number())
    second = Field(2, control=Number())

    def run(self):
        print(f"counts {self.first} and {self.second}")
`;

test("runs with the values on the page, also those that the server does not have yet", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph } = await makeGraph(context);
  await makeNode(context, graph, { name: "Count", code: counting });
  await openEditor(page, path);
  await openLogs(page);
  // A slow way to the server: the second value waits for the first.
  await page.route("**/api/v3/**", async (route) => {
    if (route.request().method() !== "GET" && !route.request().url().includes("processor"))
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue().catch(() => undefined);
  });
  const field = (name: string) => page.getByTestId("node").getByRole("textbox", { name });
  await field("first").fill("30");
  await field("second").fill("50");
  // Still in the field: nothing has been stored of it.
  await page.keyboard.press("F5");
  await expect(logs(page)).toContainText("counts 30 and 50");
  await expect(logs(page)).not.toContainText("counts 1");
});

test("runs what was just typed with one click, without a commit dialog or a token", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph } = await makeGraph(context);
  const { metadata_id } = await makeNode(context, graph, { name: "Train", code: train });
  await page.goto(address(`${path}/code/${metadata_id}`));
  await openLogs(page);
  await page.getByRole("button", { name: "More ways to run" }).click();
  await expect(page.getByRole("menu")).toContainText("A new session starts. 1 node runs.");
  await page.keyboard.press("Escape");

  await typeAfter(page, "as committed", '\nprint("typed a moment ago")');
  await page.keyboard.press("F5");
  await expect(logs(page)).toContainText("typed a moment ago");
  await expect(page.getByTestId("unsaved-dot")).toHaveCount(0);
  await expect(page.getByTestId("sending")).toHaveText("Committed");

  for (const words of ["second", "third"]) {
    await typeAfter(page, "a moment ago", `\nprint("${words}")`);
    await runButton(page).hover();
    await expect(page.getByTestId("plan").first()).toContainText("Its code changed.");
    await runButton(page).click();
    await expect(logs(page)).toContainText(words);
    await expect(runButton(page)).toBeEnabled();
  }

  // The history stays readable, and the commit of every run can be restored.
  await page.getByRole("link", { name: "History" }).click();
  await expect(page.getByTestId("runs")).toHaveText(/^3 runs/);
  await expect(page.getByTestId("commit")).toHaveCount(0);
  await page.getByTestId("runs").click();
  await expect(page.getByTestId("commit")).toHaveCount(3);
  await audit(page, "runs in the history", "[data-testid=history]");
  await page.getByTestId("commit").last().click();
  const shown = page.getByTestId("commit-view");
  await expect(shown.getByRole("heading", { name: "Run" })).toBeVisible();
  await shown.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("dialog", { name: "Restore #1" }).getByRole("button", { name: "Restore" }).click();
  await expect(line(page, "third")).toHaveCount(0);
  await expect(line(page, "typed a moment ago")).toBeVisible();
});

test("marks another person's unsaved code with their name, and runs it only when it is included", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { path, graph, project } = await makeGraph(context);
  const { metadata_id } = await makeNode(context, graph, { name: "Train", code: train });
  const other = await joinProject(browser, context, project, "Bea");

  await openEditor(page, path);
  await expect(mark(page, "Train")).toHaveCount(0);
  await other.page.goto(address(`${path}/code/${metadata_id}`));
  await typeAfter(other.page, "as committed", '\nprint("by bea")');
  await expect(mark(page, "Train")).toHaveAccessibleName("Unsaved code by Bea");
  await expect(file(other.page, "Train").getByTestId("unsaved-dot")).toHaveAttribute("title", "Unsaved code by you");

  // Without it, the run uses the committed code.
  await runButton(page).hover();
  await expect(page.getByTestId("others-code").first()).toContainText("Train has unsaved changes by Bea.");
  await runButton(page).click();
  await expect(label(page)).toHaveText("Ready");
  const lines = async () => {
    const answer = await context.request.get(address(`/api/v3/graphs/${graph}/processor/logs?log_lines=100`));
    return ((await answer.json()) as { message: string }[]).map(({ message }) => message).join("\n");
  };
  await expect.poll(lines).toContain("as committed");
  expect(await lines()).not.toContain("by bea");
  await expect(mark(page, "Train")).toBeVisible();

  // One click includes it. The run then commits it for both people.
  await expect(runButton(page)).toBeEnabled();
  await page.getByRole("button", { name: "Include unsaved code by Bea" }).click();
  await expect(page.getByTestId("include-code")).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "More ways to run" }).click();
  await expect(page.getByRole("menuitemcheckbox", { name: "Include code by Bea in Train" })).toBeChecked();
  await expect(page.getByRole("menu")).toContainText("Train has unsaved changes by Bea, included.");
  await expect(page.getByRole("menu")).toContainText("Its code changed.");
  await audit(page, "others' code in the Run menu", "[role=menu]");
  await page.getByRole("menuitem", { name: "Run what changed" }).click();
  await expect.poll(lines).toContain("by bea");
  await expect(mark(page, "Train")).toHaveCount(0);
  await expect(page.getByTestId("include-code")).toHaveCount(0);
  await expect(other.page.getByTestId("sending")).toHaveText("Committed");
  await other.context.close();
});

test("refuses unreadable code with its line before anything starts, and links to that line", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph } = await makeGraph(context);
  const { metadata_id } = await makeNode(context, graph, { name: "Train", code: train });
  await page.goto(address(`${path}/code/${metadata_id}`));
  await typeAfter(page, "class Train", "\nbroken = 1 +");
  await expect(page.getByTestId("sending")).toHaveText("Draft saved");
  await openEditor(page, path);
  await expect(mark(page, "Train")).toHaveAccessibleName("Unsaved code by you");
  await runButton(page).hover();
  await expect(page.getByText("Train, line 5: invalid syntax").first()).toBeVisible();
  await runButton(page).click();
  const refused = page.getByTestId("refused-run");
  await expect(refused).toHaveText("Train, line 5: invalid syntax");
  await openProcessor(page);
  await expect(label(page)).toHaveText("Not Connected");
  const commits = await context.request.get(address(`/api/v3/objects/${metadata_id}/commits`));
  expect(((await commits.json()) as { commits: object[] }).commits).toEqual([]);

  await audit(page, "refused code and a marked node");
  await refused.click();
  await expect(page).toHaveURL(new RegExp(`/code/${metadata_id}\\?line=5$`));
  await expect(line(page, "broken = 1 +")).toBeVisible();
  await expect(pane(page).locator(".cm-activeLine")).toContainText("broken = 1 +");
  await expect(editor(page)).toBeFocused();

  // On a phone there is no space for it beside Run.
  await page.setViewportSize({ width: 390, height: 800 });
  await runButton(page).click();
  const toast = page.getByText("Train, line 5: invalid syntax. Nothing was run.");
  await expect(toast).toBeVisible();
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/code/${metadata_id}\\?line=5$`));
});

test("S8-012 S8-013 asks for a token only after it was revoked, and says so in the modal", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph } = await makeGraph(context);
  await makeNode(context, graph, { name: "Train", code: train });
  await openEditor(page, path);
  await revokeTokens(context);
  await runButton(page).click();
  const modal = page.getByRole("dialog", { name: "Generate Token" });
  await expect(modal).toContainText("Your execution token was revoked.");
  await modal.getByLabel("Password", { exact: true }).fill(password);
  await modal.getByRole("button", { name: "Generate token" }).click();
  await page
    .getByRole("dialog", { name: "Token Generated" })
    .getByRole("button", { name: "Close", exact: true })
    .click();
  await expect(label(page)).toHaveText("Ready");
});
