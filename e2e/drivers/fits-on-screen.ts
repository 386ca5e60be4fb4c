import { expect, type Page } from "@playwright/test";

/** Nothing on a page may be wider than the screen. Charts and lazy parts get their width a moment later. */
export async function fitsOnScreen(page: Page, message = "the page"): Promise<void> {
  const over = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(over, { message }).toBeLessThanOrEqual(0);
}
