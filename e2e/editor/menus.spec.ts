import { expect } from "@playwright/test";

import { address, test } from "../drivers/people.ts";
import { fakeJob, serveJobs } from "../drivers/sessions.ts";

test("closes a menu at once while its opening animation runs, and keeps it open when it is opened again", async ({
  page,
  person: _person,
}) => {
  await serveJobs(page, { queued: [], running: [fakeJob("RUNNING", { name: "Busy" })], errored: [], exited: [] });
  await page.goto(address("/designer/processors"));
  const trigger = page.getByRole("button", { name: "Menu of Busy" });
  // Faster than any hand: the keys arrive between two frames, before the menu's animation starts.
  const left = await trigger.evaluate(async (button) => {
    const press = () => button.dispatchEvent(new PointerEvent("pointerdown", { button: 0, bubbles: true }));
    const menus = () => document.querySelectorAll("[role=menu]");
    const animated = new Promise<void>((resolve) => {
      const watch = new MutationObserver(() => {
        const [menu] = menus();
        if (!menu || getComputedStyle(menu).animationName === "none") return;
        watch.disconnect();
        resolve();
      });
      watch.observe(document.body, { attributes: true, childList: true, subtree: true });
    });
    press();
    await animated;
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await Promise.resolve();
    const { length } = menus();
    press();
    return length;
  });
  expect(left).toBe(0);
  await page.waitForTimeout(400);
  await expect(page.getByRole("menuitem", { name: "Force Stop" })).toBeVisible();
});
