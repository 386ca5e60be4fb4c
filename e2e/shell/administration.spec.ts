import { type BrowserContext, expect, type Page } from "@playwright/test";

import { codeOf, stepAt } from "../../server/features/auth/second-factor/totp.ts";
import { audit } from "../drivers/audit.ts";
import { newBrowser, newPerson, password, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";

// The first account of an installation is its administrator, so this test starts its own installation.

let product: Product;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  product = await startProduct();
});
test.afterAll(() => product.stop());

async function registerAdmin(context: BrowserContext): Promise<void> {
  const { username, email } = newPerson();
  const form = { username, email, first_name: "Ada", last_name: "Lovelace", password };
  expect((await context.request.post(`${product.url}/api/v3/auth/register`, { form })).status()).toBe(200);
  await context.request.post(`${product.url}/api/v3/auth/onboarding`, { form: { industry: "", role: "" } });
}

const saved = (page: Page, words: string) => expect(page.getByText(words, { exact: true }).last()).toBeVisible();

test("an administrator closes registration and lets somebody in with a link", async ({ page, context, browser }) => {
  test.setTimeout(180_000);
  await registerAdmin(context);
  await page.goto(`${product.url}/account/admin/settings`);
  await page.getByText("Closed", { exact: true }).click();
  await page.getByRole("button", { name: "Save registration" }).click();
  await saved(page, "Settings saved.");
  await page.getByLabel("Text", { exact: true }).fill("Maintenance on Friday. [Details](https://status.example)");
  await page.getByRole("button", { name: "Save announcement" }).click();
  const announcement = page.getByRole("region", { name: "Announcement" }).filter({ hasText: "Maintenance" });
  await expect(announcement.getByRole("link", { name: "Details" })).toHaveAttribute("href", "https://status.example");
  await audit(page, "the settings of the installation");
  // On a phone the tabs are wider than the screen: that of the open page is in view.
  const size = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  const open = page.getByRole("navigation", { name: "Administration" }).locator("[aria-current=page]");
  await expect(open).toHaveText("Settings");
  await expect(open).toBeInViewport({ ratio: 1 });
  await page.setViewportSize(size);
  // The page has the settings as they are before the other change.
  await expect(page.getByLabel("Text", { exact: true })).toHaveValue(/^Maintenance/);

  // Two administrators at once: nothing is saved, and what was typed stays.
  const settings = `${product.url}/api/v3/admin/settings`;
  const { version } = (await (await context.request.get(settings)).json()) as { version: number };
  await context.request.patch(settings, { form: { version: String(version), default_visibility: "private" } });
  await page.getByLabel("Text", { exact: true }).fill("Typed before the other change was seen.");
  await page.getByRole("button", { name: "Save announcement" }).click();
  await expect(page.getByText("Somebody else changed the settings meanwhile. Nothing was saved.")).toBeVisible();
  await expect(page.getByLabel("Text", { exact: true })).toHaveValue("Typed before the other change was seen.");
  await page.getByRole("button", { name: "Load current values" }).click();
  await expect(page.getByLabel("Text", { exact: true })).toHaveValue(/^Maintenance/);

  // Nobody can register now.
  const other = await newBrowser(browser);
  await other.page.goto(`${product.url}/login`);
  await expect(other.page.getByText("Registration is closed.")).toBeVisible();
  await expect(other.page.getByRole("link", { name: "Create an account" })).toHaveCount(0);
  await other.page.goto(`${product.url}/register`);
  await expect(other.page.getByText("An administrator can create an account for you.")).toBeVisible();
  await expect(other.page.getByLabel("Username")).toHaveCount(0);

  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("button", { name: "Create account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("First name").fill("Mary");
  await dialog.getByLabel("Last name").fill("Somerville");
  await dialog.getByLabel("Username").fill("mary");
  await dialog.getByLabel("E-mail").fill("mary@example.org");
  await dialog.getByRole("button", { name: "Create account" }).click();
  const link = (await page.getByTestId("password-link").textContent()) ?? "";
  await page.getByRole("button", { name: "Done" }).click();

  // Mary sets her password, signs in, and sees the announcement until she closes it.
  await other.page.goto(link);
  await expect(other.page.getByText("mary", { exact: true })).toBeVisible();
  await audit(other.page, "the page of a link to set a password");
  await other.page.getByLabel("New password", { exact: true }).fill(password);
  await other.page.getByLabel("New password again").fill(password);
  await other.page.getByRole("button", { name: "Set password" }).click();
  await expect(other.page.getByText("Your password is set. Sign in with it.")).toBeVisible();
  await other.page.getByLabel("Username or e-mail").fill("mary");
  await other.page.getByLabel("Password", { exact: true }).fill(password);
  await other.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(other.page).toHaveURL(/\/onboarding/);
  await other.page.getByRole("button", { name: "Skip" }).click();
  const seen = other.page.getByRole("region", { name: "Announcement" });
  await expect(seen).toContainText("Maintenance on Friday. Details");
  await seen.getByRole("button", { name: "Close the announcement" }).click();
  await other.page.reload();
  await expect(other.page.getByTestId("account-avatar")).toBeVisible();
  await expect(seen).toHaveCount(0);
  await other.page.goto(link);
  await expect(other.page.getByText("This link was used already or has expired.")).toBeVisible();

  // The administrator finds her, grants credits, and disables the account.
  await page.getByLabel("Search by name, username or e-mail").fill("somerville");
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("link", { name: /Mary Somerville/ }).click();
  await audit(page, "a person");
  await page.getByLabel("Credits to grant").fill("-5");
  await page.getByLabel("Note").fill("Invoice 7");
  await page.getByRole("button", { name: "Grant credits" }).click();
  await expect(page.getByText("The amount must be a number above 0", { exact: false })).toBeVisible();
  await page.getByLabel("Credits to grant").fill("12.5");
  await page.getByRole("button", { name: "Grant credits" }).click();
  await expect(page.getByText("$112.50", { exact: true })).toBeVisible();
  // A grant does not hide that somebody else changed the account meanwhile: their subscription is kept.
  const person = `${product.url}/api/v3/admin/people/${page.url().split("/").at(-1)}`;
  const stored = async () =>
    (await (await context.request.get(person)).json()) as { version: number; subscribed: boolean };
  const form = { version: String((await stored()).version), subscribed: "true" };
  expect((await context.request.patch(person, { form })).status()).toBe(200);
  await page.getByLabel("Credits to grant").fill("1");
  await page.getByLabel("Note").fill("Invoice 8");
  await page.getByRole("button", { name: "Grant credits" }).click();
  await expect(page.getByText("$113.50", { exact: true })).toBeVisible();
  await page.getByLabel("Trial until").fill("2040-01-31");
  await page.getByRole("button", { name: "Save trial" }).click();
  await expect(page.getByText("Somebody else changed this account meanwhile.", { exact: false })).toBeVisible();
  await page.getByRole("button", { name: "Load current values" }).click();
  await expect(page.getByLabel("Subscribed")).toBeChecked();
  await page.getByLabel("Trial until").fill("2040-01-31");
  await page.getByRole("button", { name: "Save trial" }).click();
  await saved(page, "Account saved.");
  expect(await stored()).toMatchObject({ subscribed: true });

  await page.getByRole("button", { name: "Disable account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable account" }).click();
  await expect(page.getByText("Disabled", { exact: true })).toBeVisible();
  await other.page.goto(`${product.url}/designer`);
  await expect(other.page).toHaveURL(/\/login/);
  await other.context.close();

  // Whoever asks everybody for two-step sign-in has to set it up too, before anything else works.
  await page.goto(`${product.url}/account/admin/settings`);
  await page.getByText("Required for everybody", { exact: true }).click();
  const asked = page.waitForResponse(
    (answer) => answer.request().method() === "PATCH" && answer.url().endsWith("/api/v3/admin/settings"),
  );
  await page.getByRole("button", { name: "Save two-step sign-in" }).click();
  await asked;
  await page.goto(`${product.url}/designer`);
  await expect(page.getByRole("heading", { name: "Set up two-step sign-in" })).toBeVisible();
  await audit(page, "the page that asks for two-step sign-in");
  await page.getByRole("button", { name: "Use an authenticator app" }).click();
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Continue" }).click();
  const key = (await page.getByTestId("app-key").innerText()).replaceAll(/\s/g, "");
  await page.getByLabel("Code", { exact: true }).fill(codeOf(key, stepAt(Date.now())));
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByLabel("I have saved the codes").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("heading", { name: "Your Projects" })).toBeVisible();
});
