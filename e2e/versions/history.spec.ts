import { expect } from "@playwright/test";

import { card, header, makeGraph, makeLoadAndTrain, makeNode, openEditor, stored } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { loadCode, trainCode } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { deleteNode, nameVersion, setValue, versionRow, writeCode } from "../drivers/versions.ts";

test("names a version, looks at it on the canvas, restores it, and takes that back", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path, load, train } = await makeLoadAndTrain(context, { x: 400, y: 0 });
  await openEditor(page, path);

  await page.keyboard.press("v");
  const dialog = page.getByRole("dialog", { name: "Name this version" });
  await dialog.getByLabel("Name").fill("   ");
  await dialog.getByLabel("Message").fill("Before the storm");
  await dialog.getByRole("button", { name: "Name version" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  // A refusal loses nothing that was typed.
  await expect(dialog.getByLabel("Message")).toHaveValue("Before the storm");
  await dialog.getByLabel("Name").fill("Calm");
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText("“Calm” is version 1.")).toBeVisible();

  await deleteNode(context, train.metadata_id);
  await expect(card(page, "Train")).toHaveCount(0);

  await page.getByTestId("graph-editor").click({ position: { x: 300, y: 500 } });
  await page.keyboard.press("h");
  await expect(page).toHaveURL(/\/history$/);
  await expect(page.getByTestId("version-now")).toHaveAttribute("aria-current", "true");
  await expect(page.getByRole("heading", { name: "Today" })).toBeVisible();
  await expect(versionRow(page, "Calm")).toContainText("Before the storm");
  await versionRow(page, "Calm").click();
  await expect(page).toHaveURL(/\?version=1$/);
  await expect(page.getByTestId("shown-version")).toHaveText("Calm");
  await expect(card(page, "Train")).toBeVisible();

  await expect(page.getByTestId("version-message")).toHaveText("Before the storm");

  // It can be looked at, not changed. A click on a field selects the node too.
  await card(page, "Train").getByRole("textbox", { name: "note" }).click({ force: true });
  await expect(page.getByTestId("inspector").getByLabel("Name")).toBeDisabled();
  await page.getByRole("button", { name: "Open code" }).click();
  await expect(page.getByTestId("past-code")).toContainText("epochs");
  await page.getByRole("button", { name: "Close the code" }).click();
  await page.keyboard.press("Delete");
  await expect(card(page, "Train")).toBeVisible();

  await page.getByRole("button", { name: "Restore", exact: true }).click();
  await expect(page.getByText("Restored “Calm”.")).toBeVisible();
  await expect(page.getByTestId("graph-editor")).toBeVisible();
  await expect(card(page, "Train")).toBeVisible();
  expect((await stored(context, graph)).edges).toHaveLength(1);

  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(card(page, "Train")).toHaveCount(0);
  await expect.poll(async () => Object.keys((await stored(context, graph)).nodes)).toEqual([`${load.metadata_id}`]);
  // The editor's own keys know the step too.
  await page.getByTestId("graph-editor").click({ position: { x: 300, y: 500 } });
  await page.keyboard.press("ControlOrMeta+Shift+z");
  await expect(card(page, "Train")).toBeVisible();
});

test("finds the history by Ctrl K, and loads older versions while a person scrolls", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load", code: loadCode });
  for (let number = 1; number <= 110; number += 1) await nameVersion(context, graph, `Step ${number}.`);
  await openEditor(page, path);
  await page.keyboard.press("ControlOrMeta+k");
  // The palette is loaded when it is used first: keys before that would go to the canvas.
  await expect(page.getByPlaceholder("Type a command or search...")).toBeFocused();
  await page.keyboard.type("history of");
  await page.keyboard.press("Enter");
  await expect(versionRow(page, "Step 110.")).toBeVisible();
  // The pointer stays where it is, and each page that arrives is scrolled through.
  await versionRow(page, "Step 110.").hover();
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 20_000);
        return page.getByTestId("version").last().innerText();
      },
      { timeout: 45_000 },
    )
    .toContain("Step 1.");
  // Only what is in view is on the page.
  expect(await page.getByTestId("version").count()).toBeLessThan(60);

  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByPlaceholder("Type a command or search...")).toBeFocused();
  await page.keyboard.type("publish this");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Publish" })).toBeVisible();
});

