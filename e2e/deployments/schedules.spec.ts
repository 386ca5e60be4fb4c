import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { deploy, deploymentPath } from "../drivers/deployments.ts";
import { fitsOnScreen } from "../drivers/fits-on-screen.ts";
import { address, test } from "../drivers/people.ts";
import { endSessions } from "../drivers/sessions.ts";

test.describe.configure({ timeout: 180_000 });
test.afterEach(({ context }) => endSessions(context));
test.use({ timezoneId: "America/New_York" });

const dialog = (page: Page) => page.getByRole("dialog");
const sentence = (page: Page) => page.getByTestId("schedule-sentence");
const row = (page: Page) => page.getByTestId("schedule");

test("a nightly schedule is made without cron, run, paused, changed and deleted", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await deploy(context);
  await page.goto(address(deploymentPath(made, "schedules")));
  await expect(page.getByRole("heading", { name: "No schedules" })).toBeVisible();
  await audit(page, "a deployment without schedules");

  await page.getByRole("button", { name: "New schedule" }).click();
  await dialog(page).getByLabel("Name").fill("Nightly tides");
  await expect(sentence(page)).toHaveText("At 02:30 every day (America/New_York)");
  await dialog(page).getByLabel("How often").selectOption("Every day from Monday to Friday");
  await dialog(page).getByLabel("Time", { exact: true }).fill("06:15");
  await expect(sentence(page)).toHaveText("At 06:15, Monday through Friday (America/New_York)");
  await expect(dialog(page).getByRole("list", { name: "Next times" }).getByRole("listitem")).toHaveCount(5);

  // A time zone is found by its city, with the keyboard alone.
  await dialog(page).getByRole("button", { name: "Time zone" }).press("Enter");
  await page.keyboard.type("berlin");
  await page.keyboard.press("Enter");
  await expect(sentence(page)).toHaveText("At 06:15, Monday through Friday (Europe/Berlin)");
  await expect(dialog(page).getByRole("list", { name: "Next times" })).toContainText("your time");
  await audit(page, "the form of a schedule", "[role=dialog]");

  await dialog(page).getByLabel("City").fill("Bergen");
  await dialog(page).getByRole("button", { name: "Make schedule" }).click();
  await expect(row(page)).toContainText("At 06:15, Monday through Friday (Europe/Berlin)");
  await expect(row(page)).toContainText("No call yet");

  await row(page).getByRole("button", { name: "Run now: Nightly tides" }).click();
  await expect(row(page).getByRole("link", { name: "Done" }).first()).toBeVisible({ timeout: 60_000 });
  await row(page).getByRole("button", { name: "Times of Nightly tides" }).click();
  await expect(row(page).getByRole("list", { name: "Earlier times" })).toContainText("Run by");
  await audit(page, "schedules of a deployment");

  await row(page).getByRole("button", { name: "Pause Nightly tides" }).click();
  await expect(row(page)).toContainText("None while it is paused.");
  await row(page).getByRole("button", { name: "Resume Nightly tides" }).click();
  await expect(row(page)).toContainText("Next");

  await row(page).getByRole("button", { name: "More for Nightly tides" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await expect(dialog(page).getByLabel("How often")).toHaveValue("weekdays");
  await expect(dialog(page).getByLabel("City")).toHaveValue("Bergen");
  await dialog(page).getByLabel("How often").selectOption("Every few minutes");
  await dialog(page).getByLabel("Minutes between two calls").fill("90");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(row(page)).toContainText("Every 90 minutes");

  await row(page).getByRole("button", { name: "More for Nightly tides" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No schedules" })).toBeVisible();
});

test("wrong times and wrong values are named, and nothing that was typed is lost", async ({
  page,
  context,
  person: _person,
}) => {
  const made = await deploy(context);
  await page.goto(address(deploymentPath(made, "schedules")));
  await page.getByRole("button", { name: "New schedule" }).click();
  await dialog(page).getByLabel("Name").fill("Wrong");
  await dialog(page).getByLabel("How often").selectOption("By a cron expression");
  const cron = dialog(page).getByLabel("Cron expression");
  await cron.fill("0 0 30 2 *");
  await expect(dialog(page)).toContainText("This cron expression names a day that never comes.");
  await dialog(page).getByRole("button", { name: "Make schedule" }).click();
  await expect(dialog(page).getByRole("alert")).toContainText("names a day that never comes");
  await cron.fill("60 * * * *");
  await expect(dialog(page)).toContainText("This cron expression cannot be understood.");
  await expect(dialog(page).getByLabel("Name")).toHaveValue("Wrong");
  await cron.fill("*/5 * * * *");
  await expect(sentence(page)).toHaveText("Every 5 minutes (America/New_York)");
});

test("schedules fit a phone, in the dark", async ({ page, context, person: _person }) => {
  const made = await deploy(context);
  for (const [name, cron] of [
    ["Nightly", "30 2 * * *"],
    ["Hourly", "5 * * * *"],
  ])
    await context.request.post(address(`/api/v3/graphs/${made.graph}/deployment/schedules`), {
      data: { name, cron, timezone: "Europe/Berlin" },
    });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(address(deploymentPath(made, "schedules")));
  await expect(row(page)).toHaveCount(2);
  await audit(page, "schedules on a phone");
  await fitsOnScreen(page);
  await page.getByRole("button", { name: "New schedule" }).click();
  await expect(sentence(page)).toBeVisible();
  await audit(page, "the form of a schedule on a phone", "[role=dialog]");
  await fitsOnScreen(page);
});
