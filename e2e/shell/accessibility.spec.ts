import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import {
  card,
  header,
  makeEdge,
  makeGraph,
  makeNode,
  openEditor,
  spot,
  stored,
  storedNode,
} from "../drivers/canvas.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";
import { fakeModel, serveModels } from "../drivers/models.ts";
import { load } from "../drivers/running.ts";
import { endSessions, fakeJob, giveToken, serveJobs } from "../drivers/sessions.ts";
import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";

// Checks every screen against WCAG 2.1 A and AA, in light and dark.

test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));

const loaded = (page: Page) => expect(page.getByRole("status", { name: /^Loading/ })).toHaveCount(0);

test("has no violations on login, registration and onboarding", async ({ page, context }) => {
  await page.goto(address("/login"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await audit(page, "login");
  await page.goto(address("/register"));
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await audit(page, "register");
  await signIn(context, newPerson(), false);
  await page.goto(address("/designer"));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await audit(page, "onboarding");
});

test("has no violations on home, browse, the top bar, a project, its dialogs and Add Workflow", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  await page.goto(address("/designer"));
  await expect(page.getByText("No projects yet")).toBeVisible();
  await audit(page, "an empty home");
  const other = await newBrowser(browser);
  const mary = await signIn(other.context, newPerson("Mary"));
  await makeProject(other.context, "Currents", "Where the **water** goes.");
  const project = await makeProject(
    context,
    "Tides",
    "# High\n\nand [low](https://example.org), `code`\n\n| a | b |\n| - | - |\n| 1 | 2 |",
  );
  await makeWorkflow(context, project, "Forecast", "What *comes*.");
  await context.request.post(address(`/api/v3/projects/${project}/members`), {
    form: { user: mary.username, role: "viewer" },
  });

  await page.reload();
  await expect(page.getByTestId("project-card")).toHaveCount(1);
  await audit(page, "home");
  await page.getByTestId("account-avatar").click();
  await audit(page, "the account menu", "[data-testid=account-menu]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("option", { name: "Tides" }).first()).toBeVisible();
  await audit(page, "the search palette", "[role=dialog]");
  await page.keyboard.press("Escape");

  await page.goto(address("/designer/browse"));
  await expect(page.getByTestId("project-card").first()).toBeVisible();
  await audit(page, "browse");
  await page.goto(address("/designer/new"));
  await audit(page, "a new project");

  // After following a link by keyboard, the focus is on the new page.
  await page.goto(address("/designer"));
  await page.getByRole("link", { name: "Tides" }).press("Enter");
  await expect(page.getByTestId("workflow-item")).toHaveCount(1);
  await expect(page.locator("main")).toBeFocused();
  await expect(page).toHaveTitle(/^Tides · Designer/);
  await expect(page.getByRole("heading", { name: "High" })).toBeVisible();
  await audit(page, "a project");
  for (const name of ["Edit project", "Delete project", "Share", "Edit workflow", "Delete workflow"]) {
    await page.getByRole("button", { name }).click();
    const dialog = page.getByRole("dialog");
    if (name === "Share") await expect(dialog.getByTestId("member")).toHaveCount(2);
    if (name === "Edit workflow") await dialog.getByRole("button", { name: /^Move/ }).click();
    await audit(page, name, "[role=dialog]");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  }
  await page.getByRole("button", { name: "More actions" }).click();
  await audit(page, "the menu of a workflow", "[role=menu]");
  await page.getByRole("menuitem", { name: "Import a folder…" }).click();
  await expect(page.getByRole("heading", { name: "Import a folder" })).toBeVisible();
  await audit(page, "Import a folder", "main");

  await page.goto(address(`/designer/projects/${project}/graphs/new`));
  for (const name of ["Create New", "Clone from Existing Project", "Import from File"]) {
    await page.getByRole("tab", { name }).click();
    if (name.startsWith("Clone")) await expect(page.getByRole("option").first()).toBeVisible();
    await audit(page, name, "main");
  }
});

const everyControl = `from miranda import Code, Field, File, Json, Node, Secret, Select, Slider, Text, Toggle, Transmitter

class Everything(Node):
    title = Field("Tides", control=Text(placeholder="A name"))
    share = Field(0.5, control=Slider(0, 1))
    mode = Field("fast", control=Select("fast", "safe"))
    loud = Field(True, control=Toggle())
    query = Field("select 1", control=Code("sql"))
    shape = Field([1, 2], control=Json())
    key = Field("", control=Secret())
    data = Field(control=File(accept=".csv,.txt"))
    rows = Transmitter("table")
`;

const taking = `from miranda import Node, Receiver

class Take(Node):
    rows = Receiver("table")
`;

test("has no violations in the graph editor, its panels, menus and dialogs", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await openEditor(page, path);
  await audit(page, "an empty workflow");
  const every = await makeNode(context, graph, { name: "Everything", code: everyControl, at: { x: 0, y: 0 } });
  const take = await makeNode(context, graph, { name: "Take", code: taking, at: { x: 360, y: 0 } });
  await makeNode(context, graph, { name: "Broken", code: "def run(self)", at: { x: 700, y: 0 } });
  const disk = await makeNode(context, graph, { name: "Disk", type: "STORAGE_POLICY", at: { x: 360, y: 300 } });
  await makeNode(context, graph, { name: "Small", type: "COMPUTE_POLICY", at: { x: 700, y: 300 } });
  await makeEdge(context, every, "rows", take, "rows");
  await context.request.post(address(`/api/v3/graphs/${graph}/groups`), {
    data: { name: "Ends", metadata_ids: [take.metadata_id, disk.metadata_id] },
  });
  await context.request.patch(address(`/api/v3/objects/${take.metadata_id}`), { form: { disabled: "true" } });
  await page.reload();
  await expect(card(page, "Everything")).toBeVisible();
  await page.keyboard.press("l");
  await expect(page.getByTestId("library-item").first()).toBeVisible();
  await audit(page, "the canvas and the library");
  await page.keyboard.press("l");
  for (const name of ["Everything", "Take", "Broken", "Disk", "Small"]) {
    // By keyboard: the panel of the previous node may cover this one.
    await page.getByRole("group", { name: new RegExp(`^${name},`) }).press("Enter");
    await expect(page.getByTestId("inspector").getByLabel("Name", { exact: true })).toHaveValue(name);
    await audit(page, `the inspector of ${name}`, "[data-testid=inspector]");
  }
  await page.keyboard.press("Control+a");
  await audit(page, "the inspector of several", "[data-testid=inspector]");
  await page.keyboard.press("Escape");

  await header(page, "Everything").click({ button: "right" });
  await audit(page, "the menu of a node", "[role=menu]");
  await page.keyboard.press("Escape");
  const at = await spot(page, 0.5, 0.9);
  await page.mouse.click(at.x, at.y, { button: "right" });
  await audit(page, "the menu of the canvas", "[role=menu]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await expect(page.getByTestId("palette")).toBeVisible();
  await audit(page, "adding a node", "[role=dialog]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+f");
  await expect(page.getByTestId("find")).toBeVisible();
  await audit(page, "finding a node", "[role=dialog]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await audit(page, "the shortcuts", "[role=dialog]");
  await page.keyboard.press("Escape");
  await header(page, "Everything").click();
  await page.keyboard.press("c");
  await expect(page.getByRole("combobox", { name: "Connect to" })).toBeVisible();
  await audit(page, "connecting", "[role=dialog]");
  await page.keyboard.press("Escape");
  await page.getByTestId("inspector").getByRole("button", { name: "Publish" }).click();
  await audit(page, "publishing", "[role=dialog]");
});

test("has no violations on processors, models, account and error screens", async ({
  page,
  context,
  person: _person,
}) => {
  const time = new Date().toISOString();
  const logs = [0, 1, 2, 3, 4].map((tag) => ({
    id: tag + 1,
    timestamp: time,
    tag,
    message: `\u001B[3${tag}mline ${tag}`,
  }));
  const running = fakeJob("RUNNING", { logs });
  const idle = fakeJob("READY", { ends_at: new Date(Date.now() + 200_000).toISOString() });
  await serveJobs(page, {
    queued: [fakeJob("QUEUED")],
    running: [running, fakeJob("RESUMEREADY"), idle],
    errored: [fakeJob("ERROR")],
    exited: [fakeJob("EXITED")],
  });
  await page.goto(address("/designer/processors"));
  await expect(page.getByTestId("session")).toHaveCount(6);
  await expect(page.getByTestId("idle-notice")).toBeVisible();
  await audit(page, "processors");
  await page.getByRole("button", { name: `Menu of ${running.name}` }).click();
  await audit(page, "the menu of a session", "[role=menu]");
  await page.keyboard.press("Escape");
  await page.goto(address(`/designer/processors/${running.id}`));
  await expect(page.getByTestId("log-line")).toHaveCount(4);
  await audit(page, "the log of a session", "main");

  await serveModels(
    page,
    Array.from({ length: 20 }, (_, at) => fakeModel(at, { recall: null })),
  );
  await page.goto(address("/designer/models"));
  await expect(page.getByTestId("model")).toHaveCount(20);
  await audit(page, "models");
  await page.getByRole("button", { name: "Columns" }).click();
  await audit(page, "the columns of the models", "[role=menu]");

  await giveToken(context);
  await page.goto(address("/account"));
  await expect(page.getByTestId("access-token")).toHaveCount(2);
  await audit(page, "the account");
  await page.getByRole("button", { name: "Generate token" }).click();
  await audit(page, "a new token", "[role=dialog]");
  await page.keyboard.press("Escape");
  // This person may be the administrator, who cannot go on to the next dialog.
  await page.route("**/api/v3/auth/account/deletion", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), is_only_admin: false } });
  });
  await page.getByRole("button", { name: "Delete account" }).click();
  await expect(page.getByRole("heading", { name: "What goes" })).toBeVisible();
  await audit(page, "deleting the account", "[role=dialog]");
  await page.getByRole("button", { name: "Continue" }).click();
  await audit(page, "confirming the deletion", "[role=dialog]");
  for (const path of [
    "/account/billing",
    "/account/admin",
    "/account/first-start",
    "/explorer",
    "/",
    "/designer/nowhere",
  ]) {
    await page.goto(address(path));
    await expect(page.locator("main")).not.toBeEmpty();
    await loaded(page);
    await audit(page, path);
  }
  await page.route("**/api/v3/auth/access_tokens?*", (route) => route.fulfill({ json: [null] }));
  await page.goto(address("/account"));
  await page.getByRole("button", { name: "Show Details" }).click();
  await audit(page, "the error screen");
});