test("restores one node of an older version and leaves the others alone", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const one = await makeNode(context, graph, { name: "One", code: trainCode });
  const two = await makeNode(context, graph, { name: "Two", code: trainCode, at: { x: 400, y: 0 } });
  await nameVersion(context, graph, "Good");
  for (const { metadata_id } of [one, two]) await setValue(context, metadata_id, "note", "broken");

  await page.goto(address(`${path}/history?version=1`));
  await header(page, "One").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Restore this node" }).click();
  await expect(page.getByText("Restored “One”.")).toBeVisible();
  const note = async (id: number) =>
    (await stored(context, graph)).nodes[id]?.api.attributes.find(({ name }) => name === "note")?.value;
  await expect.poll(() => note(one.metadata_id)).toBe("hello");
  expect(await note(two.metadata_id)).toBe("broken");

  // The state before it was kept.
  await expect(versionRow(page, "Before a restore")).toHaveCount(1);

  // The inspector offers it too.
  await header(page, "Two").click();
  await page.getByTestId("inspector").getByRole("button", { name: "Restore this node" }).click();
  await expect.poll(() => note(two.metadata_id)).toBe("hello");
  await expect(page.getByRole("button", { name: "2 automatic versions" })).toHaveAttribute("aria-expanded", "false");
  await page.getByRole("button", { name: "2 automatic versions" }).click();
  await expect(versionRow(page, "Before a restore")).toHaveCount(2);
});

test("starts a new workflow from a version, and deletes a version after asking", async ({
  page,
  context,
  person: _person,
}) => {
  const { graph, path } = await makeGraph(context);
  const node = await makeNode(context, graph, { name: "Load", code: loadCode });
  await nameVersion(context, graph, "First");
  await writeCode(context, node.metadata_id, trainCode);
  await nameVersion(context, graph, "Second", { publish: true });

  await page.goto(address(`${path}/history`));
  await versionRow(page, "First").click();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "New workflow from it…" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("A second try");
  await page.getByRole("button", { name: "Create workflow" }).click();
  await expect(page.getByTestId("crumbs")).toContainText("A second try");
  await expect(card(page, "Load")).toBeVisible();

  await page.goto(address(`${path}/history?version=1`));
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await expect(page.getByRole("dialog")).toContainText("Nobody can look at this version or restore it afterwards.");
  await page.getByRole("button", { name: "Delete version" }).click();
  await expect(page.getByText("Deleted “First”.")).toBeVisible();
  await expect(versionRow(page, "First")).toHaveCount(0);

  // What is in use stays, and the words say what uses it.
  await versionRow(page, "Second").click();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete version" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("Version 2 is the published one");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(versionRow(page, "Second")).toBeVisible();
});

test("a reader opens the link to a version, and is offered nothing that changes the workflow", async ({
  context,
  browser,
  person: _person,
}) => {
  const { project, graph, path } = await makeGraph(context);
  await makeNode(context, graph, { name: "Load", code: loadCode });
  await nameVersion(context, graph, "Shared");
  const other = await joinProject(browser, context, project, "Bea", "viewer");

  await other.page.goto(address(`${path}/history?version=1`));
  await expect(card(other.page, "Load")).toBeVisible();
  await expect(other.page.getByRole("link", { name: "Compare with now" })).toBeVisible();
  await expect(other.page.getByRole("button", { name: "Restore", exact: true })).toHaveCount(0);
  await header(other.page, "Load").click({ button: "right" });
  await expect(other.page.getByRole("menuitem", { name: "Fit everything" })).toBeVisible();
  await expect(other.page.getByRole("menuitem", { name: "Restore this node" })).toHaveCount(0);
  await other.page.keyboard.press("Escape");

  await other.page.goto(address(`${path}/history?version=99`));
  await expect(other.page.getByRole("alert")).toContainText("There is no such version");
  await other.context.close();
});
