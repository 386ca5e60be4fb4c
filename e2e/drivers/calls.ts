import type { Page } from "@playwright/test";

interface Call {
  url: string;
  asked: number;
  answered: number | null;
}

declare global {
  interface Window {
    notedCalls: Call[];
  }
}

/** Records the calls of a page and when they were answered, by the page's own clock. Call it before the page opens. */
export async function recordCalls(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const ask = window.fetch;
    window.notedCalls = [];
    window.fetch = async (...args) => {
      const [what] = args;
      const call: Call = { url: what instanceof Request ? what.url : String(what), asked: Date.now(), answered: null };
      window.notedCalls.push(call);
      try {
        return await ask(...args);
      } finally {
        call.answered = Date.now();
      }
    };
  });
}

export async function callsTo(page: Page, address: RegExp): Promise<Call[]> {
  const calls = await page.evaluate(() => window.notedCalls);
  return calls.filter(({ url }) => address.test(url));
}

/**
 * Call it with the page's clock paused. Returns the milliseconds between the answer to a call and the next such call.
 */
export async function intervalOf(page: Page, address: RegExp): Promise<number> {
  const before = (await callsTo(page, address)).length;
  for (let passed = 0; passed < 180_000;) {
    const calls = await callsTo(page, address);
    const [first, second] = calls.slice(before);
    if (first && second) return second.asked - (first.answered ?? Number.NaN);
    // Do not advance the clock while an answer is pending: only the page's own waiting counts.
    if (calls.some(({ answered }) => answered === null)) continue;
    await page.clock.runFor(250);
    passed += 250;
  }
  throw new Error("It did not happen again.");
}
