import { expect } from "@playwright/test";

import { commit, editor, file, line, makeFlow, pane, typeAfter } from "../drivers/coding.ts";
import { address, newBrowser, signIn, test } from "../drivers/people.ts";

test("S2-015 S2-016 S4-020 S4-021 keeps unsaved code per node until that node is committed", async ({
  page,
  context,
  person: _person,
}) => {
  const { base, nodes } = await makeFlow(context);
  await page.goto(base);
  await expect(editor(page)).toBeVisible();
  await expect(page.getByTestId("file")).toContainText(["Load", "Train"]);
  await page.goto(`${base}/${nodes.Train}`);
  await expect(line(page, "total = 0")).toBeVisible();
  await expect(page.getByTestId("crumbs")).toContainText("Harbour");
  await expect(page.getByTestId("back-link")).toHaveAttribute("href", /\/graphs\/[0-9a-f-]{36}$/);
  await expect(page.getByTestId("attribute")).toContainText(["rows", "compute", "storage", "model"]);

  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByText("Nothing has changed since the last commit.")).toBeVisible();
  await typeAfter(page, "model = Transmitter", '\nloss = Transmitter("float")');
  await expect(page.getByTestId("attribute").filter({ hasText: "loss" })).toHaveAttribute("data-mark", "new");
  await file(page, "Load").click();
  await expect(page).toHaveURL(`${base}/${nodes.Load}`);
  // The click must not meet the editor of the other node.
  await expect(line(page, "class Load")).toBeVisible();
  await editor(page).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# by hand\n");
  await expect(page.getByTestId("unsaved-dot")).toHaveCount(2);
  await expect(page.getByTestId("sending")).toHaveText("Draft saved");

  await page.reload();
  await expect(line(page, "# by hand")).toBeVisible();
  await page.getByRole("tab", { name: "Train" }).click();
  await expect(line(page, "loss = Transmitter")).toBeVisible();
  await commit(page, "Send the loss");
  await expect(page.getByTestId("unsaved-dot")).toHaveCount(1);
  await expect(file(page, "Load").getByTestId("unsaved-dot")).toBeVisible();
  await expect(page.getByTestId("attribute").filter({ hasText: "loss" })).not.toHaveAttribute("data-mark", "new");

  await file(page, "Load").click();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("dialog", { name: "Discard changes" }).getByRole("button", { name: "Discard" }).click();
  await expect(line(page, "# by hand")).toHaveCount(0);
  await expect(page.getByTestId("unsaved-dot")).toHaveCount(0);
});

test("S2-017 S2-018 S2-150 shows history with author, time, message and diff, and restores a commit", async ({
  page,
  context,
  person,
}) => {
  const { base, nodes } = await makeFlow(context);
  const url = `${base}/${nodes.Train}`;
  await page.goto(`${url}/history`);
  await expect(page.getByTestId("no-commits")).toBeVisible();
  await page.getByRole("link", { name: "Code", exact: true }).click();
  await typeAfter(page, "total = 0", " + 1");
  await commit(page, "Count from one");
  await typeAfter(page, "total = 0 + 1", " + 2");
  await commit(page, "And two more");
  await page.getByRole("link", { name: "History" }).click();
  await expect(page).toHaveURL(`${url}/history`);
  await expect(page.getByTestId("commit")).toHaveCount(2);
  await expect(page.getByTestId("commit").first()).toContainText("And two more");
  await expect(page.getByTestId("commit").first()).toContainText(person.firstName);
  await page.getByTestId("commit").last().click();
  await expect(page).toHaveURL(/\/history\/[0-9a-f-]{36}$/);
  await page.reload();
  const shown = page.getByTestId("commit-view");
  await expect(shown.getByRole("heading", { name: "Count from one" })).toBeVisible();
  await expect(shown.getByTestId("diff")).toHaveAttribute("data-mode", "split");
  await shown.getByRole("button", { name: "In one column" }).click();
  await expect(shown.getByTestId("diff")).toHaveAttribute("data-mode", "unified");
  await shown.getByRole("button", { name: "Against current" }).click();
  await expect(shown.locator(".cm-deletedChunk")).toContainText("total = 0 + 1");
  await expect(shown.locator(".cm-changedLine")).toContainText("total = 0 + 1 + 2");
  await shown.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("dialog", { name: "Restore #1" }).getByRole("button", { name: "Restore" }).click();
  await expect(page).toHaveURL(url);
  await expect(line(page, "total = 0 + 1")).toHaveText(/total = 0 \+ 1$/);
  await page.getByRole("link", { name: "History" }).click();
  await expect(page.getByTestId("commit").first()).toContainText("Restore #1: Count from one");
});

