import { expect, type Page } from "@playwright/test";

import { card, makeGraph, openEditor } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, label, makeProgram } from "../drivers/sessions.ts";

const hasPackageIndex = await fetch("https://pypi.org/simple/matplotlib/", {
  signal: AbortSignal.timeout(10_000),
}).then(
  ({ ok }) => ok,
  () => false,
);

test.skip(!hasPackageIndex, "The package index at pypi.org does not answer.");
test.afterEach(({ context }) => endSessions(context));
test.setTimeout(300_000);

/** The attack of R2: while one draws, the other does too. */
const draws = (title: string, line: string): string => `# /// script
# dependencies = ["matplotlib"]
# ///
import time
import matplotlib.pyplot as plt
from miranda import Node


class Draw(Node):
    cache = False

    def run(self):
        plt.figure()
        plt.title("${title}")
        time.sleep(0.3)
        plt.plot(${line})
        self.show(plt.gcf())
`;

const code = (source: string) => ({ cell_type: "code", metadata: {}, outputs: [], execution_count: 1, source });
const notebook = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [
    code("import matplotlib.pyplot as plt\nrows = [1, 4, 2, 8]"),
    code("plt.scatter(range(4), rows)\nplt.xlabel('day')\nplt.show()"),
    code("model = sum(rows) / len(rows)"),
    code("fig, ax = plt.subplots()\nax.plot(rows)\nax.set_title('heights')\nplt.show()"),
    code("print(model)"),
    code("plt.figure()\nplt.plot([model] * 4)\nplt.show()"),
  ],
});

/** The pictures that a node shows, as the browser draws them. */
async function pictures(page: Page, node: string): Promise<string[]> {
  await card(page, node)
    .getByTestId("node-output")
    .getByRole("button", { name: `Output of ${node}` })
    .click();
  const images = page.getByRole("dialog").locator("img");
  await expect(images.first()).toBeVisible();
  const found = await images.evaluateAll((all) =>
    all.map((one) => {
      const image = one as HTMLImageElement;
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      return canvas.toDataURL();
    }),
  );
  await page.keyboard.press("Escape");
  return found;
}

async function run(page: Page): Promise<void> {
  await runButton(page).click();
  await expect(label(page)).toContainText("Ready", { timeout: 200_000 });
}

test("R2 two nodes that draw at once show their own pictures, as they do one after the other", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await makeProgram(context, draws("up", "[1, 2, 3]"), draws("down", "[3, 2, 1]"));
  await giveToken(context);
  await openEditor(page, path);
  await run(page);
  const together = [await pictures(page, "Step 1"), await pictures(page, "Step 2")];
  expect(together.flat()).toHaveLength(2);
  expect(together[0]).not.toEqual(together[1]);
  for (const [at, node] of ["Step 1", "Step 2"].entries()) {
    await card(page, node).click({ button: "right" });
    await page.getByRole("menuitem", { name: /Run this node/ }).click();
    await expect(card(page, node).getByTestId("node-run-chip")).toHaveAttribute("data-status", "done");
    await expect(label(page)).toContainText("Ready", { timeout: 60_000 });
    expect(await pictures(page, node)).toEqual(together[at]);
  }
});

test("R3 a notebook of six cells shows the three pictures that it drew", async ({ page, context, person: _person }) => {
  const { path } = await makeGraph(context);
  await giveToken(context);
  await openEditor(page, path);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "From a Python script or notebook" }).click();
  await (
    await chooser
  ).setFiles({ name: "heights.ipynb", mimeType: "application/json", buffer: Buffer.from(notebook) });
  await expect(page.getByTestId("node")).toHaveCount(1);
  await run(page);
  const shown = await pictures(page, "heights");
  expect(new Set(shown).size).toBe(3);
});
