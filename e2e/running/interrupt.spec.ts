import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { card, makeEdge, makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { address, newBrowser, signIn, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import {
  endSessions,
  fakeJob,
  giveToken,
  label,
  makeProgram,
  serveJobs,
  tapSocket,
  writeCode,
} from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

const interruptButton = (page: Page) => page.getByRole("button", { name: "Interrupt (Shift+F5)" });
const note = (page: Page) => page.getByTestId("interrupt-note");
const lines = (page: Page) => page.getByTestId("log-lines");

const sleeping = `import time
from miranda import Node

class Train(Node):
    def run(self):
        print("fitting", flush=True)
        time.sleep(600)
`;

// Ignores interrupts for a while.
const stubborn = `import time
from miranda import Node

class Train(Node):
    def run(self):
        print("fitting", flush=True)
        until = time.monotonic() + 600
        while time.monotonic() < until:
            try:
                time.sleep(0.05)
            except BaseException:
                pass
`;

const loading = `from miranda import Node, Transmitter

class Load(Node):
    text = Transmitter("text")

    def run(self):
        print("loaded")
        self.text.send("b")
`;

/** A regular expression that takes ages with many letters, and holds the interpreter meanwhile. */
const matching = (letters: number) => `import re
from miranda import Node, Receiver

class Match(Node):
    text = Receiver("text")

    def run(self):
        print("matching", flush=True)
        print("matched", re.match(r"(a+)+$", "a" * ${letters} + self.text))
`;

test("ends the run by ■ or Shift+F5 and keeps the session", async ({ page, context, person: _person }) => {
  const { path } = await makeProgram(context, sleeping);
  await giveToken(context);
  await openEditor(page, path);
  await expect(interruptButton(page)).toHaveCount(0);
  await runButton(page).click();
  await expect(lines(page)).toContainText("fitting");
  await interruptButton(page).click();
  await expect(label(page)).toHaveText("Ready");
  await expect(lines(page)).toContainText("Interrupted");
  await expect(page.getByTestId("node-run-chip").getByLabel("Was stopped")).toBeVisible();
  // An interrupt is not shown as a failure.
  await expect(page.getByRole("region", { name: "Exception" })).toHaveCount(0);
  await expect(note(page)).toHaveCount(0);

  await runButton(page).click();
  await expect(label(page)).toHaveText("Running");
  await expect(interruptButton(page)).toBeEnabled();
  await page.keyboard.press("Shift+F5");
  await expect(label(page)).toHaveText("Ready");
  // With nothing to interrupt, the key does nothing. It must not reload the page.
  await page.keyboard.press("Shift+F5");
  await expect(label(page)).toHaveText("Ready");
  await expect(lines(page)).toContainText("Interrupted");
});

test("says what a slow interrupt waits for, and offers to stop the node by force", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { path } = await makeProgram(context, stubborn);
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(lines(page)).toContainText("fitting");
  await interruptButton(page).click();
  await expect(note(page)).toContainText("Interrupting…");
  await expect(note(page)).toContainText(/Step 1 waits at line \d+/);
  // A reader has no button for it.
  const reader = await newBrowser(browser);
  await signIn(reader.context);
  await openEditor(reader.page, path);
  await expect(interruptButton(reader.page)).toHaveCount(0);
  await reader.context.close();
  await expect(note(page)).toContainText(/Still waiting for Step 1: line \d+(?:, in \w+)?\./);
  await expect(note(page).getByRole("button", { name: "Force stop this node" })).toBeVisible();
  await audit(page, "a slow interrupt");
  // Ending the session is not offered here while something less may help.
  await expect(note(page).getByRole("button", { name: "Force Stop", exact: true })).toHaveCount(0);
  await page.getByRole("complementary", { name: "Processor" }).getByRole("button", { name: "Force Stop" }).click();
  await expect(label(page)).toHaveText("Exited");
  await expect(note(page)).toHaveCount(0);
});

test("R13 stops by force a node in a call that nothing interrupts, and keeps every finished result", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph } = await makeGraph(context);
  const load = await makeNode(context, graph, { name: "Load", code: loading });
  const match = await makeNode(context, graph, { name: "Match", code: matching(40), at: { x: 400, y: 0 } });
  await makeEdge(context, load, "text", match, "text");
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(lines(page)).toContainText("matching");
  await interruptButton(page).click();
  await expect(note(page)).toContainText(/Still waiting for Match: line \d+(?:, in \w+)?\./);
  await note(page).getByRole("button", { name: "Force stop this node" }).click();
  await expect(label(page)).toHaveText("Ready");
  await expect(note(page)).toHaveCount(0);
  await expect(card(page, "Load")).toHaveAttribute("data-status", "done");

  // The session goes on: only what was stopped runs again.
  await writeCode(context, match.metadata_id, matching(4));
  await runButton(page).click();
  await expect(card(page, "Match")).toHaveAttribute("data-status", "done");
  await expect(lines(page)).toContainText("matched None");
  // Not from the page, which draws the lines in view only.
  const log = await (await context.request.get(address(`/api/v3/graphs/${graph}/processor/logs`))).text();
  expect(log.match(/loaded/g)).toHaveLength(1);
});

