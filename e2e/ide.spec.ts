import { type BrowserContext, expect, type Page } from "@playwright/test";

import { address, newBrowser, signIn, test } from "./people.ts";
import { makeProject, makeWorkflow } from "./things.ts";

const source = `from miranda import Node, Receiver, Transmitter


class Train(Node):
    rows = Receiver("table")
    model = Transmitter("model")

    def run(self):
        total = 0
        self.model.send(total)
`;

interface Flow {
  project: string;
  graph: string;
  base: string;
  nodes: Record<"Load" | "Train", number>;
}

async function makeFlow(context: BrowserContext): Promise<Flow> {
  const project = await makeProject(context, "Harbour");
  const graph = await makeWorkflow(context, project, "Forecast");
  const nodes = { Load: 0, Train: 0 };
  for (const name of ["Load", "Train"] as const) {
    const answer = await context.request.post(address("/api/v3/objects"), { form: { name, project_id: graph } });
    nodes[name] = ((await answer.json()) as { metadata_id: number }).metadata_id;
  }
  const put = await context.request.put(address(`/api/v3/objects/${nodes.Train}/api`), {
    form: { source_code: source },
  });
  expect(put.status(), await put.text()).toBe(200);
  return { project, graph, nodes, base: address(`/designer/projects/${project}/graphs/${graph}/code`) };
}

const pane = (page: Page) => page.getByTestId("code-pane");
const editor = (page: Page) => pane(page).locator(".cm-content");
const line = (page: Page, text: string) => pane(page).locator(".cm-line", { hasText: text });
const file = (page: Page, name: string) => page.getByTestId("file").filter({ hasText: name });

async function typeAfter(page: Page, text: string, typed: string): Promise<void> {
  await line(page, text).click();
  await page.keyboard.press("End");
  await page.keyboard.type(typed);
}

async function commit(page: Page, message: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog", { name: /^Commit / });
  await dialog.getByLabel("Message").fill(message);
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
}

async function addMember(context: BrowserContext, project: string, user: string, role: string): Promise<void> {
  const path = `/api/v3/projects/${project}/members`;
  expect((await context.request.post(address(path), { form: { user, role } })).status()).toBe(200);
}

