import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
// Dark differs from light only in colours, so only these rules run again.
const colours = ["color-contrast", "link-in-text-block"];

/**
 * Fails when the page breaks WCAG 2.1 A or AA, in light or dark, and lists every violation. Pass `within` to check only
 * what is new on a page that was checked before.
 */
export async function audit(page: Page, screen: string, within = "html"): Promise<void> {
  await expect(page.locator(within).first()).toBeVisible();
  await show(page, "light");
  expect.soft(await violations(page, within, { type: "tag", values: everything }), `${screen}, light`).toEqual([]);
  await show(page, "dark");
  expect.soft(await violations(page, within, { type: "rule", values: colours }), `${screen}, dark`).toEqual([]);
}

/** Turns motion off: elements that are still fading in have other colours. */
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
      // The output of node code is in frames in which no script runs, so axe cannot run there.
      const results = await checker.run(part, { runOnly: only, resultTypes: ["violations"], iframes: false });
      return results.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
      );
    },
    [within, runOnly] as const,
  );
}
