import { expect, type Page } from "@playwright/test";

import { card, makeGraph, openEditor, paste, stored } from "../drivers/canvas.ts";
import { graphml } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions } from "../drivers/sessions.ts";

const code = (source: string) => ({ cell_type: "code", metadata: {}, outputs: [], execution_count: 1, source });
const notebook = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [
    { cell_type: "markdown", metadata: {}, source: ["## Tides\n", "Heights of a week."] },
    {
      ...code("import statistics as st\nheights = [4.1, 5.2, 6.3]"),
      outputs: [{ data: { "image/png": "x".repeat(50_000) } }],
    },
    code("def double(value):\n    return value * 2"),
    code("# Change the heights\nfor at, height in enumerate(heights):\n    heights[at] = double(height)"),
    code("%matplotlib inline\nst.mean(heights)"),
  ],
});

interface Dropped {
  name: string;
  text?: string;
  megabytes?: number;
}

/** Drops files on the canvas, or beside it. */
async function drop(page: Page, files: readonly Dropped[], onto = ".react-flow__pane"): Promise<void> {
  const transfer = await page.evaluateHandle((given) => {
    const data = new DataTransfer();
    for (const { name, text = "", megabytes = 0 } of given)
      data.items.add(new File([text, new Uint8Array(megabytes * 1024 * 1024)], name));
    return data;
  }, files);
  await page.locator(onto).dispatchEvent("dragover", { dataTransfer: transfer });
  await page.locator(onto).dispatchEvent("drop", { dataTransfer: transfer });
}

const dialog = (page: Page) => page.getByRole("dialog");

