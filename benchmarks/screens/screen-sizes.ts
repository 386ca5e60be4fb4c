import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { visitSize } from "../../e2e/drivers/visit-size.ts";
import { startBarePage } from "../measuring/bare-page.ts";
import { editorOf, openBrowser, signIn } from "../measuring/browser.ts";
import type { Measurement } from "../measuring/measurement.ts";
import { openProduct, type Product } from "../measuring/product.ts";

// Counts the JavaScript that a browser gets at its first visit of a screen, until the screen can be used and is at rest.
// Beside it the script of a bare page with xyflow.

const filesMost = 40;

interface Screen {
  name: string;
  path: string;
  /** What is only there when the screen can be used. */
  ready: string;
  /** In kilobytes. */
  budget: number;
}

async function screensOf(product: Product): Promise<Screen[]> {
  const node = await product.bench.node("from miranda import Node\n\n\nclass A(Node):\n    pass\n");
  const editor = editorOf(product);
  return [
    { name: "home", path: `${product.url}/designer/`, ready: "[data-testid=project-card]", budget: 180 },
    { name: "editor", path: editor, ready: "[data-testid=node]", budget: 400 },
    { name: "IDE", path: `${editor}/code/${node}`, ready: ".cm-content", budget: 500 },
  ];
}

async function bareBytes(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-bare-"));
  try {
    (await startBarePage("screens/bare-xyflow", folder)).close();
    let bytes = 0;
    for (const name of await readdir(join(folder, "assets")))
      if (name.endsWith(".js")) bytes += gzipSync(await readFile(join(folder, "assets", name)), { level: 9 }).length;
    return bytes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function screenSizes(): Promise<Measurement[]> {
  const bare = (await bareBytes()) / 1_000;
  const product = await openProduct({ MIRANDA_DEV: "false" });
  const browser = await openBrowser();
  try {
    const results: Measurement[] = [];
    for (const screen of await screensOf(product)) {
      const context = await signIn(browser, product);
      const { bytes, files } = await visitSize(await context.newPage(), screen.path, screen.ready);
      await context.close();
      const kilobytes = bytes / 1_000;
      results.push({
        name: `JavaScript of the ${screen.name}`,
        ours: `${kilobytes.toFixed(0)} kB in ${files} files`,
        bare: `xyflow ${bare.toFixed(0)} kB`,
        ratio: (kilobytes / bare).toFixed(2),
        budget: `<= ${screen.budget} kB in ${filesMost} files`,
        passes: kilobytes <= screen.budget && files <= filesMost,
        times: kilobytes / bare,
      });
    }
    return results;
  } finally {
    await browser.close();
    await product.close();
  }
}
