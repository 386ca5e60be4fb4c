import { expect } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { address, test } from "../drivers/people.ts";
import { endSessions, giveToken, makeProgram } from "../drivers/sessions.ts";
import { bell, program } from "../drivers/told-runs.ts";

test.describe.configure({ timeout: 150_000 });
test.afterEach(({ context }) => endSessions(context));

test("says in the editor, the list, the page, the notification and billing how long a run took and what it cost, in the same words (R14)", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, graph, nodes } = await makeProgram(context, program("time.sleep(1.5)"));
  await giveToken(context);
  const saved = await context.request.put(address("/api/v3/accounts/notification-settings"), {
    form: { min_seconds: "0" },
  });
  expect(saved.status(), await saved.text()).toBe(200);

  // Run also starts the session. The run has waited for it, and that is no part of how long it took.
  await page.goto(address(`${path}/code/${nodes[0]}`));
  await page.getByTestId("code-ide").getByRole("button", { name: "Run", exact: true }).click();
  const state = page.getByTestId("run-state");
  await expect(state).toHaveAttribute("data-state", "done", { timeout: 60_000 });
  await expect(bell(page)).toHaveAccessibleName("Notifications, 1 new", { timeout: 30_000 });
  await bell(page).click();
  const news = page.getByRole("region", { name: "Notifications" }).getByRole("listitem");
  await expect(news).toHaveText(/Run 1 took .+ and cost .+\./);
  const [, took = "", cost = ""] =
    /Run 1 took (.+) and cost (.+?)\.(?!\d)/.exec((await news.textContent()) ?? "") ?? [];
  expect(took).toMatch(/^\d+\.\d s$/);
  expect(cost).toMatch(/^(?:< )?\$\d\.\d+$/);
  await page.keyboard.press("Escape");

  await expect(state).toHaveText(`Ran in ${took} · ${cost}`);
  await expect(state).toHaveAttribute("title", /^Open the run\. Waited .+ for its session\.$/);
  // Also for whoever opens the workflow later.
  await page.reload();
  await expect(state).toHaveText(`Ran in ${took} · ${cost}`);

  await page.goto(address(`/designer/runs?graph=${graph}`));
  const row = page.getByTestId("run");
  await expect(row.getByTestId("run-duration")).toHaveText(took);
  await expect(row).toContainText(cost);
  await row.getByRole("link").click();
  await expect(page.getByTestId("run-took")).toHaveText(took);
  const facts = page.getByRole("main").locator("dl").first();
  await expect(facts).toContainText(`Cost${cost}`);
  await expect(facts).toContainText(/Waited\d/);
  await audit(page, "a run that waited", "main");

  await page.goto(address("/account/billing"));
  await page.getByRole("list", { name: "Ledger" }).getByRole("button").first().click();
  const session = page.getByRole("dialog", { name: /^Session of/ });
  await expect(session.getByRole("list", { name: "Runs", exact: true })).toContainText(`${took} · ${cost}`);
});
