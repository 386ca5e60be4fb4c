import { expect } from "@playwright/test";

import { address, signIn, test } from "../drivers/people.ts";
import { makeAdministrator } from "../drivers/database.ts";

test("an administrator sees the health of the installation and makes a backup", async ({ page, context }) => {
  const person = await signIn(context);
  await makeAdministrator(person.username);
  await page.goto(address("/account/admin/health"));
  const status = page.getByRole("region", { name: "Status" });
  await expect(status.getByRole("listitem").filter({ hasText: "Database (embedded)" })).toContainText("OK");
  await expect(status.getByRole("listitem").filter({ hasText: "Redis" })).toContainText("Off");
  const backups = page.getByRole("region", { name: "Backups" });
  await backups.getByRole("button", { name: "Back up now" }).press("Enter");
  const made = backups.getByRole("list", { name: "Backups" }).getByRole("listitem").first();
  await expect(made).toContainText(person.username);
  await expect(made).toContainText(/miranda-\d{8}-\d{9}\.zip/);
  await expect(made).toContainText(/[\d.]+ (kB|MB)/, { timeout: 30_000 });
  await expect(backups.getByRole("button", { name: "Back up now" })).toBeEnabled();
  await expect(backups).toContainText("There is a recent one.");
  await expect(backups).toContainText("Archives do not contain volumes of containers");
  await expect(page.getByRole("region", { name: "Versions" })).toContainText("PostgreSQL");
});
