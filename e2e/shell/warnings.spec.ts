import { type BrowserContext, expect } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { newBrowser, newPerson, password, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";

// The first account of an installation is its administrator, so this test starts its own installation.

let product: Product;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  product = await startProduct({ MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" });
});
test.afterAll(() => product.stop());

async function register(context: BrowserContext): Promise<void> {
  const { username, email, firstName } = newPerson();
  const form = { username, email, first_name: firstName, last_name: "Tester", password };
  expect((await context.request.post(`${product.url}/api/v3/auth/register`, { form })).status()).toBe(200);
  await context.request.post(`${product.url}/api/v3/auth/onboarding`, { form: { industry: "", role: "" } });
}

test("warns administrators about the installation until they dismiss it, and nobody else", async ({
  page,
  context,
  browser,
}) => {
  test.setTimeout(180_000);
  await register(context);
  const banner = page.getByRole("region", { name: "Warnings about this installation" });
  await page.goto(`${product.url}/designer`);
  await expect(page.getByRole("heading", { name: "Your Projects" })).toBeVisible();
  await expect(banner.getByRole("listitem")).toHaveText([/^Node code runs with the server's own rights\./]);
  await expect(banner).toContainText("Only administrators see this.");
  await audit(page, "the banner", "[data-testid=installation-warnings]");

  // A screen that fills the window still fits below the banner.
  await page.getByTestId("account-avatar").waitFor();
  await page.goto(`${product.url}/designer/processors`);
  await expect(banner).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight))
    .toBe(0);

  await banner.getByRole("button", { name: "Dismiss for now" }).click();
  await expect(banner).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId("bar-title")).toBeVisible();
  await page.waitForLoadState("networkidle");
  await expect(banner).toHaveCount(0);
  const other = await newBrowser(browser);
  await register(other.context);
  let asked = 0;
  other.page.on("request", (request) => (asked += Number(request.url().includes("/settings/warnings"))));
  await other.page.goto(`${product.url}/designer`);
  await expect(other.page.getByRole("heading", { name: "Your Projects" })).toBeVisible();
  await expect(other.page.getByTestId("installation-warnings")).toHaveCount(0);
  expect(asked).toBe(0);
  expect((await other.context.request.get(`${product.url}/api/v3/settings/warnings`)).status()).toBe(403);
  await other.context.close();
});