test("S2-015 S2-016 S4-020 S4-021 unsaved code is held per node until that node is committed", async ({
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
  await editor(page).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# by hand\n");
  await expect(page.getByTestId("unsaved-dot")).toHaveCount(2);
  await expect(page.getByTestId("sending")).toHaveText("Kept, not committed");

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

test("S2-017 S2-018 S2-150 history with who, when, message, diff and restore", async ({ page, context, person }) => {
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
  await shown.getByRole("button", { name: "Against now" }).click();
  await expect(shown.locator(".cm-deletedChunk")).toContainText("total = 0 + 1");
  await expect(shown.locator(".cm-changedLine")).toContainText("total = 0 + 1 + 2");
  await shown.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("dialog", { name: "Restore #1" }).getByRole("button", { name: "Restore" }).click();
  await expect(page).toHaveURL(url);
  await expect(line(page, "total = 0 + 1")).toHaveText(/total = 0 \+ 1$/);
  await page.getByRole("link", { name: "History" }).click();
  await expect(page.getByTestId("commit").first()).toContainText("Restore #1: Count from one");
});

test("an error is shown at its line while it is typed, and can be committed", async ({
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

test("two people write in one node, see each other, and lose nothing over a break", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const flow = await makeFlow(context);
  const other = await newBrowser(browser);
  const ben = await signIn(other.context, undefined, true);
  await addMember(context, flow.project, ben.username, "editor");
  const url = `${flow.base}/${flow.nodes.Train}`;
  await page.goto(url);
  await other.page.goto(url);
  await typeAfter(page, "total = 0", " + 10");
  await expect(line(other.page, "total = 0 + 10")).toBeVisible();
  await typeAfter(other.page, 'rows = Receiver("table")', "  # ben");
  await expect(line(page, "# ben")).toBeVisible();
  await expect(pane(page).locator(".cm-ySelectionInfo")).toHaveText(ben.firstName);
  await expect(file(other.page, "Train").getByTestId("unsaved-dot")).toBeVisible();

  await other.context.setOffline(true);
  await expect(other.page.getByTestId("sending")).toHaveAttribute("data-state", "offline");
  await other.page.keyboard.type(" offline");
  await typeAfter(page, "total = 0 + 10", "0");
  await other.context.setOffline(false);
  await expect(other.page.getByTestId("sending")).toHaveAttribute("data-state", "sent");
  await expect(line(page, "# ben offline")).toBeVisible();
  await expect(line(other.page, "total = 0 + 100")).toBeVisible();

  await commit(page, "Together");
  await expect(other.page.getByTestId("sending")).toHaveText("Committed");
  await context.request.delete(address(`/api/v3/objects/${flow.nodes.Train}`));
  await expect(other.page.getByTestId("node-gone")).toContainText("Its text stays here to be copied.");
  await expect(line(other.page, "# ben offline")).toBeVisible();
  await expect(editor(other.page)).toHaveAttribute("aria-readonly", "true");
  await other.context.close();
});

test("a reader sees everything and changes nothing", async ({ page, context, browser, person: _person }) => {
  const flow = await makeFlow(context);
  const reader = await newBrowser(browser);
  await signIn(reader.context);
  const url = `${flow.base}/${flow.nodes.Train}`;
  await page.goto(url);
  await typeAfter(page, "total = 0", " + 1");
  await reader.page.goto(url);
  await expect(reader.page.getByTestId("read-only")).toBeVisible();
  await expect(line(reader.page, "total = 0 + 1")).toBeVisible();
  await line(reader.page, "total = 0 + 1").click();
  await reader.page.keyboard.type("nothing");
  await expect(line(reader.page, "nothing")).toHaveCount(0);
  await expect(reader.page.getByRole("button", { name: "Commit", exact: true })).toHaveCount(0);
  await commit(page, "One");
  await reader.page.getByRole("link", { name: "History" }).click();
  await reader.page.getByTestId("commit").click();
  await expect(reader.page.getByRole("button", { name: "Restore" })).toHaveCount(0);
  await reader.context.close();
});

test("S3-032 breakpoints are set by click and F9, stay at their code, and survive a reload", async ({
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

test("10 MB of pasted code are refused in words; find, comment and format work", async ({
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

test("completion, explanations, arguments, checks and definitions come while one types, and a reader has them too", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const flow = await makeFlow(context);
  const url = `${flow.base}/${flow.nodes.Train}`;
  await page.goto(url);
  await typeAfter(page, "total = 0", "\nself.modle.send(1)\nself.mod");
  const list = page.locator(".cm-tooltip-autocomplete");
  // The first that asks waits for the language server to start.
  await expect(list.getByRole("option", { name: "model" })).toBeVisible({ timeout: 30_000 });
  await page.keyboard.press("Enter");
  await page.keyboard.type(".send(");
  await expect(page.locator(".cm-signature")).toContainText("value: Any");
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

test("several cursors, folding, brackets, moving lines and going to a line work as in VS Code", async ({
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
  const texts = await pane(page).locator(".cm-line").allTextContents();
  expect(texts.findIndex((text) => text.includes("print"))).toBeLessThan(
    texts.findIndex((text) => text.includes("amount = 0")),
  );
  await page.keyboard.press("Control+g");
  await page.getByRole("textbox", { name: "Go to line" }).fill("4");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("cursor-place")).toHaveText(/^Line 4,/);
});

test("two tabs of one person write together, and a commit in one is seen in the other", async ({
  page,
  context,
  person,
}) => {
  const { base, nodes } = await makeFlow(context);
  const second = await context.newPage();
  await page.goto(`${base}/${nodes.Train}`);
  await second.goto(`${base}/${nodes.Train}`);
  await typeAfter(page, "total = 0", " + 1");
  await expect(line(second, "total = 0 + 1")).toBeVisible();
  await typeAfter(second, "total = 0 + 1", " + 2");
  await expect(line(page, "total = 0 + 1 + 2")).toBeVisible();
  await expect(pane(page).locator(".cm-ySelectionInfo")).toHaveText(person.firstName);
  await commit(second, "From the second tab");
  await expect(page.getByTestId("sending")).toHaveText("Committed");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByText("Nothing has changed since the last commit.")).toBeVisible();
  await second.close();
  await typeAfter(page, "total = 0 + 1 + 2", " + 3");
  await page.reload();
  await expect(line(page, "total = 0 + 1 + 2 + 3")).toBeVisible();
});

test("restoring a commit while another writes keeps what they wrote", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const flow = await makeFlow(context);
  const other = await newBrowser(browser);
  const ben = await signIn(other.context, undefined, true);
  await addMember(context, flow.project, ben.username, "editor");
  const url = `${flow.base}/${flow.nodes.Train}`;
  await page.goto(url);
  await typeAfter(page, "total = 0", " + 1");
  await commit(page, "First");
  await typeAfter(page, "total = 0 + 1", " + 2");
  await commit(page, "Second");
  await other.page.goto(url);
  await typeAfter(other.page, 'rows = Receiver("table")', "  # unsaved");
  await expect(line(page, "# unsaved")).toBeVisible();
  await page.getByRole("link", { name: "History" }).click();
  await page.getByTestId("commit").filter({ hasText: "First" }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  const dialog = page.getByRole("dialog", { name: "Restore #1" });
  await expect(dialog).toContainText("is committed first, so that nothing is lost");
  await dialog.getByRole("button", { name: "Restore" }).click();
  await expect(line(other.page, "total = 0 + 1")).toHaveText(/total = 0 \+ 1$/);
  await expect(line(other.page, "# unsaved")).toHaveCount(0);
  await other.page.keyboard.type("# later");
  await expect(line(page, "# later")).toBeVisible();
  await page.getByRole("link", { name: "History" }).click();
  await expect(page.getByTestId("commit")).toContainText([
    "Restore #1: First",
    "Unsaved changes before #1 was restored",
    "Second",
    "First",
  ]);
  await other.context.close();
});

test("the code of the IDE is asked for with its page, and with no other", async ({ context, person: _person }) => {
  const { base } = await makeFlow(context);
  const linkOf = async (url: string) => (await context.request.get(url)).headers()["link"] ?? "";
  expect(await linkOf(base)).toMatch(/<\/designer\/assets\/code-ide-screen-[^>]+\.js>; rel=modulepreload/);
  expect(await linkOf(address("/designer"))).toBe("");
});

test("on a phone the nodes are a drawer", async ({ page, context, person: _person }) => {
  const { base, nodes } = await makeFlow(context);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${base}/${nodes.Train}`);
  await expect(line(page, "total = 0")).toBeVisible();
  await expect(page.getByTestId("file-list")).toHaveCount(0);
  await page.getByRole("button", { name: "Nodes" }).click();
  await file(page, "Load").click();
  await expect(page.getByTestId("file-list")).toHaveCount(0);
  await expect(page).toHaveURL(`${base}/${nodes.Load}`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});
