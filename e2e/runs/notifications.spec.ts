import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { address, test } from "../drivers/people.ts";
import { endSessions } from "../drivers/sessions.ts";
import { bell, orderRun, program, readyProgram } from "../drivers/told-runs.ts";

test.describe.configure({ timeout: 150_000 });
test.afterEach(({ context }) => endSessions(context));

const panel = (page: Page) => page.getByRole("region", { name: "Notifications" });

test("tells who ran it in every tab, opens the run, and forgets what was read", async ({
  page,
  context,
  person: _person,
}) => {
  await page.goto(address("/account#notifications"));
  const settings = page.getByRole("region", { name: "Notifications" });
  await settings.getByLabel("Only about runs that take at least").fill("soon");
  await settings.getByRole("button", { name: "Save notifications" }).click();
  await expect(settings.getByRole("alert")).toHaveText("The seconds must be a number from 0 to 86400.");
  await settings.getByLabel("Only about runs that take at least").fill("0");
  await settings.getByLabel("A webhook of your project fails").uncheck();
  await settings.getByRole("button", { name: "Save notifications" }).click();
  await expect(page.getByText("Notifications saved.")).toBeVisible();
  await page.reload();
  await expect(settings.getByLabel("Only about runs that take at least")).toHaveValue("0");
  await expect(settings.getByLabel("A webhook of your project fails")).not.toBeChecked();
  await audit(page, "the settings of notifications", "#notifications");

  await page.goto(address("/designer"));
  const other = await context.newPage();
  await other.goto(address("/designer/browse"));
  await bell(page).click();
  await expect(panel(page)).toContainText("Nothing yet.");
  await audit(page, "no notifications", "header");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
  await expect(bell(page)).toBeFocused();

  const { graph } = await readyProgram(context, program("print('done')"));
  await orderRun(context, graph);
  await expect(bell(page)).toHaveAccessibleName("Notifications, 1 new");
  await expect(bell(other)).toHaveAccessibleName("Notifications, 1 new");
  await orderRun(context, graph);
  await expect(bell(other)).toHaveAccessibleName("Notifications, 2 new");

  await bell(other).click();
  await expect(panel(other).getByRole("listitem")).toHaveText([/ is done.*Run 2 took/, / is done.*Run 1 took/]);
  await audit(other, "notifications", "header");
  await panel(other).getByRole("link", { name: /Run 2/ }).click();
  await expect(other).toHaveURL(/\/designer\/runs\/[0-9a-f-]{36}$/);
  await expect(bell(page)).toHaveAccessibleName("Notifications, 1 new");

  await bell(page).click();
  await panel(page).getByRole("button", { name: "Mark all as read" }).click();
  await expect(bell(page)).toHaveAccessibleName("Notifications");
  await expect(bell(other)).toHaveAccessibleName("Notifications");
});

/** Records what the browser would show outside of the page. A headless browser shows nothing. */
async function recordShown(page: Page): Promise<void> {
  await page.addInitScript(() => {
    class Recorded extends EventTarget {
      static permission = "granted";
      constructor(title: string) {
        super();
        localStorage.setItem("shown", `${localStorage.getItem("shown") ?? ""}${title}\n`);
      }
      close() {}
    }
    Object.assign(window, { Notification: Recorded });
  });
}

const shown = (page: Page) => page.evaluate(() => localStorage.getItem("shown"));

/** The window goes to the background. A headless browser gives every page the focus. */
async function leave(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.hasFocus = () => false;
    dispatchEvent(new Event("blur"));
  });
}

test("shows one notification of the browser, only when no tab has the focus", async ({
  page,
  context,
  person: _person,
}) => {
  const settings = { run_ended: true, run_failed: true, budget_reached: true, webhook_failed: true, browser: true };
  const form = { ...settings, min_seconds: 0 };
  const saved = await context.request.put(address("/api/v3/accounts/notification-settings"), { form });
  expect(saved.status(), await saved.text()).toBe(200);
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await recordShown(tab);
    await tab.goto(address("/designer"));
    await expect(bell(tab)).toBeVisible();
  }
  const { graph } = await readyProgram(context, program("print('done')"));
  await orderRun(context, graph);
  // Its run must end, too, which takes a while on a busy machine.
  for (const tab of [page, other])
    await expect(bell(tab)).toHaveAccessibleName("Notifications, 1 new", { timeout: 45_000 });
  expect(await shown(page)).toBeNull();

  await leave(page);
  await leave(other);
  await orderRun(context, graph);
  for (const tab of [page, other]) await expect(bell(tab)).toHaveAccessibleName("Notifications, 2 new");
  await expect.poll(() => shown(page)).toMatch(/^.* is done\n$/);

  // The tab that was connected is closed: the other takes over, and misses nothing.
  await page.close();
  await orderRun(context, graph);
  await expect(bell(other)).toHaveAccessibleName("Notifications, 3 new");
});
