import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
// The themes differ in their colours alone.
const colours = ["color-contrast", "link-in-text-block"];

/**
 * What of the page, as it is now, breaks WCAG 2.1 A or AA, in light and in dark. All of it is told, not the first alone.
 * Of a page that was looked at before, what is new on it is enough.
 */
export async function audit(page: Page, screen: string, within = "html"): Promise<void> {
  await show(page, "light");
  expect.soft(await violations(page, within, { type: "tag", values: everything }), `${screen}, light`).toEqual([]);
  await show(page, "dark");
  expect.soft(await violations(page, within, { type: "rule", values: colours }), `${screen}, dark`).toEqual([]);
}

/** Without motion: what is still fading in has other colours than what is read. */
async function show(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.classList.contains("dark")))
    .toBe(colorScheme === "dark");
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  });
}

async function violations(page: Page, within: string, runOnly: axe.RunOnly): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ([part, only]) => {
      const { axe: checker } = window as unknown as { axe: typeof axe };
      // What node code showed is in frames of its own, in which nothing runs.
      const results = await checker.run(part, { runOnly: only, resultTypes: ["violations"], iframes: false });
      return results.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
      );
    },
    [within, runOnly] as const,
  );
}
