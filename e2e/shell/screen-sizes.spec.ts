import { expect } from "@playwright/test";

import { makeGraph, makeNode } from "../drivers/canvas.ts";
import { address, signIn, test } from "../drivers/people.ts";
import { visitSize } from "../drivers/visit-size.ts";

// What a browser that was never here loads for a screen. Whoever makes a screen larger changes a number here, and says why.

const screens = [
  { name: "home", ready: "[data-testid=project-card]", kilobytes: 232, files: 22 },
  { name: "editor", ready: "[data-testid=node]", kilobytes: 565, files: 38 },
  { name: "IDE", ready: ".cm-content", kilobytes: 645, files: 40 },
] as const;

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
    const found = await visitSize(page, paths[name], ready);
    expect.soft(found.bytes / 1_000, `kilobytes of ${name}`).toBeLessThanOrEqual(kilobytes);
    expect.soft(found.files, `files of ${name}`).toBeLessThanOrEqual(files);
  }
});
