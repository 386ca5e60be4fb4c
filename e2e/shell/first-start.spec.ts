import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { newPerson, password, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";

// The first account of an installation is its administrator, so this test starts its own installation.

let product: Product;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  product = await startProduct();
});
test.afterAll(() => product.stop());

async function register(page: Page): Promise<void> {
  const { username, email } = newPerson();
  const form = { username, email, first_name: "Ada", last_name: "Lovelace", password };
  expect((await page.request.post(`${product.url}/api/v3/auth/register`, { form })).status()).toBe(200);
  await page.request.post(`${product.url}/api/v3/auth/onboarding`, { form: { industry: "", role: "" } });
}

test("the administrator of a new installation answers four questions, and everybody sees the answers", async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  await register(page);
  await page.goto(`${product.url}/designer/`);
  const card = page.getByRole("region", { name: "Set up this installation" });
  await expect(card).toContainText("everybody who reaches it can register");
  await audit(page, "home with the first questions");
  await card.getByRole("link", { name: "Answer four questions" }).click();
  await expect(page.getByRole("heading", { name: "Who may use this installation?" })).toBeVisible();
  // The safe answers are ticked.
  await expect(page.getByRole("radio", { name: /By invitation/ })).toBeChecked();
  await expect(page.getByRole("radio", { name: /Its members/ })).toBeChecked();
  await expect(page.getByRole("radio", { name: /With credits/ })).toBeChecked();
  await expect(page.getByLabel("Days of the trial")).toHaveValue("14");
  await expect(page.getByLabel("Address", { exact: true })).toHaveValue(product.url);
  await audit(page, "the first questions");
  const { width, height } = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width, height });
  await page.getByLabel("Address", { exact: true }).fill("nonsense");
  await page.getByRole("button", { name: "Save answers" }).click();
  await expect(page.getByRole("alert")).toContainText("The address must begin with http");
  await page.getByLabel("Address", { exact: true }).fill(product.url);
  await page.getByText("Everybody", { exact: true }).click();
  await page.getByText("Free for everybody").click();
  await page.getByRole("button", { name: "Save answers" }).click();
  await expect(page).toHaveURL(`${product.url}/designer/`);
  await expect(card).toBeHidden();
  await expect(page.getByTestId("trial-badge")).toBeVisible();

  const other = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const theirs = await other.newPage();
  await register(theirs);
  await theirs.goto(`${product.url}/designer/new`);
  await expect(theirs.getByTestId("trial-badge")).toBeHidden();
  const line = theirs.getByRole("group", { name: "Who will see it" });
  await expect(line).toContainText("Only its members will see it.");
  await audit(theirs, "a new project");
  await line.getByRole("button", { name: "Change: show it to every account" }).click();
  await expect(line).toContainText("Every account here will see it.");
  await theirs.getByLabel("Project Name").fill("Harbour");
  await theirs.getByRole("button", { name: "Create Project" }).click();
  await expect(theirs.getByRole("heading", { name: "Harbour" })).toBeVisible();
  const [project] = (await (await page.request.get(`${product.url}/api/v3/projects/browse?query=Harbour`)).json()) as {
    visibility: string;
  }[];
  expect(project?.visibility).toBe("public");
  await theirs.goto(`${product.url}/account/billing`);
  await expect(theirs.getByText("Running is free here: nobody needs credits.")).toBeVisible();
});