test("marks an error on its line while the person types, and lets them commit it", async ({
  page,
  context,
  person: _person,
}) => {
  const { base, nodes } = await makeFlow(context);
  await page.goto(`${base}/${nodes.Train}`);
  await typeAfter(page, "total = 0", " +");
  await expect(page.getByTestId("code-error")).toContainText("line 9");
  await expect(pane(page).locator(".cm-lint-marker-error")).toHaveCount(1);
  await expect(file(page, "Train")).toHaveAttribute("data-error", "true");
  await expect(page.getByTestId("attribute")).toContainText(["rows"]);
  await commit(page, "Half a thought");
  await expect(page.getByTestId("sending")).toHaveText("Committed");
  await page.reload();
  await expect(pane(page).locator(".cm-lint-marker-error")).toHaveCount(1);
});

test("S3-032 sets breakpoints by click and F9, keeps them on their code, and restores them after a reload", async ({
  page,
  context,
  person: _person,
}) => {
  const { base, nodes } = await makeFlow(context);
  await page.goto(`${base}/${nodes.Train}`);
  const marks = pane(page).locator(".cm-breakpoint");
  await line(page, "total = 0").click();
  await page.keyboard.press("F9");
  await expect(marks).toHaveCount(1);
  const height = (await marks.boundingBox())?.y ?? 0;
  await typeAfter(page, "model = Transmitter", "\n");
  await expect.poll(async () => (await marks.boundingBox())?.y ?? 0).toBeGreaterThan(height);
  await page.reload();
  await expect(marks).toHaveCount(1);
  await marks.click();
  await expect(marks).toHaveCount(0);
});

test("refuses 10 MB of pasted code with a message; find, comment and format work", async ({
  page,
  context,
  person: _person,
}) => {
  const { base, nodes } = await makeFlow(context);
  await page.goto(`${base}/${nodes.Train}`);
  await line(page, "total = 0").click();
  await editor(page).evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "x".repeat(10_000_000));
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(page.getByText("Code can have at most 1,000,000 characters.")).toBeVisible();
  await expect(page.getByTestId("sending")).toHaveText("Committed");
  await page.keyboard.press("ControlOrMeta+/");
  await expect(line(page, "# total = 0")).toBeVisible();
  await page.keyboard.press("End");
  await page.keyboard.type("   \nother=[ 1,2 ]");
  await page.keyboard.press("Shift+Alt+f");
  await expect(line(page, "other = [1, 2]")).toBeVisible();
  await expect(line(page, "# total = 0")).toHaveText(/# total = 0$/);
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+f");
  await page.getByRole("textbox", { name: "Find" }).fill("model");
  await page.getByRole("textbox", { name: "Replace" }).fill("shape");
  await page.getByRole("button", { name: "replace all" }).click();
  await expect(line(page, "self.shape.send(total)")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+Shift+/");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
});

test("offers completion, hover help, signatures, diagnostics and definitions, to readers too", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  test.setTimeout(150_000);
  const flow = await makeFlow(context);
  const url = `${flow.base}/${flow.nodes.Train}`;
  // The person types before the language help is loaded, and does not ask again.
  const typed = Promise.withResolvers<void>();
  await page.route(/\/language-[^/]*\.js$/, async (route) => {
    await typed.promise;
    await route.continue();
  });
  await page.goto(url);
  await typeAfter(page, "total = 0", "\nself.modle.send(1)\nself.mod");
  const list = page.locator(".cm-tooltip-autocomplete");
  await expect(list).toHaveCount(0);
  typed.resolve();
  // The first request waits until the language server has started.
  await expect(list.getByRole("option", { name: "model" })).toBeVisible({ timeout: 60_000 });
  // Enter is a new line for 75 ms after the list has opened.
  await page.waitForTimeout(100);
  await page.keyboard.press("Enter");
  await page.keyboard.type(".send(");
  await expect(page.locator(".cm-signature")).toContainText("value: Any", { timeout: 60_000 });
  await page.keyboard.type("total");
  await expect(line(page, "self.model.send(total)")).toHaveCount(2);
  await expect(pane(page).locator(".cm-lintRange-warning")).toHaveText(["modle"]);
  await expect(page.getByTestId("problems")).toHaveAttribute("aria-label", /^0 errors, 1 warnings/);

  const reader = await newBrowser(browser);
  await signIn(reader.context);
  await reader.page.goto(url);
  await expect(pane(reader.page).locator(".cm-lintRange-warning")).toHaveText(["modle"]);
  await pane(reader.page).locator(".cm-lintRange-warning").hover();
  await expect(reader.page.locator(".cm-tooltip-lint, .cm-tooltip-hover").first()).toContainText("modle");
  await reader.page.keyboard.press("F8");
  await reader.context.close();

  await line(page, "rows = Receiver").click();
  await page.keyboard.press("Home");
  for (let step = 0; step < 9; step += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("F12");
  const peek = page.getByRole("dialog", { name: "miranda/attributes.py" });
  await expect(peek.locator(".cm-running-line")).toContainText("class Receiver");
  await page.keyboard.press("Escape");
  await line(page, "total = 0").click();
  await page.keyboard.press("Home");
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "New name" }).fill("amount");
  await page.keyboard.press("Enter");
  await expect(line(page, "self.model.send(amount)")).toHaveCount(2);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(line(page, "self.model.send(total)")).toHaveCount(2);
});