test("keeps the time after which an interrupt stops a node by force", async ({ page, person: _person }) => {
  await page.goto(address("/account"));
  const time = page.getByRole("combobox", { name: "Force stop by itself after" });
  await expect(time).toHaveValue("0");
  await time.selectOption("30 seconds");
  await expect(time).toHaveValue("30");
  await expect
    .poll(async () => {
      await page.reload();
      return time.inputValue();
    })
    .toBe("30");
});

test("asks for input() in plain text with the node's name, and accepts an empty answer", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeProgram(
    context,
    `from miranda import Node

class Ask(Node):
    def run(self):
        print("Hello", input("Your name? "))
        print("then", repr(input()))
`,
  );
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  const dialog = page.getByRole("dialog", { name: "Step 1 asks" });
  // A password field has no textbox role.
  const field = dialog.getByRole("textbox", { name: "Your name?" });
  await field.fill("Ada");
  await field.press("Enter");
  await expect(lines(page)).toContainText("Hello Ada");
  await expect(dialog.getByLabel("Answer")).toBeVisible();
  await dialog.getByRole("button", { name: "Send" }).click();
  await expect(lines(page)).toContainText("then ''");
  await expect(dialog).toHaveCount(0);
});

test("names each failed node, and shows its exception on a click", async ({ page, context, person: _person }) => {
  const failing = (what: string) => `from miranda import Node

class Fail(Node):
    def run(self):
        raise ValueError("${what}")
`;
  const { path } = await makeProgram(context, failing("first"), failing("second"));
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(lines(page)).toContainText(/Failed: Step \d, Step \d/);
  const failed = page.getByRole("list", { name: "Failed nodes" });
  await failed.getByRole("button", { name: "Step 1" }).click();
  await expect(page.getByTestId("traceback")).toContainText("ValueError: first");
  await failed.getByRole("button", { name: "Step 2" }).click();
  await expect(page.getByTestId("traceback")).toContainText("ValueError: second");
});

test("names the node whose process ended, and goes on", async ({ page, context, person: _person }) => {
  const { path } = await makeProgram(
    context,
    `import os
from miranda import Node

class Doomed(Node):
    def run(self):
        os._exit(3)
`,
  );
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(lines(page)).toContainText("The process of Step 1 ended: its code ended the process with exit code 3.");
  await expect(label(page)).toHaveText("Ready");
  const notice = page.getByRole("region", { name: "Exception" });
  await expect(notice).toContainText("An Error occured in Step 1");
  await expect(page.getByTestId("node")).toHaveAttribute("data-status", "failed");
});

test("says in the panel and the list when an idle session will end, and lets people keep it", async ({
  page,
  context,
  person: _person,
}) => {
  const soon = () => new Date(Date.now() + 4.5 * 60_000).toISOString();
  const job = fakeJob("READY", { ends_at: soon() });
  await serveJobs(page, { running: [job], exited: [], errored: [], queued: [] });
  const kept: string[] = [];
  let idle = job;
  await page.route(/\/api\/v3\/jobs\/[0-9a-f-]{36}\/keep$/, (route) => {
    kept.push(route.request().method());
    return route.fulfill({ json: { ...idle, revision: 1, ends_at: null } });
  });
  await page.goto(new URL("/designer/processors", process.env["E2E_URL"]).href);
  const entry = page.getByTestId("session").getByTestId("idle-notice");
  await expect(entry).toContainText("Not in use. It ends in 5 minutes.");
  await entry.getByRole("button", { name: "Keep it running" }).click();
  await expect(entry).toHaveCount(0);
  expect(kept).toEqual(["PUT"]);

  // In the graph, by the server's event.
  const { path, project, graph } = await makeProgram(context, sleeping);
  const push = await tapSocket(page);
  await openEditor(page, path);
  idle = fakeJob("READY", { ends_at: soon(), graph: { project_id: project, graph_id: graph } });
  await push("update[DOCKER_JOB]", idle);
  const panel = page.getByRole("complementary", { name: "Processor" });
  await expect(panel.getByTestId("idle-notice")).toContainText("It ends in 5 minutes.");
  await panel.getByRole("button", { name: "Keep it running" }).click();
  await expect(panel.getByTestId("idle-notice")).toHaveCount(0);
});
