import { expect } from "@playwright/test";

import { commit, editor, file, line, makeFlow, pane, typeAfter } from "../drivers/coding.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { address, newBrowser, signIn, test } from "../drivers/people.ts";

test("lets two people edit one node, shows each the other's cursor, and loses nothing when a connection breaks", async ({
  page,
  context,
  browser,
  person,
}) => {
  const flow = await makeFlow(context);
  const other = await joinProject(browser, context, flow.project, "Ben");
  const url = `${flow.base}/${flow.nodes.Train}`;
  await page.goto(url);
  await other.page.goto(url);
  await typeAfter(page, "total = 0", " + 10");
  await expect(line(other.page, "total = 0 + 10")).toBeVisible();
  await typeAfter(other.page, 'rows = Receiver("table")', "  # ben");
  await expect(line(page, "# ben")).toBeVisible();
  await expect(pane(page).locator(".cm-ySelectionInfo")).toHaveText(other.person.username);
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
  // Pointing at the number of a line says who edited it last. One call tells it for all lines.
  const calls: string[] = [];
  page.on("request", (request) => calls.push(...(request.url().endsWith("/lines") ? [request.url()] : [])));
  const number = (text: RegExp) => pane(page).locator(".cm-lineNumbers .cm-gutterElement", { hasText: text });
  const note = page.getByTestId("line-note");
  await number(/^9$/).hover();
  await expect(note).toContainText(`Last edited by ${person.firstName}`);
  await expect(note).toContainText(other.person.username);
  await expect(note).toContainText(/Commit \d+: Together/);
  await number(/^5$/).hover();
  await expect(note).toContainText("Last edited by");
  await line(page, "def run").hover();
  await expect(note).toHaveCount(0);
  expect(calls.length).toBeLessThanOrEqual(1);
  await line(page, "total = 0 + 100").click();
  await expect(page.getByTestId("line-writer")).toContainText(`Last edited by ${person.firstName}`);
  await context.request.delete(address(`/api/v3/objects/${flow.nodes.Train}`));
  await expect(other.page.getByTestId("node-gone")).toContainText("Its text stays here to be copied.");
  await expect(line(other.page, "# ben offline")).toBeVisible();
  await expect(editor(other.page)).toHaveAttribute("aria-readonly", "true");
  // An undo of the deletion brings it back for everybody.
  const restored = await context.request.post(address(`/api/v3/graphs/${flow.graph}/restore`), {
    form: { metadata_ids: JSON.stringify([flow.nodes.Train]), edges: "[]", groups: "[]" },
  });
  expect(restored.status(), await restored.text()).toBe(200);
  await expect(other.page.getByTestId("node-gone")).toHaveCount(0);
  await typeAfter(other.page, "total = 0 + 100", " # back");
  await expect(line(page, "# back")).toBeVisible();
  await other.context.close();
});

test("shows a reader everything and lets them change nothing", async ({ page, context, browser, person: _person }) => {
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

test("syncs two tabs of one person, and shows a commit of one in the other", async ({ page, context, person }) => {
  const { base, nodes } = await makeFlow(context);
  const second = await context.newPage();
  await page.goto(`${base}/${nodes.Train}`);
  await second.goto(`${base}/${nodes.Train}`);
  await typeAfter(page, "total = 0", " + 1");
  await expect(line(second, "total = 0 + 1")).toBeVisible();
  await typeAfter(second, "total = 0 + 1", " + 2");
  await expect(line(page, "total = 0 + 1 + 2")).toBeVisible();
  await expect(pane(page).locator(".cm-ySelectionInfo")).toHaveText(person.username);
  await commit(second, "From the second tab");
  await expect(page.getByTestId("sending")).toHaveText("Committed");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByText("Nothing has changed since the last commit.")).toBeVisible();
  await second.close();
  await typeAfter(page, "total = 0 + 1 + 2", " + 3");
  await page.reload();
  await expect(line(page, "total = 0 + 1 + 2 + 3")).toBeVisible();
});

test("keeps what another person is typing when a commit is restored", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const flow = await makeFlow(context);
  const other = await joinProject(browser, context, flow.project, "Ben");
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
  // The name at the other person's cursor may follow.
  await expect(line(other.page, "total = 0 + 1")).not.toHaveText(/\+ 2/);
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
