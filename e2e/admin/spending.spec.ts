import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { bookUsage, makeAdministrator } from "../drivers/database.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";

const rows = (page: Page) => page.getByRole("list", { name: "Spending" });
const grants = (page: Page) => page.getByRole("list", { name: "Granted credits" });

test("an administrator sees what everybody spent, and takes a wrong grant back", async ({ page, person, browser }) => {
  await makeAdministrator(person.username);
  const other = await newBrowser(browser);
  const bob = await signIn(other.context, newPerson("Bob"));
  const project = await makeProject(other.context, "Harbour");
  const spent = { project, projectName: "Harbour", graphName: "Tides", daysAgo: 0 };
  // More than anybody else in this installation spends.
  await bookUsage(bob.username, { ...spent, amount: "80000.25" });

  await page.goto(address("/account/admin/spending"));
  await expect(rows(page).getByRole("listitem").filter({ hasText: bob.username })).toContainText("$80,000.25");
  await page.getByLabel("Divided by").selectOption("project");
  await expect(rows(page).getByRole("listitem").filter({ hasText: "Harbour" })).toContainText("$80,000.25");
  await page.getByLabel("Divided by").selectOption("month");
  const month = new Date().toLocaleDateString("en-US", { month: "long", year: "numeric" });
  await expect(rows(page)).toContainText(month);
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV" }).click();
  const file = await (await downloading).createReadStream();
  expect(await file.toArray().then((parts) => parts.join(""))).toContain(`${bob.username},Harbour,,session`);
  await audit(page, "the spending of the installation");

  await page.goto(address("/account/admin/people"));
  await page.getByLabel("Search by name, username or e-mail").fill(bob.username);
  await page.getByRole("row").filter({ hasText: bob.username }).getByRole("link").click();
  await page.getByLabel("Credits to grant").fill("50");
  await page.getByLabel("Note").fill("Invoice 7");
  await page.getByRole("button", { name: "Grant credits" }).click();
  await grants(page).getByRole("button", { name: "Take back: Invoice 7" }).click();
  const dialog = page.getByRole("dialog", { name: "Take back credits" });
  await dialog.getByLabel("Credits to take back").fill("60");
  await dialog.getByLabel("Reason").fill("Invoice 7 was not paid");
  await dialog.getByRole("button", { name: "Take back" }).click();
  await expect(dialog.getByText("That is more than what is left of the grant.")).toBeVisible();
  await audit(page, "taking back credits");
  await dialog.getByLabel("Credits to take back").fill("20");
  await dialog.getByRole("button", { name: "Take back" }).click();
  await expect(grants(page)).toContainText("$20.00 was taken back");

  await other.page.goto(address("/account/billing"));
  const ledger = other.page.getByRole("list", { name: "Ledger" });
  await expect(ledger).toContainText("Credits taken back: Invoice 7 was not paid");
  await expect(ledger).toContainText("-$20.00");
});