test.describe("a notebook", () => {
  test.afterEach(({ context }) => endSessions(context));

  test("becomes one node that runs as the notebook did, and is split once a comparison has shown that it may be", async ({
    page,
    context,
    person: _person,
  }) => {
    const { graph, path } = await makeGraph(context);
    await openEditor(page, path);
    await expect(page.getByTestId("start-blueprint")).toHaveCount(3);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "From a Python script or notebook" }).click();
    await (
      await chooser
    ).setFiles({ name: "tides.ipynb", mimeType: "application/json", buffer: Buffer.from(notebook) });
    await expect(page.getByTestId("node")).toHaveCount(1);
    await expect(page.getByRole("heading", { name: "Start with a node" })).toHaveCount(0);
    await page.keyboard.press("Control+z");
    await expect(page.getByTestId("node")).toHaveCount(0);
    await expect(page.getByRole("heading", { name: "Start with a node" })).toBeVisible();
    await page.keyboard.press("Control+Shift+z");
    await expect(page.getByTestId("node")).toHaveCount(1);

    // Nothing is split before both ways have been run.
    const whole = page.getByRole("group", { name: "tides, code block" });
    await card(page, "tides").click();
    await page.getByRole("button", { name: "Split into nodes" }).click();
    await expect(dialog(page).getByRole("region", { name: "Cells that stay together" })).toContainText("Cells 2 to 4");
    await expect(dialog(page)).toContainText("They change heights in place.");
    const split = page.getByRole("button", { name: "Compare and split" });
    await expect(split).toBeDisabled();
    await expect(split).toHaveAccessibleDescription(/^Run this node first/);
    await page.getByRole("button", { name: "Cancel" }).click();
    await runButton(page).click();
    // The mean of the doubled heights.
    await expect(whole).toContainText("10.4", { timeout: 60_000 });

    await card(page, "tides").click();
    await page.getByRole("button", { name: "Split into nodes" }).click();
    await split.click();
    await expect(dialog(page)).toHaveCount(0, { timeout: 60_000 });
    await expect(page.getByTestId("node")).toHaveCount(2);
    // The page shows at once what the server stores a moment later.
    const names = async () => Object.values((await stored(context, graph)).nodes).map(({ name }) => name);
    await expect.poll(async () => (await names()).toSorted()).toEqual(["Cell 5", "Tides"]);
    const { edges } = await stored(context, graph);
    expect(edges.map((edge) => edge.source_transmitter_key)).toEqual(["heights"]);
    await runButton(page).click();
    await expect(page.getByRole("group", { name: "Cell 5, code block" })).toContainText("10.4", { timeout: 60_000 });
  });

  test("whose cells give something else apart is not replaced, and the cells are named", async ({
    page,
    context,
    person: _person,
  }) => {
    const { path } = await makeGraph(context);
    await openEditor(page, path);
    // No reading of the code shows that the number of its process differs each time.
    const cells = [code("import os\nx = [1]"), code("print(os.getpid())"), code("print(x)\n'all ' + 'done'")];
    await drop(page, [{ name: "odd.ipynb", text: JSON.stringify({ cells }) }]);
    await expect(page.getByTestId("node")).toHaveCount(1);
    await runButton(page).click();
    await expect(page.getByRole("group", { name: "odd, code block" })).toContainText("all done", { timeout: 60_000 });
    await card(page, "odd").click();
    await page.getByRole("button", { name: "Split into nodes" }).click();
    await expect(dialog(page)).toContainText("3 nodes");
    await page.getByRole("button", { name: "Compare and split" }).click();
    const differs = dialog(page).getByRole("region", { name: "What differs" });
    await expect(differs).toContainText("Apart, Cell 2 printed or showed something else.", { timeout: 60_000 });
    await expect(differs).toContainText("Nothing was replaced.");
    await expect(dialog(page)).toContainText("2 nodes");
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByTestId("node")).toHaveCount(1);
  });

  test("whose code can reach any name stays one node, and says which cell it is", async ({
    page,
    context,
    person: _person,
  }) => {
    const { path } = await makeGraph(context);
    await openEditor(page, path);
    const cells = [code("x = [1]"), code("print(__import__ is None)"), code("print(len(x))")];
    await drop(page, [{ name: "odd.ipynb", text: JSON.stringify({ cells }) }]);
    await expect(page.getByTestId("node")).toHaveCount(1);
    await card(page, "odd").click();
    await page.getByRole("button", { name: "Split into nodes" }).click();
    await expect(dialog(page)).toContainText("It stays one node");
    await expect(dialog(page)).toContainText("Cell 2 uses __import__, which can reach any name.");
  });
});

test("dropped files become nodes or are refused with a message; none replaces the page", async ({
  page,
  context,
  person: _person,
}) => {
  const { project, graph, path } = await makeGraph(context);
  await openEditor(page, path);
  await drop(page, [
    { name: "ports.csv", text: "port,tide\nBrest,6.8\n" },
    { name: "holiday.png", text: "x" },
    { name: "huge.csv", megabytes: 200 },
    { name: "broken.ipynb", text: '{"nodes": []}' },
    { name: "odd.xyz", text: "x" },
  ]);
  await expect(card(page, "Read CSV")).toBeVisible();
  await expect(page.getByText("ports.csv").first()).toBeVisible();
  await expect(page.getByText("“holiday.png” is a picture.")).toBeVisible();
  await expect(page.getByText("“huge.csv” has 200 MB. At most 10 MB can be dropped.")).toBeVisible();
  await expect(page.getByText("This is not a notebook: it has no cells.")).toBeVisible();
  await expect(page.getByText("“odd.xyz” cannot become a node.")).toBeVisible();
  const [loader] = Object.values((await stored(context, graph)).nodes);
  expect(loader?.api.attributes.find(({ name }) => name === "file")?.value).toMatchObject({
    name: "ports.csv",
    size: 20,
  });
  await page.keyboard.press("Control+z");
  await expect(page.getByTestId("node")).toHaveCount(0);

  // The buttons of the empty canvas cover it. A script stays one node.
  await drop(page, [{ name: "steps.py", text: "# %% Load\nx = 1\n# %% Show\nprint(x)\n" }], "text=Choose a file");
  await expect(card(page, "steps")).toBeVisible();
  await expect(page.getByTestId("node")).toHaveCount(1);

  // A drop that nothing accepts, here and on another page.
  await drop(page, [{ name: "ports.csv", text: "a" }], "[data-testid=top-bar]");
  await page.goto(address(`/designer/projects/${project}`));
  const isRefused = () =>
    page.evaluate(() => !document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true })));
  await expect.poll(isRefused).toBe(true);
});

