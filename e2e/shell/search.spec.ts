import { expect } from "@playwright/test";

import { card, makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { address, newBrowser, newPerson, signIn, stall, test } from "../drivers/people.ts";
import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";

test("finds projects by group, workflows and actions, by keyboard alone", async ({
  page,
  context,
  browser,
  person,
}) => {
  const other = await newBrowser(browser);
  await signIn(other.context, newPerson("Mary"));
  const tag = person.username;
  const own = await makeProject(context, `${tag} own`);
  await makeWorkflow(context, own, `${tag} flow`);
  await makeProject(other.context, `${tag} shared`);
  const followed = await makeProject(other.context, `${tag} followed`);
  const details = (await (await context.request.get(address(`/api/v3/projects/${followed}`))).json()) as {
    project: { metadata_id: number };
  };
  await context.request.post(
    address(`/api/v3/objects/${details.project.metadata_id}/tags?wob_type=PROJECT&public=false`),
    { form: { tag: "following" } },
  );

  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/projects/browse")) asked.push(request.url());
  });
  await page.goto(address("/designer"));
  const dialog = page.getByRole("dialog", { name: "Search" });
  await page.getByRole("button", { name: "Search" }).click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press("Meta+k");
  await expect(dialog).toBeVisible();
  await expect.poll(() => asked.length).toBe(2);
  expect(asked.every((url) => url.includes("include_own=true"))).toBe(true);

  const input = dialog.getByPlaceholder("Type a command or search...");
  await input.fill(tag);
  await expect(dialog.getByText("Your Projects")).toBeVisible();
  await expect(dialog.getByText("Followed Projects")).toBeVisible();
  await expect(dialog.getByText("Shared Projects")).toBeVisible();
  await expect(dialog.getByRole("option", { name: new RegExp(`${tag} own.*By You`) })).toBeVisible();
  await expect(dialog.getByRole("option", { name: new RegExp(`${tag} shared.*By Mary`) })).toBeVisible();
  await expect(dialog.getByRole("option", { name: new RegExp(`${tag} flow`) })).toBeVisible();
  await expect(dialog.locator("[cmdk-list]")).toHaveCSS("max-height", "300px");
  await input.fill("zzz nothing at all");
  await expect(dialog.getByText("No results found.")).toBeVisible();

  let documents = 0;
  page.on("request", (request) => {
    if (request.resourceType() === "document") documents++;
  });
  await input.fill(`${tag} own`);
  await expect(dialog.getByRole("option").first()).toContainText(`${tag} own`);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(address(`/designer/projects/${own}`));
  await expect(dialog).toHaveCount(0);
  expect(documents).toBe(0);

  await page.goto(address("/account"));
  await expect(page.getByRole("button", { name: "Search" })).toBeVisible();
  await page.keyboard.press("Control+k");
  documents = 0;
  await input.fill(`${tag} own`);
  await dialog
    .getByRole("option", { name: new RegExp(`${tag} own`) })
    .first()
    .click();
  await expect(page).toHaveURL(address(`/designer/projects/${own}`));
  await expect.poll(() => documents).toBe(1);

  await expect(page.getByRole("button", { name: "Search" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await input.fill("dark");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => localStorage.getItem("theme"))).toBe("dark");
  await other.context.close();
});

test("keeps what is typed while the palette loads, and lets none of it reach the canvas", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeGraph(context);
  const release = await stall(page, "**/designer/assets/search-dialog*.js");
  await openEditor(page, path);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("history off");
  await page.keyboard.press("Backspace");
  await release();
  await expect(page.getByPlaceholder("Type a command or search...")).toHaveValue("history of");
  await expect(page).toHaveURL(new RegExp(`${path}$`));

  // The next search begins empty.
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByPlaceholder("Type a command or search...")).toHaveValue("");
});

test("finds nodes, people and pages of the handbook, opens them, and remembers them", async ({
  page,
  context,
  browser,
  person,
}) => {
  const { graph, path } = await makeGraph(context, `${person.username} flow`);
  await makeNode(context, graph, { name: "Somewhere else", at: { x: 0, y: 0 } });
  const node = await makeNode(context, graph, { name: `${person.username} gauge`, at: { x: 9_000, y: 9_000 } });
  const other = await newBrowser(browser);
  const mary = await signIn(other.context, newPerson("Mary"));
  await makeProject(other.context, `Pier of ${mary.username}`);

  const dialog = page.getByRole("dialog", { name: "Search" });
  const input = dialog.getByPlaceholder("Type a command or search...");
  const group = (name: string) => dialog.getByRole("group", { name });
  await page.goto(address("/designer"));
  await page.getByRole("button", { name: "Search" }).click();
  await expect(group("Recent")).toHaveCount(0);
  await input.fill(`${person.username} gau`);
  await expect(group("Nodes").getByRole("option")).toHaveText([/gauge.*flow/]);
  await page.keyboard.press("Enter");
  // The node is in view and chosen, though it is far from the others.
  await expect(page).toHaveURL(address(path));
  await expect(card(page, node.name)).toBeInViewport();
  await expect(page.getByTestId("inspector").getByRole("textbox", { name: "Name", exact: true })).toHaveValue(
    node.name,
  );

  await page.keyboard.press("ControlOrMeta+k");
  await expect(group("Recent").getByRole("option")).toHaveText([/gauge/]);
  await input.fill(mary.username);
  await group("People").getByRole("option").click();
  await expect(page).toHaveURL(address(`/designer/browse?by=${mary.username}`));
  await expect(page.getByRole("heading", { name: `Projects of ${mary.username}` })).toBeVisible();
  await expect(page.getByText(`Pier of ${mary.username}`)).toBeVisible();

  await page.keyboard.press("ControlOrMeta+k");
  await expect(group("Recent").getByRole("option")).toHaveText([/Mary/, /gauge/]);
  await input.fill("breakpoints");
  const opened = page.context().waitForEvent("page");
  await group("Handbook").getByRole("option").first().click();
  await expect(await opened).toHaveURL(/\/docs\//);
  await page.keyboard.press("ControlOrMeta+k");
  await input.fill("%");
  await expect(dialog.getByText("No results found.")).toBeVisible();
  await input.fill("x".repeat(500));
  await expect(dialog.getByText("No results found.")).toBeVisible();
  await input.fill("sign out");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/login/);
  expect(await page.evaluate(() => localStorage.getItem("recent-finds"))).toBeNull();
  await other.context.close();
});
