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

/** Notes what a page asks for, and when it is answered, by the page's own clock. Call before the page is opened. */
export async function noteCalls(page: Page): Promise<void> {
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

/** With the page's clock stopped: how many milliseconds pass from the answer to a call until it is made again. */
export async function intervalOf(page: Page, address: RegExp): Promise<number> {
  const before = (await callsTo(page, address)).length;
  for (let passed = 0; passed < 180_000;) {
    const calls = await callsTo(page, address);
    const [first, second] = calls.slice(before);
    if (first && second) return second.asked - (first.answered ?? Number.NaN);
    // The clock stands while an answer is under way: only what the page waits on its own counts.
    if (calls.some(({ answered }) => answered === null)) continue;
    await page.clock.runFor(250);
    passed += 250;
  }
  throw new Error("It did not happen again.");
}
