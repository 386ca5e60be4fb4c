import { expect } from "@playwright/test";

import { makeAdministrator } from "../drivers/database.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { address, newBrowser, password, signIn, newPerson, test } from "../drivers/people.ts";

test("shows who did what, limits a token to one project, and logs other browsers out", async ({
  page,
  context,
  browser,
  person,
}) => {
  const other = await newBrowser(browser);
  const friend = await signIn(other.context, newPerson("Bob"));
  const [project, elsewhere] = [await makeProject(context, "Iris"), await makeProject(context, "Elsewhere")];

  await page.goto(address(`/designer/projects/${project}`));
  const shared = await context.request.post(address(`/api/v3/projects/${project}/members`), {
    form: { user: friend.username, role: "editor" },
  });
  expect(shared.status()).toBe(200);
  await page.getByRole("button", { name: "Activity" }).click();
  const activity = page.getByRole("dialog", { name: "Activity" });
  await expect(activity.getByTestId("audit-event").first()).toContainText(
    `${person.username} made ${friend.username} an editor of Iris`,
  );
  await activity.getByLabel("Kind").selectOption("project");
  await expect(activity.getByTestId("audit-event")).toHaveCount(1);
  await expect(activity.getByTestId("audit-event")).toContainText(`${person.username} created the project Iris`);
  await page.keyboard.press("Escape");

  await page.goto(address("/account"));
  await page.getByRole("button", { name: "Generate token" }).click();
  const ask = page.getByRole("dialog", { name: "Generate Token" });
  await ask.getByLabel("Password", { exact: true }).fill(password);
  await ask.getByLabel("Name").fill("CI");
  await ask.getByLabel("Permissions").selectOption("read");
  await ask.getByLabel("Expires").selectOption("30");
  await ask.getByLabel("Access to").selectOption(`project_id ${project}`);
  await ask.getByRole("button", { name: "Generate token" }).click();
  const made = page.getByRole("dialog", { name: "Token Generated" });
  const token = await made.getByTestId("generated-token").textContent();
  await made.getByRole("button", { name: "Close", exact: true }).first().click();
  await expect(page.getByTestId("access-token").filter({ hasText: "CI" })).toContainText(
    "May read in the project Iris · Ends",
  );
  const program = await browser.newContext({ extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  const read = (id: string) => program.request.get(address(`/api/v3/projects/${id}`));
  expect([(await read(project)).status(), (await read(elsewhere)).status()]).toEqual([200, 404]);
  const changed = await program.request.patch(address(`/api/v3/projects/${project}`), { form: { name: "Mine" } });
  expect(await changed.text()).toBe("This token may not change anything. Use a token that may write.");

  const phone = await newBrowser(browser);
  const form = { username: person.username, password };
  await phone.context.request.post(address("/api/v3/auth"), { form: { ...form, password: "a wrong one" } });
  expect((await phone.context.request.post(address("/api/v3/auth"), { form })).status()).toBe(200);
  await page.reload();
  const browsers = page.getByTestId("signed-in-browser");
  await expect(browsers).toHaveCount(2);
  await expect(browsers.filter({ hasText: "This browser" })).toHaveCount(1);
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await expect(browsers).toHaveCount(1);
  expect((await phone.context.request.get(address("/api/v3/auth/"))).status()).toBe(401);

  await makeAdministrator(person.username);
  await page.goto(address("/account/admin/audit"));
  await page.getByLabel("Username").fill(person.username);
  const events = page.getByTestId("audit-event");
  await expect(events.first()).toContainText(`${person.username} signed out all other browsers`);
  await page.getByLabel("Result").selectOption("refused");
  await expect(events).toHaveCount(1);
  await expect(events).toContainText(`Somebody could not sign in as ${person.username}`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("audit-log.csv");
});
