import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { fitsOnScreen } from "../drivers/fits-on-screen.ts";
import { address, test } from "../drivers/people.ts";

const field = (page: Page) => page.getByRole("combobox", { name: "Search the handbook" });
const found = (page: Page) => page.getByRole("option");
const title = (page: Page) => page.getByRole("heading", { level: 1 });

test("lets people without an account read, search and copy", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(address("/docs"));
  await expect(title(page)).toHaveText("Handbook");
  await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();

  await page.keyboard.press("/");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("progress bar");
  await expect(found(page).first()).toContainText("Show a progress bar");
  await expect(found(page).first()).toBeInViewport({ ratio: 1 });
  await expect(found(page).first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  await expect(found(page).nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(address("/docs/cookbook#show-a-progress-bar"));
  const answer = page.getByRole("heading", { name: "Show a progress bar" });
  await expect(answer).toBeInViewport();
  await expect(page).toHaveTitle(/^Cookbook · Handbook/);

  const sample = page.getByTestId("code-sample").filter({ hasText: "class Work(Node)" });
  await sample.getByRole("button", { name: "Copy" }).click();
  await expect(sample.getByRole("button", { name: "Copied!" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'progress(step + 1, self.steps, "steps")',
  );

  await field(page).fill("qwertzuiop");
  await expect(page.getByText("Nothing found.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("Nothing found.")).toHaveCount(0);
});

test("leads from page to page, and to each heading", async ({ page }) => {
  await page.goto(address("/docs/first-workflow"));
  await expect(title(page)).toHaveText("Your first workflow");
  const pictures = page.getByRole("article").getByRole("img");
  await expect(pictures).toHaveCount(4);
  await pictures.first().scrollIntoViewIfNeeded();
  await expect
    .poll(() => pictures.first().evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(600);
  await page.getByRole("link", { name: /^Next/ }).click();
  await expect(title(page)).toHaveText("The canvas");
  await page.getByRole("link", { name: /^Previous/ }).click();
  await expect(title(page)).toHaveText("Your first workflow");
  await page.getByRole("navigation", { name: "Handbook" }).getByRole("link", { name: "SDK reference" }).click();
  await expect(title(page)).toHaveText("SDK reference");
  await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "log_metric" }).click();
  await expect(page).toHaveURL(address("/docs/sdk#log_metric"));
  await expect(page.getByRole("heading", { name: "log_metric", exact: true })).toBeInViewport();

  // Two names that differ in their first letter only.
  for (const name of ["Secret", "secret"]) {
    await page.goto(address(`/docs/sdk#${name}`));
    await expect(page.locator(`[id="${name}"]`)).toBeInViewport();
  }
  await page.goto(address("/docs/nothing"));
  await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
  await page.getByRole("link", { name: "All pages" }).click();
  await expect(title(page)).toHaveText("Handbook");
});

test("fits a phone, light and dark", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(address("/docs"));
  await expect(title(page)).toBeVisible();
  await fitsOnScreen(page);
  for (const name of ["SDK reference", "Cookbook", "Operations", "The API", "Your first workflow"]) {
    await page.getByRole("button", { name: "Contents" }).click();
    await page.getByRole("navigation", { name: "Handbook" }).getByRole("link", { name }).click();
    await expect(title(page)).toHaveText(name);
    await expect(page.getByRole("navigation", { name: "Handbook" })).toBeHidden();
    await fitsOnScreen(page);
  }
  expect(await page.evaluate(() => document.documentElement.classList.contains("dark"))).toBe(true);
  await field(page).fill("storage");
  await expect(found(page).first()).toBeInViewport({ ratio: 0.9 });
  await fitsOnScreen(page);
});

test("has no violations of the rules for accessibility", async ({ page }) => {
  await page.goto(address("/docs"));
  await expect(title(page)).toBeVisible();
  await audit(page, "the start of the handbook");
  await page.goto(address("/docs/writing-nodes"));
  await expect(title(page)).toBeVisible();
  await audit(page, "a page of the handbook");
  await field(page).fill("node");
  await expect(found(page).first()).toBeVisible();
  await audit(page, "the search of the handbook", "search");
});

test("is linked from the account menu, empty pages and errors", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Tides");
  await page.goto(address(`/designer/projects/${project}`));
  const opened = context.waitForEvent("page");
  await page.getByRole("link", { name: "Your first workflow, step by step" }).click();
  await expect(title(await opened)).toHaveText("Your first workflow");

  await page.goto(address("/designer/nowhere"));
  await expect(page.getByRole("link", { name: "Open the handbook" })).toHaveAttribute("href", "/docs");

  // As an installation with its own documentation answers.
  await page.route("**/api/v3/settings", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), docs_url: "https://docs.example.org/miranda" } });
  });
  await page.goto(address("/designer"));
  await page.getByTestId("account-avatar").click();
  const link = page.getByTestId("account-menu").getByRole("link", { name: "Documentation" });
  await expect(link).toHaveAttribute("href", "https://docs.example.org/miranda");
});
