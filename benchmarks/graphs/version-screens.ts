/// <reference lib="dom" />
import type { Page } from "@playwright/test";
import pg from "pg";

import { versionsOf } from "../../server/testing/versions/versions.ts";
import { addNodes } from "../full/large-things.ts";
import { type Measurement, median, sized } from "../measuring/measurement.ts";
import { editorOf, openBrowser, signIn } from "../measuring/browser.ts";
import { openProduct, type Product } from "../measuring/product.ts";
import { stepCode } from "./step-code.ts";

// Opens the screens of versions of a workflow of 5,000 nodes in a browser, each beside the ordinary editor of the same
// workflow, from the address to the drawn canvas.

const nodeCount = sized(5_000, { tiny: 50 });
const rounds = sized(5);
/** How much longer than the editor a screen may take: a ratio and a fixed time in milliseconds. */
const budget = { ratio: 1.5, more: 500 } as const;

/** From the start of the navigation until the canvas is painted and the page is idle. */
async function open(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: "commit" });
  return page.evaluate(
    () =>
      new Promise<number>((drawn) => {
        const check = () => {
          if (!document.querySelector(".react-flow__node, [data-testid=far-layer]"))
            return requestAnimationFrame(check);
          // The browser has painted it two frames later.
          return requestAnimationFrame(() =>
            requestAnimationFrame(() => requestIdleCallback(() => drawn(performance.now()))),
          );
        };
        check();
      }),
  );
}

const changeAll = "update nodes set source_code = source_code || '# ' || metadata_id where graph_id = $1";

/** The address of each screen below the editor. Each time with new versions, which no browser has. */
function screensOf({ bench }: Product, node: number, pool: pg.Pool): Record<string, () => Promise<string>> {
  const { made } = versionsOf(bench.owner, bench.graphId);
  let count = 0;
  const next = async (): Promise<number | null> => {
    count += 1;
    await bench.owner.patch(`/api/v3/objects/${node}`, { name: `Name ${count}` });
    return (await made(`Version ${count}`)).number;
  };
  return {
    "the history at a version": async () => `/history?version=${await next()}`,
    "two versions that differ in one node": async () => `/compare?before=${await next()}&after=${await next()}`,
    "a version and now, all nodes differ": async () => {
      const version = await next();
      await pool.query(changeAll, [bench.graphId]);
      return `/compare?before=${version}&after=now`;
    },
  };
}

export async function versionScreens(): Promise<Measurement[]> {
  // With the built client, which the other benchmarks do not need.
  const product = await openProduct({ MIRANDA_DEV: "false" });
  const { bench, url } = product;
  const pool = new pg.Pool({ connectionString: product.databaseUrl, max: 1 });
  const browser = await openBrowser();
  try {
    const node = await bench.node(stepCode);
    await addNodes(pool, bench.graphId, node, nodeCount);
    await pool.query(changeAll, [bench.graphId]);
    await pool.query("vacuum analyze");
    const page = await (await signIn(browser, product)).newPage();
    const editor = editorOf(product);
    const results: Measurement[] = [];
    for (const [name, screen] of Object.entries(screensOf(product, node, pool))) {
      const times: Record<"editor" | "screen", number[]> = { editor: [], screen: [] };
      for (let round = -1; round < rounds; round += 1)
        for (const which of ["editor", "screen"] as const) {
          const address = editor + (which === "editor" ? "" : await screen());
          await page.goto(`${url}/designer/`);
          // Somebody changed it since: the browser has to read it again.
          await pool.query("update graphs set revision = revision + 1 where id = $1", [bench.graphId]);
          const time = await open(page, address);
          // The first round fills the caches of the browser and the database.
          if (round >= 0) times[which].push(time);
        }
      results.push(asResult(name, median(times.screen), median(times.editor)));
    }
    return results;
  } finally {
    await browser.close();
    await pool.end();
    await product.close();
  }
}

function asResult(name: string, ours: number, bare: number): Measurement {
  return {
    name: `open ${name}, ${nodeCount.toLocaleString()} nodes`,
    ours: `${ours.toFixed(0)} ms`,
    bare: `the editor ${bare.toFixed(0)} ms`,
    ratio: (ours / bare).toFixed(2),
    budget: `ratio ${budget.ratio} and ${budget.more} ms`,
    passes: ours <= bare * budget.ratio + budget.more,
  };
}
