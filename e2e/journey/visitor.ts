import type { Locator, Page } from "@playwright/test";

/** Where something is when the visitor reaches for it: it may have moved while they thought. */
type Place = () => Promise<{ x: number; y: number }>;

/** Uses the product as a person does: looks, thinks, clicks. Counts clicks and keys that act, but not typed text. */
export interface Visitor {
  page: Page;
  clicks(): number;
  /** Waits until it can be pressed, thinks, and presses it. */
  click(what: Locator): Promise<void>;
  /** Double-clicks a free place of the canvas. Counts as one. */
  doubleClick(at: Place): Promise<void>;
  /** Presses the mouse here and lets go there. Counts as one. */
  drag(from: Place, to: Place): Promise<void>;
  /** A key that acts, such as Enter in a list. Counts as a click. */
  press(key: string): Promise<void>;
  /** Types with the focus where it is. */
  type(text: string): Promise<void>;
}

export function createVisitor(page: Page, thinkMs: number): Visitor {
  let clicks = 0;
  const think = async () => {
    clicks += 1;
    if (thinkMs > 0) await page.waitForTimeout(thinkMs);
  };
  return {
    page,
    clicks: () => clicks,
    async click(what) {
      await what.waitFor();
      await think();
      await what.click();
    },
    async doubleClick(at) {
      await think();
      const { x, y } = await at();
      await page.mouse.dblclick(x, y);
    },
    async drag(start, end) {
      await think();
      const [from, to] = [await start(), await end()];
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
      await page.mouse.move(to.x, to.y, { steps: 4 });
      await page.mouse.up();
    },
    async press(key) {
      await think();
      await page.keyboard.press(key);
    },
    type: (text) => page.keyboard.type(text, { delay: thinkMs > 0 ? 40 : 0 }),
  };
}
