import { expect, type Locator } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { startProduct } from "../drivers/product.ts";
import { address, newPerson, test } from "../drivers/people.ts";
import { endSessions } from "../drivers/sessions.ts";
import { register, runSample } from "../journey/first-minute.ts";
import { createVisitor } from "../journey/visitor.ts";

test.afterEach(({ context }) => endSessions(context));

test("registers from the front page, runs the sample, and gets a chart, a table and a model in six clicks", async ({
  page,
}) => {
  const visitor = createVisitor(page, 0);
  const { username } = newPerson("Ada");
  await register(visitor, address("/"), username);
  // One project of their own, which nobody else sees. Registration does not wait for it.
  await expect(page.getByTestId("project-card")).toHaveText([/Waste Water Management/], { timeout: 60_000 });
  await runSample(visitor);
  expect(visitor.clicks()).toBeLessThanOrEqual(6);
  // The model is saved after its metrics have arrived.
  const list = await page.request.get(address("/api/v3/models/?id=Basin+level"));
  const { json } = (await list.json()) as { json: { authors: string[] }[] };
  // The list has public models of other people too.
  const own = json.filter(({ authors }) => authors.includes(username));
  expect(own).toMatchObject([{ name: "Basin level", loss: expect.closeTo(317.46, 1) }]);
});

test("shows the tour once, ends it by Escape, Skip or a click elsewhere, and starts it again on request", async ({
  page,
}) => {
  const visitor = createVisitor(page, 0);
  await register(visitor, address("/"), newPerson("Grace").username);
  const tour = page.getByTestId("tour");
  await expect(page.getByRole("region", { name: "Start here" })).toBeVisible({ timeout: 60_000 });
  await audit(page, "home with a sample");
  await page.getByRole("link", { name: "Open Waste Water Management" }).click();
  await expect(tour).toContainText("Press Run");
  await audit(page, "the tour", "[data-testid=tour]");
  await page.keyboard.press("Escape");
  await expect(tour).toHaveCount(0);
  const sample = page.url();
  await page.reload();
  await expect(page.getByTestId("node")).toHaveCount(7);
  await expect(tour).toHaveCount(0);
  // It holds in another browser too, because the server remembers it.
  await page.evaluate(() => localStorage.clear());
  await page.goto(address("/designer"));
  await expect(page.getByTestId("project-card")).toHaveCount(1);
  await expect(page.getByRole("region", { name: "Start here" })).toHaveCount(0);

  const askAgain = async () => {
    await page.goto(address("/docs"));
    await page.getByRole("link", { name: "take the tour" }).click();
    await expect(tour).toContainText("Press Run");
    await expect(page).toHaveURL(sample);
  };
  await askAgain();
  await tour.getByRole("button", { name: "Skip" }).click();
  await expect(tour).toHaveCount(0);
  await askAgain();
  await page.getByTestId("graph-editor").click({ position: { x: 500, y: 500 } });
  await expect(tour).toHaveCount(0);

  await askAgain();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(tour).toContainText("See what it found", { timeout: 60_000 });
  // The log has opened below the canvas: the results that the tour speaks of must not be below it.
  const bottomOf = async (what: Locator) => ((box) => (box ? box.y + box.height : 0))(await what.boundingBox());
  const chart = page
    .getByTestId("node-output")
    .filter({ has: page.locator("img") })
    .last();
  const canvas = page.getByTestId("graph-editor");
  await expect.poll(async () => (await bottomOf(canvas)) - (await bottomOf(chart))).toBeGreaterThan(0);
  await tour.getByRole("button", { name: "Next" }).click();
  await expect(tour).toContainText("Keep the model");
  await tour.getByRole("button", { name: "Next" }).click();
  await expect(tour).toContainText("Share it");
  await tour.getByRole("button", { name: "Done" }).click();
  await expect(tour).toHaveCount(0);
});

test("offers the sample that needs no packages when those of iris cannot be installed", async ({ page, context }) => {
  test.setTimeout(180_000);
  const unreachable = "http://127.0.0.1:9/simple";
  const product = await startProduct({
    ...{ UV_DEFAULT_INDEX: unreachable, PIP_INDEX_URL: unreachable, PIP_FIND_LINKS: "" },
    ...{ UV_HTTP_RETRIES: "0", PIP_RETRIES: "0" },
  });
  try {
    const visitor = createVisitor(page, 0);
    await register(visitor, product.url, "ada");
    await page.getByRole("button", { name: /iris with scikit-learn/ }).click();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const exception = page.getByRole("region", { name: "Exception" });
    await expect(exception).toContainText("PackageError", { timeout: 90_000 });
    await exception.getByRole("button", { name: "Open the sample that needs no packages" }).click();
    await expect(page.getByTestId("node")).toHaveCount(7);
    await expect(page.getByTestId("tour")).toContainText("Press Run");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.getByTestId("made-models")).toContainText("Basin level", { timeout: 60_000 });
  } finally {
    await endSessions(context, product.url);
    await page.close();
    await product.stop();
  }
});
