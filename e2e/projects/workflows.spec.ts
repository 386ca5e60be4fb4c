import { expect } from "@playwright/test";

import { address, newBrowser, signIn, stall, test } from "../drivers/people.ts";
import { graphml, makeProject, makeWorkflow } from "../drivers/fixtures.ts";

test("creates, edits, moves and deletes a workflow", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Harbour");
  const other = await makeProject(context, "Lighthouse");
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("link", { name: "Add Workflow" }).click();
  await expect(page.getByRole("tab")).toHaveText(["Create New", "Clone from Existing Project", "Import from File"]);
  await expect(page.getByRole("tab", { name: "Create New" })).toHaveAttribute("aria-selected", "true");
  const create = page.getByRole("button", { name: "Create Workflow" });
  await expect(create).toBeDisabled();
  await expect(page.getByLabel("Name")).toHaveAttribute("placeholder", "Model Training");
  await expect(page.getByLabel("Description")).toHaveAttribute("placeholder", "This Workflow is for...");
  await page.getByLabel("Name").fill("y".repeat(201));
  await create.click();
  await expect(page.getByRole("alert")).toHaveText("Name can have at most 200 characters.");
  await page.getByLabel("Name").fill("Forecast");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.getByLabel("Description").fill("Of **tides**");
  const release = await stall(page, /\/api\/v3\/graphs\/?$/, "POST");
  await create.click();
  await expect(create).toBeDisabled();
  await release();
  await expect(page).toHaveURL(new RegExp(`/designer/projects/${project}/graphs/[0-9a-f-]{36}$`));

  await page.goto(address(`/designer/projects/${project}`));
  const item = page.getByTestId("workflow-item");
  await expect(item.getByRole("link", { name: "Forecast" })).toHaveAttribute("href", /\/graphs\//);
  await expect(item.locator("strong", { hasText: "tides" })).toBeVisible();
  await item.getByRole("button", { name: "Edit workflow" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Forecast" });
  await expect(edit).toContainText("Edit the name and description of this project.");
  const save = edit.getByRole("button", { name: "Edit", exact: true });
  await edit.getByLabel("Name").fill("");
  await expect(save).toBeDisabled();
  await edit.getByLabel("Name").fill("Prediction");
  const picker = edit.getByRole("button", { name: /Move To/ });
  await expect(picker).toContainText("Choose a project");
  await picker.click();
  await expect(edit.getByText("Start typing to search.")).toBeVisible();
  const search = edit.getByPlaceholder("Search...");
  await search.fill("nothing like this");
  await expect(edit.getByText("No results.")).toBeVisible();
  await search.fill("Lighth");
  await edit.getByRole("option", { name: /Lighthouse/ }).click();
  await expect(picker).toContainText("Lighthouse");
  await picker.click();
  await edit.getByRole("option", { name: /Lighthouse/ }).click();
  await expect(picker).toContainText("Choose a project");
  await picker.click();
  await edit.getByRole("option", { name: /Lighthouse/ }).click();
  const unstall = await stall(page, /\/api\/v3\/graphs\/[0-9a-f-]{36}$/, "PATCH");
  await save.click();
  await expect(save).toBeDisabled();
  await unstall();
  await expect(page.getByText("No graphs yet")).toBeVisible();
  await page.goto(address(`/designer/projects/${other}`));
  await expect(item.getByRole("link", { name: "Prediction" })).toBeVisible();

  await item.getByRole("button", { name: "Delete workflow" }).click();
  const remove = page.getByRole("dialog", { name: "Delete Prediction" });
  await expect(remove).toContainText("Are you sure you want to delete this graph? This action cannot be undone.");
  await remove.getByRole("button", { name: "Cancel" }).click();
  await expect(item).toHaveCount(1);
  await item.getByRole("button", { name: "Delete workflow" }).click();
  await remove.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByText("No graphs yet")).toBeVisible();
});

test("S8-032 shows a failed project lookup in red", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Harbour");
  await makeWorkflow(context, project, "Flow");
  let body = "The lookup broke.";
  await page.route(/\/api\/v3\/projects\/browse/, (route) => route.fulfill({ status: 400, body }));
  await page.goto(address(`/designer/projects/${project}`));
  for (const [given, shown] of [
    ["The lookup broke.", "The lookup broke."],
    ["", "Unknown Error"],
  ] as const) {
    body = given;
    await page.getByRole("button", { name: "Edit workflow" }).click();
    const edit = page.getByRole("dialog", { name: "Edit Flow" });
    await edit.getByRole("button", { name: /Move To/ }).click();
    await edit.getByPlaceholder("Search...").fill(`x${given.length}`);
    await expect(edit.getByRole("alert")).toHaveText(shown);
    await page.reload();
  }
});

