import { expect, type Page } from "@playwright/test";

import { makeGraph, makeNode } from "../drivers/canvas.ts";
import { address, signIn, test } from "../drivers/people.ts";

// What a browser that was never here loads for a screen. Whoever makes a screen larger changes a number here, and says why.

const screens = [
  { name: "home", ready: "[data-testid=project-card]", kilobytes: 245, files: 60 },
  { name: "editor", ready: "[data-testid=node]", kilobytes: 715, files: 190 },
  { name: "IDE", ready: ".cm-content", kilobytes: 755, files: 165 },
] as const;

async function visit(page: Page, path: string, ready: string): Promise<{ kilobytes: number; files: number }> {
  const devtools = await page.context().newCDPSession(page);
  const scripts = new Set<string>();
  let bytes = 0;
  devtools.on("Network.responseReceived", ({ requestId, type }) => type === "Script" && scripts.add(requestId));
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await devtools.send("Network.enable");
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.goto(path);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState("networkidle");
  await devtools.detach();
  return { kilobytes: Math.round(bytes / 1_000), files: scripts.size };
}

test("screens load no more files and no more code than before", async ({ context, page }) => {
  await signIn(context);
  const { path, graph } = await makeGraph(context);
  const node = await makeNode(context, graph, { name: "Load" });
  const paths = {
    home: address("/designer/"),
    editor: address(path),
    IDE: address(`${path}/code/${node.metadata_id}`),
  };
  for (const { name, ready, kilobytes, files } of screens) {
    const found = await visit(page, paths[name], ready);
    expect.soft(found.kilobytes, `kilobytes of ${name}`).toBeLessThanOrEqual(kilobytes);
    expect.soft(found.files, `files of ${name}`).toBeLessThanOrEqual(files);
  }
});
