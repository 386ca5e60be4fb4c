import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { openEditor } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";
import { endSessions, label } from "../drivers/sessions.ts";
import { bell, program, readyProgram } from "../drivers/told-runs.ts";

// A second costs a credit, so that a limit is reached soon.
let product: Product | undefined;
const usual = process.env["E2E_URL"];

test.describe.configure({ timeout: 180_000, mode: "serial" });
test.beforeAll(async () => {
  product = await startProduct({ MIRANDA_ENGINE: "local", MIRANDA_PRICE_HOUR: "3600" });
  process.env["E2E_URL"] = product.url;
});
test.afterAll(async () => {
  await product?.stop();
  if (usual) process.env["E2E_URL"] = usual;
});
test.afterEach(({ context }) => endSessions(context));

const banner = (page: Page) => page.getByRole("region", { name: "Limit reached" });
const endless = program("while True:", "    time.sleep(0.01)");

async function runWithLimit(page: Page, limit: string): Promise<void> {
  await page.getByRole("button", { name: "More ways to run" }).click();
  await page.getByRole("menuitem", { name: "Run with a limit…" }).click();
  const dialog = page.getByRole("dialog", { name: "Run with a limit" });
  await dialog.getByRole("button", { name: "Run" }).click();
  await expect(dialog).toContainText("Limit must be a number from 0.01");
  await dialog.getByLabel("Limit in $").fill(limit);
  await dialog.getByRole("button", { name: "Run" }).click();
}

test("pauses a run at its limit, tells its people, continues with more, and stops", async ({
  page,
  context,
  person: _person,
}) => {
  const { path } = await readyProgram(context, endless);
  await openEditor(page, path);
  await expect(label(page)).toHaveText("Ready");
  await runWithLimit(page, "3");
  await expect(banner(page)).toContainText(/This run has cost \$\d+\.\d\d of \$3\.00\./, { timeout: 30_000 });
  await expect(banner(page)).toContainText("Without an answer it stops in 30 minutes.");
  await expect(bell(page)).toHaveAccessibleName("Notifications, 1 new");
  await expect(page.getByRole("heading", { name: "Paused at its limit" })).toBeVisible();
  await audit(page, "a run that waits", "section[aria-label='Limit reached']");

  await banner(page).getByRole("button", { name: "Continue with $3.00 more" }).click();
  await expect(banner(page)).toHaveCount(0);
  await expect(banner(page)).toBeVisible({ timeout: 30_000 });
  // A page that is opened later asks too.
  await page.reload();
  await banner(page).getByRole("button", { name: "Stop" }).click();
  await expect(banner(page)).toHaveCount(0);
  await expect(label(page)).toHaveText("Ready");
});

test("refuses a run above the limit of the day, and says who can change it", async ({ page, context, person }) => {
  const { path, project } = await readyProgram(context, endless);
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "Limits" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("For all runs of a day").fill("-1");
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await expect(dialog.getByRole("alert")).toContainText("day_budget must be a number from 0.01");
  await dialog.getByLabel("For all runs of a day").fill("0.01");
  await audit(page, "the limits of a project", "[role=dialog]");
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await expect(page.getByText("Limits saved.")).toBeVisible();
  await openEditor(page, path);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText(`${person.firstName} Tester can change this limit.`).first()).toBeVisible();
});