test("asks about each of several files, keeps a broken script as a node, and says what a GraphML file lost", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await openEditor(page, path);
  await drop(page, [
    { name: "first.py", text: "import helpers_of_mine\nprint(helpers_of_mine.x)\n" },
    { name: "second.py", text: "import helpers_of_mine\nprint(helpers_of_mine.y)\n" },
    { name: "broken.py", text: "class Broken(Node:\n    pass\n" },
  ]);
  await expect(dialog(page)).toContainText("Add first.py");
  await expect(dialog(page)).toContainText("It imports helpers_of_mine, which is neither part of Python");
  await page.getByRole("button", { name: "Add node" }).click();
  await expect(dialog(page)).toContainText("Add second.py");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("“broken.py” became a node as it is.")).toBeVisible();
  await expect(card(page, "broken")).toBeVisible();
  const nodes = Object.values((await stored(context, graph)).nodes);
  expect(nodes).toHaveLength(2);
  expect(nodes.find(({ name }) => name === "broken")).toMatchObject({
    class: "Code_block",
    source_code: "class Broken(Node:\n    pass\n",
  });

  // A GraphML file becomes a workflow of its own. This one has a hyperedge, which no workflow has.
  const strange = graphml.replace("</graph>", '<hyperedge id="h1"><endpoint node="n0"/></hyperedge></graph>');
  await drop(page, [{ name: "tides.graphml", text: strange }]);
  await expect(dialog(page)).toContainText("tides is imported");
  await expect(dialog(page).getByRole("list", { name: "What changed" }).getByRole("listitem")).not.toHaveCount(0);
  await dialog(page).getByRole("link", { name: "Open workflow" }).click();
  await expect(page.getByRole("banner").getByText("tides", { exact: true })).toBeVisible();
  await expect(page.getByTestId("node")).not.toHaveCount(0);
});

test("pasted Python becomes a node, and any other text a note", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  await openEditor(page, path);
  await paste(page, "import math\n\narea = math.pi * 2\nprint(area)\n");
  await expect(card(page, "Pasted code")).toBeVisible();
  await paste(page, "Dear all,\nsee you on Monday.");
  await expect(page.getByText("The text became a note.")).toBeVisible();
  await expect(page.getByTestId("note-text")).toContainText("see you on Monday.");
  const { nodes } = await stored(context, graph);
  const kept = Object.values(nodes).find((node) => node.class === "note");
  expect(kept?.description).toBe("Dear all,\nsee you on Monday.");
  // A text that is too long for a note can become a node.
  const long = `Dear all,\n${"see you on Monday. ".repeat(1_200)}`;
  await paste(page, long);
  await expect(dialog(page)).toContainText("This is not Python");
  await page.getByRole("button", { name: "Add a text node" }).click();
  await expect(card(page, "Pasted Text")).toBeVisible();
});

test("a reader sees an empty canvas without offers, and is told why a file is not accepted", async ({
  browser,
  context,
  person: _person,
}) => {
  const { path, ben } = await twoPeople(browser, context, "viewer");
  await openEditor(ben.page, path);
  await expect(ben.page.getByRole("heading", { name: "Nothing here yet" })).toBeVisible();
  await expect(ben.page.getByTestId("start-blueprint")).toHaveCount(0);
  await drop(ben.page, [{ name: "ports.csv", text: "a" }]);
  await expect(ben.page.getByText("You can only view this workflow.")).toBeVisible();
});
