import { expect, type Page } from "@playwright/test";

import { address, newBrowser, newPerson, password, signIn, test } from "../drivers/people.ts";

async function post(page: Page, path: string, form: Record<string, string>): Promise<{ id: string }> {
  const answer = await page.context().request.post(address(path), { form });
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()) as { id: string };
}

test("deletes an account, hands a project over, and tells the people in the other one", async ({
  page: stays,
  browser,
  person: editor,
}) => {
  // The first account of an installation is its administrator, which cannot be deleted: this is another one.
  const { page, context } = await newBrowser(browser);
  const leaver = await signIn(context, newPerson("Bea"));
  const kept = await post(page, "/api/v3/projects/", { name: "Harbour", description: "" });
  const gone = await post(page, "/api/v3/projects/", { name: "Tides", description: "" });
  const flow = await post(page, "/api/v3/graphs/", { name: "Flow", description: "", project_id: gone.id });
  for (const { id } of [kept, gone]) {
    const members = address(`/api/v3/projects/${id}/members`);
    expect((await context.request.post(members, { form: { user: editor.username, role: "editor" } })).status()).toBe(
      200,
    );
  }
  await stays.goto(address(`/designer/projects/${gone.id}/graphs/${flow.id}`));
  await expect(stays.locator(".react-flow").first()).toBeVisible();

  await page.goto(address("/account"));
  await page.getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("2 projects with 1 workflow");
  await expect(dialog).toContainText("The access of 1 member to them");
  await dialog.getByLabel("Harbour").selectOption({ label: `Hand over to Ada Tester (${editor.username})` });
  await expect(dialog).toContainText("1 project with 1 workflow");
  await dialog.getByRole("button", { name: "Continue" }).click();

  await dialog.getByLabel("Username").fill("somebody.else");
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("That is not your username.");
  await dialog.getByLabel("Username").fill(leaver.username);
  await dialog.getByLabel("Password", { exact: true }).fill("not my password");
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("Wrong password.");
  // A person who goes back finds the choice again.
  await dialog.getByRole("button", { name: "Back" }).click();
  await expect(dialog.getByLabel("Harbour").locator("option:checked")).toHaveText(/^Hand over to Ada/);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByLabel("Username").fill(leaver.username);
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");

  await expect(page.getByRole("status").filter({ hasText: "Your account was deleted." })).toBeVisible();
  await page.getByLabel("Username or e-mail").fill(leaver.username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toHaveText("Wrong username or password.");

  await expect(stays.getByText("Workflow not found.").first()).toBeVisible();
  await stays.goto(address(`/designer/projects/${kept.id}`));
  await expect(stays.getByRole("button", { name: "Share" })).toBeVisible();
  // The new owner was notified, and finds in the activity who handed the project over.
  await stays.getByRole("button", { name: "Activity" }).click();
  await expect(stays.getByTestId("audit-event").first()).toContainText(
    `${leaver.username} handed Harbour over to ${editor.username}`,
  );
  await stays.keyboard.press("Escape");
  await stays.getByRole("button", { name: /^Notifications/ }).click();
  await expect(stays.getByText("You own Harbour now")).toBeVisible();
  await context.close();
});

test("shows the history of a deleted account's code by Deleted account", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const project = await post(page, "/api/v3/projects/", { name: "Tides", description: "" });
  const flow = await post(page, "/api/v3/graphs/", { name: "Flow", description: "", project_id: project.id });
  const other = await newBrowser(browser);
  const bea = await signIn(other.context, newPerson("Bea"));
  await post(page, `/api/v3/projects/${project.id}/members`, { user: bea.username, role: "editor" });
  const made = await other.context.request.post(address("/api/v3/objects?wob_type=CODE_BLOCK"), {
    form: { name: "Wave", project_id: flow.id },
  });
  const { metadata_id: node } = (await made.json()) as { metadata_id: number };
  const code = "from miranda import *\n\nclass Wave(Node):\n    def run(self):\n        pass\n";
  await post(other.page, `/api/v3/objects/${node}/commits`, { source_code: code, message: "First wave" });
  const deleted = await other.context.request.delete(address("/api/v3/auth/account"), {
    form: { username: bea.username, password, projects: "delete" },
  });
  expect(deleted.status()).toBe(200);

  const history = await context.request.get(address(`/api/v3/objects/${node}/commits`));
  expect(await history.text()).not.toContain(bea.username);
  await page.goto(address(`/designer/projects/${project.id}/graphs/${flow.id}/code/${node}/history`));
  await expect(page.getByText("Deleted account").first()).toBeVisible();
  await other.context.close();
});
