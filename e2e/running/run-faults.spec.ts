import { expect } from "@playwright/test";

import { evaluateArgs } from "@miranda/contract/command-args.ts";

import { openEditor, tapSocket } from "../drivers/canvas.ts";
import { address, newBrowser, signIn, test } from "../drivers/people.ts";
import { hit, runButton } from "../drivers/running.ts";
import { endSessions, giveToken, label, storeBreakpoints, makeProgram } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

test("recovers when a connection breaks during a pause, and when the processor dies while paused", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  test.setTimeout(120_000);
  const { nodes, path, graph } = await makeProgram(
    context,
    `import os
from miranda import Node

class Doomed(Node):
    def run(self):
        pid = os.getppid()
        print("went on")
`,
  );
  const [node = 0] = nodes;
  await giveToken(context);
  await storeBreakpoints(page, graph, { [node]: [7] });
  const socket = await tapSocket(page);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(hit(page)).toContainText("line 7");

  // The connection breaks, and another tab of the same person steps on.
  const tab = await context.newPage();
  await openEditor(tab, path);
  await expect(hit(tab)).toContainText("line 7");
  await socket.cut();
  await tab.keyboard.press("F5");
  await expect(tab.getByTestId("log-lines")).toContainText("went on");
  await expect(label(tab)).toHaveText("Ready");
  await expect(page.getByTestId("offline")).toHaveCount(0, { timeout: 15_000 });
  await expect(page.getByTestId("log-lines")).toContainText("went on", { timeout: 40_000 });
  await expect(label(page)).toHaveText("Ready", { timeout: 30_000 });
  await expect(hit(page)).toHaveCount(0);
  // The page catches up on what it missed.
  await expect(page.getByTestId("node-run-chip").getByLabel("Ran", { exact: true })).toBeVisible();
  await tab.close();

  // A reader sees the pause without its variables and without controls.
  await page.keyboard.press("F5");
  await expect(hit(page)).toContainText("line 7");
  const reader = await newBrowser(browser);
  await signIn(reader.context);
  await openEditor(reader.page, path);
  await expect(hit(reader.page)).toContainText("line 7");
  await expect(hit(reader.page).getByRole("treeitem", { name: /^pid/ })).toHaveCount(0);
  await expect(runButton(reader.page)).toHaveCount(0);
  await expect(reader.page.getByRole("button", { name: "Continue (F5)" })).toHaveCount(0);
  await reader.page.evaluate(() => addEventListener("keydown", (event) => event.preventDefault()));
  await reader.page.keyboard.press("F10");
  await expect(hit(reader.page)).toContainText("line 7");

  // Node code kills the worker: its process id inside the sandbox belongs to another process outside.
  const killed = await context.request.post(address(`/api/v3/graphs/${graph}/processor/evaluate`), {
    form: { args: evaluateArgs("os.kill(pid, 9)") },
  });
  expect(killed.status()).toBe(200);
  for (const one of [page, reader.page]) {
    await expect(label(one)).toHaveText("Error");
    await expect(hit(one)).toHaveCount(0);
    // Nothing looks as if it were still running, and the node that killed the worker is marked.
    await expect(one.getByTestId("node-run-chip").getByLabel("Failed")).toBeVisible();
    await expect(one.getByTestId("node")).toHaveAttribute("data-status", "failed");
  }
  await expect(page.getByRole("button", { name: "Restart" })).toBeVisible();
  await expect(page.getByTestId("log-line").last()).toContainText(/signal|killed/i);
  await page.getByRole("button", { name: "Restart" }).click();
  await expect(label(page)).toHaveText("Ready");
  await reader.context.close();
});

test("S7-112 S7-113 asks for a password, stores it as a secret, then notifies the server", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeProgram(
    context,
    `import miranda
from miranda import Node

class Ask(Node):
    def run(self):
        print("length", len(miranda.ask_password("Password of the archive")))
`,
  );
  await giveToken(context);
  await openEditor(page, path);
  const calls: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/v3/secrets")) calls.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await runButton(page).click();
  const dialog = page.getByRole("dialog", { name: "A node asks for a password" });
  // A tab that opens later asks too; a tab in which the person dismissed the question does not ask again.
  const tab = await context.newPage();
  await openEditor(tab, path);
  const there = tab.getByRole("dialog", { name: "A node asks for a password" });
  await expect(there.getByLabel("Password of the archive")).toBeVisible();
  await there.getByRole("button", { name: "Cancel" }).click();
  await expect(there).toHaveCount(0);
  await tab.close();
  await dialog.getByLabel("Password of the archive").fill("seventeen letters");
  await dialog.getByRole("button", { name: "Send" }).click();
  await expect(page.getByTestId("log-lines")).toContainText("length 17");
  await expect(page.getByTestId("log-lines")).not.toContainText("seventeen letters");
  expect(calls).toEqual(["POST /api/v3/secrets", "POST /api/v3/secrets/notify"]);
});