test("lets a keyboard reach, announce, move, rename, add to and leave the canvas", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const first = await makeNode(context, graph, { name: "Load", code: load, at: { x: 0, y: 0 } });
  await makeNode(context, graph, { name: "Sum", at: { x: 400, y: 0 } });
  await openEditor(page, path);
  await expect(card(page, "Sum")).toBeVisible();
  const cardOf = (name: string) => page.getByRole("group", { name: new RegExp(`^${name}, code block`) });
  const announcement = page.getByTestId("announcements");

  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("button", { name: "Skip the canvas" });
  await expect(skip).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: /^Add node/ })).toBeFocused();
  await skip.focus();
  await page.keyboard.press("Tab");
  await expect(cardOf("Load")).toBeFocused();
  await expect(cardOf("Load")).toHaveCSS("outline-style", "solid");

  await page.keyboard.press("Enter");
  await expect(announcement).toHaveText("Load is selected, at 0, 0.");
  await page.keyboard.press("ArrowDown");
  await expect(announcement).toHaveText(/^Load is selected, at 0, [1-9]/);
  await expect.poll(async () => (await storedNode(context, graph, first.metadata_id))?.position.y).toBeGreaterThan(0);
  await page.keyboard.press("Alt+ArrowRight");
  await expect(cardOf("Sum")).toBeFocused();
  await page.keyboard.press("F2");
  await page.keyboard.type("Total");
  await page.keyboard.press("Enter");
  await expect(cardOf("Total")).toBeFocused();

  await cardOf("Total").dispatchEvent("contextmenu");
  const menu = page.getByRole("menu", { name: "Actions" });
  await expect(menu.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("End");
  await expect(menu.getByRole("menuitem", { name: "Delete" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(menu).toHaveCount(0);
  await expect(cardOf("Total")).toBeFocused();

  await page.keyboard.press("a");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("palette")).toHaveCount(0);
  await expect(cardOf("Total")).toBeFocused();
  await page.keyboard.press("Control+f");
  await page.keyboard.type("Load");
  await page.keyboard.press("Enter");
  await expect(cardOf("Load")).toBeFocused();
  await page.getByRole("button", { name: "Close (I)" }).focus();
  await page.keyboard.press("Escape");
  await expect(cardOf("Load")).toBeFocused();

  await page.getByRole("button", { name: /^Library/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "prefabs" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "blueprints" })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("library")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Library/ })).toBeFocused();

  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await expect.poll(async () => Object.keys((await stored(context, graph)).nodes).length).toBe(3);
  await expect(page.locator(".react-flow__node:focus [data-selected]")).toHaveCount(1);
});