test("supports multiple cursors, folding, brackets, moving lines and go to line, as VS Code does", async ({
  page,
  context,
  person: _person,
}) => {
  const { base, nodes } = await makeFlow(context);
  await page.goto(`${base}/${nodes.Train}`);
  await line(page, "total = 0").click();
  await page.keyboard.press("Home");
  await page.keyboard.press("ControlOrMeta+d");
  await page.keyboard.press("ControlOrMeta+d");
  await expect(page.getByTestId("cursor-place")).toContainText("2 cursors");
  await page.keyboard.type("amount");
  await expect(line(page, "amount = 0")).toBeVisible();
  await expect(line(page, "self.model.send(amount)")).toBeVisible();
  await page.keyboard.press("Escape");
  await line(page, "rows = Receiver").click();
  await line(page, "amount = 0").click({ modifiers: ["Alt"] });
  await expect(page.getByTestId("cursor-place")).toContainText("2 cursors");
  await page.keyboard.press("Escape");

  await line(page, "def run(self)").click();
  await page.keyboard.press("Control+Shift+BracketLeft");
  await expect(line(page, "amount = 0")).toHaveCount(0);
  await expect(pane(page).locator(".cm-foldPlaceholder")).toBeVisible();
  await page.keyboard.press("Control+Shift+BracketRight");
  await typeAfter(page, "amount = 0", "\nprint((1, 2");
  await expect(line(page, "print((1, 2))")).toBeVisible();
  await page.keyboard.press("End");
  await expect(pane(page).locator(".cm-matchingBracket")).toHaveCount(2);
  await page.keyboard.press("Alt+ArrowUp");
  await expect(
    pane(page)
      .locator(".cm-line")
      .filter({ hasText: /print|amount = 0/ }),
  ).toHaveText([/print/, /amount = 0/]);
  await page.keyboard.press("Control+g");
  await page.getByRole("textbox", { name: "Go to line" }).fill("4");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("cursor-place")).toHaveText(/^Line 4,/);
});

test("loads the IDE's code with its page and with no other page", async ({ context, person: _person }) => {
  const { base } = await makeFlow(context);
  const asked = await context.request.get(base);
  const script = /<link rel="modulepreload" crossorigin href="\/designer\/assets\/code-ide-screen-[^"]+\.js">/;
  expect(await asked.text()).toMatch(script);
  expect(await (await context.request.get(address("/designer"))).text()).not.toMatch(script);
  // Not in a header: proxies refuse answers whose headers are larger than 4 kB.
  expect(asked.headers()["link"]).toBe(undefined);
  const tag = asked.headers()["etag"] ?? "";
  expect((await context.request.get(base, { headers: { "if-none-match": tag } })).status()).toBe(304);
});

test("shows the node list as a drawer on a phone", async ({ page, context, person: _person }) => {
  const { base, nodes } = await makeFlow(context);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${base}/${nodes.Train}`);
  await expect(line(page, "total = 0")).toBeVisible();
  await expect(page.getByTestId("file-list")).toHaveCount(0);
  await page.getByRole("button", { name: "Nodes" }).click();
  await file(page, "Load").click();
  await expect(page.getByTestId("file-list")).toHaveCount(0);
  await expect(page).toHaveURL(`${base}/${nodes.Load}`);
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overflow).toBeLessThanOrEqual(0);
});
