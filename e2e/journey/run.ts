import { type Browser, chromium } from "@playwright/test";
import { parseArgs } from "node:util";

import { getChromium } from "../../scripts/chromium.ts";
import { endSessions } from "../drivers/sessions.ts";
import { startProduct } from "../drivers/product.ts";
import { register, runSample } from "./first-minute.ts";
import { trainIris } from "./iris.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

// `npm run journey`: how many clicks and seconds a new person needs, in a real browser against a fresh product.

const { values } = parseArgs({
  options: {
    /** Milliseconds of thinking before each click. */
    think: { type: "string", default: "1000" },
    /** The folder for a screenshot of the end of each journey. */
    pictures: { type: "string" },
  },
});

interface Journey {
  name: string;
  goal: { clicks: number; seconds?: number };
  /** Not counted. */
  before?: (visitor: Visitor, url: string) => Promise<void>;
  go: (visitor: Visitor, url: string) => Promise<void>;
}

const journeys: readonly Journey[] = [
  {
    name: "register → trained model with a plot",
    goal: { clicks: 6, seconds: 60 },
    async go(visitor, url) {
      await register(visitor, url, "ada");
      await runSample(visitor);
    },
  },
  {
    name: "iris from nothing, with scikit-learn",
    goal: { clicks: 25 },
    before: (visitor, url) => register(visitor, url, "grace"),
    go: trainIris,
  },
];

async function measure(browser: Browser, url: string, { name, goal, before, go }: Journey): Promise<boolean> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  if (before) await before(createVisitor(page, 0), url);
  const visitor = createVisitor(page, Number(values.think));
  const began = performance.now();
  let problem = "";
  try {
    await go(visitor, url);
  } catch (error) {
    problem = ` It did not get there: ${error instanceof Error ? error.message : String(error)}`;
  }
  const seconds = (performance.now() - began) / 1_000;
  if (values.pictures) await page.screenshot({ path: `${values.pictures}/${name.replaceAll(/\W+/g, "-")}.png` });
  await endSessions(page.context(), url);
  await page.close();
  const isGood = problem === "" && visitor.clicks() <= goal.clicks && seconds <= (goal.seconds ?? Infinity);
  const wanted = `at most ${goal.clicks} clicks${goal.seconds ? ` and ${goal.seconds} s` : ""}`;
  console.log(
    `${isGood ? "✓" : "✗"} ${name}: ${visitor.clicks()} clicks, ${seconds.toFixed(1)} s (${wanted}).${problem}`,
  );
  return isGood;
}

const product = await startProduct();
const browser = await chromium.launch({
  executablePath: getChromium(),
  // Chromium's own sandbox does not work for root.
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
let areGood = true;
for (const journey of journeys) areGood = (await measure(browser, product.url, journey)) && areGood;
await browser.close();
await product.stop();
process.exitCode = areGood ? 0 : 1;
