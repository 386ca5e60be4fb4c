import { expect } from "@playwright/test";

import { card, openEditor, stored, viewRests } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { hit, load, report, sum } from "../drivers/running.ts";
import {
  endSessions,
  giveToken,
  label,
  makeProgram,
  openProcessor,
  storeBreakpoints,
  writeCode,
} from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

test("shows a run on the canvas: outputs, edge values, reasons, and links from log lines to nodes", async ({
  page,
  context,
  person: _person,
}) => {
  test.setTimeout(120_000);
  const { nodes, path, graph } = await makeProgram(context, load, sum, report.replace("lowest", "highest"));
  const [first = 0, second = 0, third = 0] = nodes;
  const edge = (from: number, out: string, to: number, into: string) =>
    context.request.post(address("/api/v3/objects/edges"), {
      form: { from_id: from, to_id: to, transmitter_key: out, receiver_key: into },
    });
  await edge(first, "rows", second, "rows");
  await edge(second, "total", third, "total");
  await writeCode(
    context,
    third,
    `from miranda import Node, Receiver


class Page:
    def _repr_html_(self):
        return '<b>bold</b><script>parent.document.title = "taken"</script><img src=x onerror="parent.hacked=1">'


class Report(Node):
    total = Receiver("number")

    def run(self):
        self.show(Page())
        print("reported")
`,
  );
  await giveToken(context);
  await openEditor(page, path);
  await expect(page.getByRole("button", { name: "Run", exact: true })).toBeVisible();

  // Run a part of it: up to the second node, from its menu.
  await card(page, "Step 2").click({ button: "right" });
  await page.getByRole("menuitem", { name: "Run up to here" }).click();
  await expect(page.getByTestId("log-lines")).toContainText("total is 66");
  // It is ready before the run, too.
  await expect(label(page)).toHaveText("Ready");
  await expect(card(page, "Step 3").getByTestId("node-run-chip")).toHaveCount(0);
  await expect(page.getByTestId("log-lines")).not.toContainText("reported");

  // The inspector says why the selected node would run.
  await card(page, "Step 3").click();
  await expect(page.getByTestId("why-run")).toHaveText("It has not run yet.");
  await page.keyboard.press("F5");
  await expect(page.getByTestId("log-lines")).toContainText("reported");
  await expect(page.getByTestId("why-run")).toHaveText("Nothing changed.");

  // HTML is shown in a frame in which no script runs.
  const frame = card(page, "Step 3").getByTestId("node-output").locator("iframe");
  await expect(frame).toHaveAttribute("sandbox", "");
  await expect(frame.contentFrame().locator("b")).toHaveText("bold");
  expect(await page.evaluate(() => [document.title.includes("taken"), "hacked" in window])).toEqual([false, false]);
  // The view moved the third node out from below its panel.
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await viewRests(page);
  await card(page, "Step 1").getByTestId("node-output").click();
  const dialog = page.getByRole("dialog", { name: "Output of Step 1" });
  await expect(dialog.getByRole("columnheader", { name: "port" })).toBeVisible();
  await expect(dialog.getByRole("cell", { name: "Dover" })).toBeVisible();
  await page.keyboard.press("Escape");

  // A click into a frame does not take Escape away from the dialog.
  await card(page, "Step 3").getByRole("button", { name: "Output of Step 3" }).click();
  const framed = page.getByRole("dialog", { name: "Output of Step 3" });
  await framed.locator("iframe").click();
  await expect(framed).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(framed).toHaveCount(0);

  // An edge shows the kind and size of its last value on hover, and a sample on click.
  const line = page.getByTestId("edge").first().locator(".edge-touch");
  await line.hover({ force: true });
  await expect(page.getByTestId("edge-hint")).toHaveText("table · 12 rows × 1 column");
  await line.click({ force: true });
  const sample = page.getByTestId("edge-sample");
  await expect(sample).toContainText("Step 1 → Step 2");
  await expect(sample.getByRole("cell", { name: "11" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sample).toHaveCount(0);

  // Go from a log line to the node that printed it.
  const printed = page.getByTestId("log-line").filter({ hasText: "reported" });
  await printed.hover();
  await printed.getByRole("button", { name: "Go to Step 3" }).click();
  await expect(card(page, "Step 3")).toHaveAttribute("data-selected", "true");

  // A reload restores all of it.
  await page.reload();
  await expect(card(page, "Step 3").getByTestId("node-run-chip")).toBeVisible();
  // The view was still moving to the third node when the page reloaded, so its position is not known here.
  await page.keyboard.press("1");
  await expect(card(page, "Step 1").getByTestId("node-output")).toContainText("Brest");
  expect((await stored(context, graph)).nodes[third]?.status).toBe("done");
});

test("scales a drawing that has no size to the space it has", async ({ page, context, person: _person }) => {
  const { path } = await makeProgram(
    context,
    `from miranda import Node


class Drawing:
    def _repr_svg_(self):
        return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 48"><rect width="480" height="48"/></svg>'


class Draw(Node):
    def run(self):
        self.show(Drawing())
`,
  );
  await giveToken(context);
  await openEditor(page, path);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const picture = card(page, "Step 1").getByTestId("node-output").getByRole("img");
  await expect(picture).toBeVisible();
  expect((await picture.boundingBox())?.width).toBeGreaterThan(150);
  // Close the panel and show the whole graph: the view may have moved.
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await card(page, "Step 1").getByTestId("node-output").click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("img")).toBeVisible();
  expect((await dialog.getByRole("img").boundingBox())?.width).toBeGreaterThan(150);
});

test("runs and steps by F-keys, except in a dialog", async ({ page, context, person: _person }) => {
  const { nodes, path, graph } = await makeProgram(
    context,
    sum.replaceAll("self.rows", "[{'tide': 3}]").replace('    rows = Receiver("table")\n', ""),
  );
  const [node = 0] = nodes;
  await giveToken(context);
  await storeBreakpoints(page, graph, { [node]: [9] });
  await openEditor(page, path);
  let commands = 0;
  page.on(
    "request",
    (request) => (commands += /\/processor(\/run)?$/.test(request.url()) && request.method() === "POST" ? 1 : 0),
  );
  // The browser's default for this key is to reload the page.
  await page.evaluate(() => addEventListener("keydown", (event) => event.preventDefault()));
  await page.getByRole("button", { name: "Logs" }).click();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Type a command or search...").press("F5");
  await page.keyboard.press("Escape");
  await expect(page.getByPlaceholder("Type a command or search...")).toHaveCount(0);
  expect(commands).toBe(0);

  // F9 on the canvas: the node pauses at the start of its run method.
  await openProcessor(page);
  await page.getByRole("button", { name: "Clear all" }).click();
  await card(page, "Step 1").click();
  await page.keyboard.press("F9");
  await expect(page.getByRole("region", { name: "Breakpoints" })).toContainText("line 9");
  await page.keyboard.press("F5");
  await expect(hit(page)).toContainText("line 9");
  // Stepping works only once the page shows the pause.
  await expect(label(page)).toHaveText("Paused");
  await page.keyboard.press("F11");
  await expect(hit(page)).not.toContainText("line 9");
  // Stepping out of run leaves the node's code, so the run goes to its end.
  await page.keyboard.press("Shift+F11");
  await expect(page.getByTestId("log-lines")).toContainText("total is 3");
  await expect(label(page)).toHaveText("Ready");
  // Run past breakpoints.
  await page.keyboard.press("Control+F5");
  await expect(label(page)).toHaveText("Ready");
  await expect(hit(page)).toHaveCount(0);
  // Nothing is running, so there is nothing to interrupt.
  await page.keyboard.press("Shift+F5");
  await expect(label(page)).toHaveText("Ready");
});

test("asks for a plan at most once a second while the workflow is edited", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph, nodes } = await makeProgram(context, load);
  await giveToken(context);
  await openEditor(page, path);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(label(page)).toHaveText("Ready");
  await card(page, "Step 1").click();
  await expect(page.getByTestId("why-run")).toHaveText("Nothing changed.");
  let asked = 0;
  page.on("request", (request) => (asked += request.url().endsWith("/processor/plan") ? 1 : 0));
  const began = Date.now();
  for (let at = 1; at <= 40; at += 1) {
    const moved = await context.request.put(address(`/api/v3/designer/${graph}/nodes/${nodes[0]}`), {
      form: { position: JSON.stringify({ x: at, y: 80 }) },
    });
    expect(moved.status()).toBe(200);
  }
  await page.waitForTimeout(1_500);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - began) / 1_000));
});
