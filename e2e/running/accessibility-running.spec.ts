import { expect } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { card, header, openEditor } from "../drivers/canvas.ts";
import { editor, makeFlow, typeAfter } from "../drivers/coding.ts";
import { address, test } from "../drivers/people.ts";
import { hit, load, report } from "../drivers/running.ts";
import {
  endSessions,
  fakeJob,
  giveToken,
  storeBreakpoints,
  makeProgram,
  tapSocket,
  writeCode,
} from "../drivers/sessions.ts";

// Checks everything that shows runs against WCAG 2.1 A and AA, in light and dark.
test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));

test("has no violations on the canvas and in the log of a failed run", async ({ page, context, person: _person }) => {
  const alone = report.replace("self.total / limit", "limit").replace('    total = Receiver("number")\n\n', "");
  const { path, nodes } = await makeProgram(context, load, alone);
  await giveToken(context);
  await openEditor(page, path);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Exception" })).toBeVisible();
  await audit(page, "an exception");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await writeCode(context, nodes[1] ?? 0, `import no_such_package\n${alone}`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("button", { name: "Add no-such-package to this node" })).toBeVisible();
  await audit(page, "an exception with a fix", "[data-stopped]");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await expect(page.getByTestId("log-lines")).toContainText("loading");
  await audit(page, "the log and what nodes showed", "main");
  await page.getByRole("button", { name: "More ways to run" }).click();
  await audit(page, "the ways to run", "[role=menu]");
  await page.keyboard.press("Escape");
  await header(page, "Step 1").click();
  await page.getByTestId("inspector").getByRole("button", { name: "Open code" }).click();
  const dock = page.getByTestId("code-dock");
  await expect(dock.getByRole("table")).toContainText("Brest");
  await audit(page, "code and outputs beside the canvas", "[data-testid=code-dock]");
  await page.getByRole("button", { name: "Close the code" }).click();
  await card(page, "Step 1").getByRole("button", { name: "Output of Step 1" }).click();
  await expect(page.getByRole("dialog").getByRole("table")).toContainText("Brest");
  await audit(page, "all outputs of a node", "[role=dialog]");
});

test("has no violations in the IDE, its panels, dialogs and history", async ({ page, context, person: _person }) => {
  const { base, nodes } = await makeFlow(context);
  await page.goto(`${base}/${nodes.Train}`);
  await expect(editor(page)).toBeVisible();
  await typeAfter(page, "total = 0", " + 1 # more");
  await expect(page.getByTestId("sending")).toHaveText("Draft saved");
  await audit(page, "the IDE");
  await page.keyboard.press("Control+f");
  await expect(page.locator(".cm-search")).toBeVisible();
  await audit(page, "find and replace", ".cm-search");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Processor", exact: true }).click();
  await page.getByRole("button", { name: /^Logs/ }).click();
  await audit(page, "the IDE with processor and log", "main");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await audit(page, "the editor's menu", "[role=menu]");
  await page.getByRole("menuitem", { name: /^Keyboard shortcuts/ }).click();
  await audit(page, "the IDE's shortcuts", "[role=dialog]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog", { name: /^Commit / });
  await dialog.getByLabel("Message").fill("One more");
  await audit(page, "the commit dialog", "[role=dialog]");
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await page.getByRole("link", { name: "History" }).click();
  await page.getByTestId("commit").first().click();
  await expect(page.getByTestId("commit-view")).toBeVisible();
  await audit(page, "the history", "main");
});

test("has no violations during a pending interrupt, an input() question and an idle session", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, project, graph, nodes } = await makeProgram(context, load);
  const push = await tapSocket(page);
  await openEditor(page, path);
  const job = fakeJob("RUNNING", { graph: { project_id: project, graph_id: graph } });
  const place = { wob_key: nodes[0], line_number: 9, funcname: "fit" };
  await push("update[DOCKER_JOB]", job);
  await push("interrupting", { job_id: job.id, seconds: 6, nodes: [place] });
  await expect(page.getByTestId("interrupt-note").getByRole("button", { name: "Force Stop" })).toBeVisible();
  await audit(page, "an interrupt", "[data-testid=interrupt-note]");
  const ends_at = new Date(Date.now() + 200_000).toISOString();
  await push("update[DOCKER_JOB]", { ...job, workflow_state: "READY", revision: 1, ends_at });
  await expect(page.getByTestId("idle-notice")).toBeVisible();
  await audit(page, "an idle session", "[aria-label=Processor]");
  const asked = { project_id: graph, passwd_prompt: "Your name?", question: "q.1", hidden: false, wob_key: nodes[0] };
  await push("ask_for_password", asked);
  await expect(page.getByRole("dialog", { name: "Step 1 asks" })).toBeVisible();
  await audit(page, "a question in the clear", "[role=dialog]");
});

test("has no violations at a paused program and in the breakpoint dialog", async ({
  page,
  context,
  person: _person,
}) => {
  await giveToken(context);
  const { path, graph, nodes } = await makeProgram(context, load);
  const [node = 0] = nodes;
  await storeBreakpoints(page, graph, { [node]: [9] });
  await page.addInitScript((key) => localStorage.setItem(key, '["self", "nothing"]'), `watches:${graph}`);
  await page.goto(address(`${path}/code/${node}`));
  await expect(editor(page)).toBeVisible();
  await page.keyboard.press("F5");
  await hit(page).getByRole("textbox", { name: "Evaluate" }).fill("print(1); [1, 2]");
  await page.keyboard.press("Enter");
  await expect(hit(page).getByRole("log", { name: "Console" })).toContainText("1");
  await audit(page, "a stopped program", "main");
  await page.setViewportSize({ width: 390, height: 844 });
  for (const pane of ["Watch", "Call stack", "Console"]) {
    await hit(page).getByRole("button", { name: pane, exact: true }).click();
    await audit(page, `a stopped program, ${pane}`, "[data-stopped]");
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page
    .locator(".cm-lineNumbers .cm-gutterElement:visible")
    .getByText("9", { exact: true })
    .click({ modifiers: ["Shift"] });
  await expect(page.getByRole("dialog", { name: "Breakpoint on line 9" })).toBeVisible();
  await audit(page, "the dialog of a breakpoint", "[role=dialog]");
});