test("clones another project's workflow, by mouse and by keyboard", async ({ page, context, person }) => {
  const source = await makeProject(context, `Source ${person.username}`);
  const target = await makeProject(context, "Target");
  const flow = await makeWorkflow(context, source, `Flow of ${person.username}`, "About it");
  await makeWorkflow(context, source, `Second of ${person.username}`);
  await context.request.post(address(`/api/v3/graphs/${flow}/graphml`), { form: { body: graphml } });
  await page.clock.install();
  await page.goto(address(`/designer/projects/${target}/graphs/new`));
  await page.getByRole("tab", { name: "Clone from Existing Project" }).click();
  const go = page.getByRole("button", { name: "Import Workflow" });
  await expect(go).toBeDisabled();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/graphs/browse")) asked.push(new URL(request.url()).searchParams.get("query") ?? "");
  });
  const search = page.getByPlaceholder("Search for Workflows");
  await search.focus();
  // The page's clock is paused, so typing takes no time for the page.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.keyboard.type("nothing of it");
  await page.clock.resume();
  await expect(page.getByText("No Workflows found.")).toBeVisible();
  // Once among the own workflows and once among the others.
  expect(asked.filter((query) => query !== "")).toEqual(["nothing of it", "nothing of it"]);
  const release = await stall(page, /\/graphs\/browse/);
  await search.fill(person.username);
  await expect(page.locator("form .animate-spin").first()).toBeVisible();
  await release();
  const first = page.getByRole("option", { name: `Source ${person.username} > Flow of ${person.username}` });
  await expect(first).toContainText("About it");
  await first.click();
  await expect(first.getByTestId("check-mark")).toBeVisible();
  await first.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const second = page.getByRole("option", { name: new RegExp(`Second of ${person.username}`) });
  await expect(second.getByTestId("check-mark")).toBeVisible();
  await expect(page.getByTestId("check-mark")).toHaveCount(1);
  await first.click();
  await expect(go).toBeEnabled();
  const unstall = await stall(page, /\/clone$/);
  await go.click();
  await expect(go).toBeDisabled();
  await unstall();
  await expect(page).toHaveURL(new RegExp(`/designer/projects/${target}/graphs/[0-9a-f-]{36}$`));
  const id = page.url().split("/").at(-1) ?? "";
  const graph = (await (await context.request.get(address(`/api/v3/graphs/${id}/graph`))).json()) as {
    nodes: object;
    edges: object[];
  };
  expect([Object.keys(graph.nodes).length, graph.edges.length]).toEqual([2, 1]);
});

test("keeps a viewer's clone of a private workflow private, and says where it may go", async ({
  page,
  context,
  browser,
  person,
}) => {
  const owner = await newBrowser(browser);
  await signIn(owner.context);
  const source = await makeProject(owner.context, `Secret ${person.username}`);
  await makeWorkflow(owner.context, source, `Hidden flow of ${person.username}`);
  await owner.context.request.patch(address(`/api/v3/projects/${source}`), { form: { visibility: "private" } });
  const member = { form: { user: person.username, role: "viewer" } };
  await owner.context.request.post(address(`/api/v3/projects/${source}/members`), member);
  const target = await makeProject(context, "Open");
  await makeWorkflow(context, target, "There already");
  await page.goto(address(`/designer/projects/${target}/graphs/new`));
  await page.getByRole("tab", { name: "Clone from Existing Project" }).click();
  await page.getByPlaceholder("Search for Workflows").fill(person.username);
  // The list becomes shorter when the search is over, and moves the button.
  await expect(page.getByRole("option")).toHaveCount(1);
  await page.getByRole("option", { name: new RegExp(`Hidden flow of ${person.username}`) }).click();
  await page.getByRole("button", { name: "Import Workflow" }).click();
  await expect(page.getByRole("alert")).toHaveText("This workflow is private. Clone it into a private project.");
  const { knowledge_objects } = (await (await context.request.get(address(`/api/v3/projects/${target}`))).json()) as {
    knowledge_objects: object[];
  };
  expect(knowledge_objects).toHaveLength(1);
  await owner.context.close();
});

