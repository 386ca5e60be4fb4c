import type { Page } from "@playwright/test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import sharp from "sharp";

const largest = 150_000;
const docs = join(import.meta.dirname, "..", "..", "docs");

/** Stores what the page shows as a small picture, below docs/. */
export async function savePicture(page: Page, name: string): Promise<void> {
  // Out of the way, so that nothing is hovered.
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  // Notices come and go by themselves.
  await page.locator("[data-sonner-toast]").first().waitFor({ state: "hidden", timeout: 15_000 });
  const whole = await page.screenshot({ animations: "disabled", caret: "hide" });
  const path = join(docs, `${name}.webp`);
  await mkdir(dirname(path), { recursive: true });
  for (const quality of [88, 80, 70, 60]) {
    const small = await sharp(whole).webp({ quality, effort: 6 }).toBuffer();
    if (small.length > largest) continue;
    await writeFile(path, small);
    return;
  }
  throw new Error(`The picture ${name} has more than ${largest} bytes.`);
}
