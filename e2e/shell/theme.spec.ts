import { expect } from "@playwright/test";

import { address, test } from "../drivers/people.ts";

test("S2-195 to S2-197 S3-005 applies the light, dark and system theme at once", async ({ page, person: _person }) => {
  const isDark = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme.startsWith("dark"));
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(address("/account"));
  await expect(page.getByRole("radio", { name: "System" })).toBeChecked();
  await expect.poll(isDark).toBe(true);
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(isDark).toBe(false);
  for (const [choice, dark] of [
    ["Dark", true],
    ["Light", false],
    ["System", false],
  ] as const) {
    await page.getByText(choice, { exact: true }).click();
    await expect.poll(isDark).toBe(dark);
    await expect.poll(() => page.evaluate(() => localStorage.getItem("theme"))).toBe(choice.toLowerCase());
  }
});

test("applies a stored theme before the first paint", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.addInitScript(() => localStorage.setItem("theme", "dark"));
  // With its scripts blocked, the page looks as at its first paint.
  await page.route("**/designer/assets/*.js", (route) => route.abort());
  await page.goto(address("/login"), { waitUntil: "domcontentloaded" });
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toMatch(/^dark/);
});