test("imports a notebook and a script as workflows with one node each", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Notebooks");
  const files = [
    [
      "tide_heights.ipynb",
      JSON.stringify({ cells: [{ cell_type: "code", source: "x = 1\nx" }] }),
      "# %% Cell 1\nx = 1",
    ],
    ["Main-program.py", 'if __name__ == "__main__":\n    print("here")\n', 'if __name__ == "__main__":'],
  ] as const;
  for (const [name, text, kept] of files) {
    await page.goto(address(`/designer/projects/${project}/graphs/new`));
    await page.getByRole("tab", { name: "Import from File" }).click();
    const go = page.getByRole("button", { name: "Import Workflow" });
    await expect(go).toHaveAccessibleDescription("Give the workflow a name and a description first.");
    const chooser = page.waitForEvent("filechooser");
    await page.getByTestId("file-drop").click();
    await (await chooser).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await expect(page.getByLabel("Name")).toHaveValue(name.replace(/\..*/, "").replace(/[_-]/, " "));
    await expect(go).toBeDisabled();
    await expect(go).toHaveAccessibleDescription("Give the workflow a description first.");
    await page.getByLabel("Description").fill("Read from a file");
    await go.click();
    await expect(page).toHaveURL(new RegExp(`/designer/projects/${project}/graphs/[0-9a-f-]{36}$`));
    const id = page.url().split("/").at(-1) ?? "";
    const { nodes } = (await (await context.request.get(address(`/api/v3/graphs/${id}/graph`))).json()) as {
      nodes: Record<string, { source_code: string }>;
    };
    expect(Object.values(nodes).map((node) => node.source_code)).toEqual([expect.stringContaining(kept)]);
  }
  // A file that is no Python leaves nothing behind.
  await page.goto(address(`/designer/projects/${project}/graphs/new`));
  await page.getByRole("tab", { name: "Import from File" }).click();
  const chooser = page.waitForEvent("filechooser");
  await page.getByTestId("file-drop").click();
  await (await chooser).setFiles({ name: "broken.py", mimeType: "text/plain", buffer: Buffer.from("def broken(:") });
  await page.getByLabel("Description").fill("Broken");
  await page.getByRole("button", { name: "Import Workflow" }).click();
  await expect(page.getByRole("alert")).toContainText("This is not Python.");
  const { knowledge_objects } = (await (await context.request.get(address(`/api/v3/projects/${project}`))).json()) as {
    knowledge_objects: unknown[];
  };
  expect(knowledge_objects).toHaveLength(2);
});

test("imports a file by click and by drop, explains a refused file, and leaves nothing behind", async ({
  page,
  context,
  person: _person,
}) => {
  const project = await makeProject(context, "Imports");
  await page.goto(address(`/designer/projects/${project}/graphs/new`));
  await page.getByRole("tab", { name: "Import from File" }).click();
  await expect(page.getByText("Drag and drop or click to upload")).toBeVisible();
  const go = page.getByRole("button", { name: "Import Workflow" });
  await expect(go).toBeDisabled();
  await page.getByLabel("Name").fill("From file");
  await expect(go).toBeDisabled();
  await page.getByLabel("Description").fill("Read from a file");
  await expect(go).toBeEnabled();
  await go.click();
  await expect(page.getByRole("alert")).toHaveText("Please upload a file.");

  const choose = async (name: string, text: string) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByTestId("file-drop").click();
    await (await chooser).setFiles({ name, mimeType: "application/xml", buffer: Buffer.from(text) });
  };
  await choose("notes.txt", "hello");
  await go.click();
  await expect(page.getByRole("alert")).toHaveText("Please upload a GraphML file.");
  await choose("cut.graphml", graphml.slice(0, 250));
  await go.click();
  await expect(page.getByRole("alert")).toContainText("ends in the middle");
  await expect(page.getByLabel("Name")).toHaveValue("From file");
  const listed = async () =>
    (
      (await (await context.request.get(address(`/api/v3/projects/${project}`))).json()) as {
        knowledge_objects: unknown[];
      }
    ).knowledge_objects.length;
  await expect.poll(listed).toBe(0);

  await page.route(/\/graphml$/, (route) => route.fulfill({ status: 500, body: "It broke there." }));
  await choose("flow.graphml", graphml);
  await go.click();
  await expect(page.getByRole("alert")).toHaveText("It broke there.");
  await page.unroute(/\/graphml$/);

  await page.getByRole("button", { name: "Remove file" }).click();
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dropped.graphml"));
    return data;
  }, graphml);
  await page.getByTestId("file-drop").dispatchEvent("drop", { dataTransfer: transfer });
  await expect(page.getByText("dropped.graphml")).toBeVisible();
  const release = await stall(page, /\/graphml$/);
  await go.click();
  await expect(go).toBeDisabled();
  await release();
  await page.getByRole("link", { name: "Open workflow" }).or(page.getByTestId("crumbs")).first().waitFor();
  const result = page.getByRole("link", { name: "Open workflow" });
  if (await result.isVisible()) {
    await expect(page.getByRole("list", { name: "What changed" })).toBeVisible();
    await result.click();
  }
  await expect(page).toHaveURL(new RegExp(`/designer/projects/${project}/graphs/[0-9a-f-]{36}$`));
  expect(await listed()).toBe(1);

  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "More actions" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export GraphML" }).click();
  expect((await download).suggestedFilename()).toBe("From-file.graphml");
});
