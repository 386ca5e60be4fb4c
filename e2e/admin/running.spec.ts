import { type BrowserContext, expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { newBrowser, newPerson, password, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";
import { endSessions } from "../drivers/sessions.ts";

// Closing the machine would keep the sessions of other journeys waiting, so this one starts its own installation.

let product: Product;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  product = await startProduct({ MIRANDA_ENGINE: "local" });
});
test.afterAll(() => product.stop());

async function register(context: BrowserContext, firstName: string): Promise<string> {
  const { username, email } = newPerson(firstName);
  const form = { username, email, first_name: firstName, last_name: "Tester", password };
  expect((await context.request.post(`${product.url}/api/v3/auth/register`, { form })).status()).toBe(200);
  await context.request.post(`${product.url}/api/v3/auth/onboarding`, { form: { industry: "", role: "" } });
  return username;
}

async function make(context: BrowserContext, path: string, form: Record<string, string>): Promise<string> {
  const answer = await context.request.post(`${product.url}/api/v3/${path}/`, { form });
  expect(answer.status(), await answer.text()).toBe(200);
  return ((await answer.json()) as { id: string }).id;
}

const tab = (page: Page, name: string) => page.goto(`${product.url}/account/admin/${name}`);

test("sees what runs, stops it with a reason, closes the machine, frees storage and sets prices", async ({
  page,
  context,
  browser,
}) => {
  test.setTimeout(180_000);
  await register(context, "Ada");
  const other = await newBrowser(browser);
  const ben = await register(other.context, "Ben");
  const project = await make(other.context, "projects", { name: "Tides", description: "" });
  const graph = await make(other.context, "graphs", { name: "Forecast", description: "", project_id: project });
  const processor = `${product.url}/api/v3/graphs/${graph}/processor`;
  const stateOf = async (): Promise<string> =>
    ((await (await other.context.request.get(processor)).json()) as { workflow_state: string }).workflow_state;
  await other.context.request.post(processor, { form: { tag: "1" } });
  await expect.poll(stateOf).toBe("READY");

  await tab(page, "sessions");
  const running = page.getByRole("list", { name: "Running sessions" });
  await expect(running.getByRole("listitem")).toContainText(["Forecast"]);
  await expect(running).toContainText(`${ben} pays`);
  await audit(page, "running sessions");
  await page.getByRole("searchbox").fill("nobody");
  await expect(page.getByText("No matching sessions")).toBeVisible();
  await page.getByRole("searchbox").fill(ben);
  await page.getByRole("button", { name: `Stop Forecast of ${ben}` }).click();
  const stop = page.getByRole("dialog", { name: "Stop Forecast" });
  await stop.getByRole("button", { name: "Stop session" }).click();
  await expect(stop).toContainText("A reason is required.");
  await stop.getByLabel("Reason").fill("Maintenance at noon");
  await stop.getByRole("button", { name: "Stop session" }).click();
  await expect(stop).toBeHidden();
  await expect.poll(stateOf).toBe("EXITED");
  await other.page.goto(`${product.url}/designer`);
  await other.page.getByRole("button", { name: /^Notifications/ }).click();
  await expect(other.page.getByText("An administrator stopped the session of Forecast")).toBeVisible();
  await expect(other.page.getByText("Maintenance at noon")).toBeVisible();

  await tab(page, "machines");
  const machine = page.getByRole("list", { name: "Machines" }).getByRole("listitem");
  await expect(machine).toContainText("Ready");
  await audit(page, "machines");
  await machine.getByRole("button", { name: "Close to new sessions" }).click();
  await page.getByLabel("Note").fill("New disk");
  await page.getByRole("button", { name: "Close machine" }).click();
  await expect(machine).toContainText("New disk");

  // Ben sees why his session waits, and leaves the queue.
  await other.context.request.post(processor, { form: { tag: "2" } });
  await other.page.goto(`${product.url}/designer/projects/${project}/graphs/${graph}`);
  const waiting = other.page.getByTestId("queue-notice");
  await expect(waiting).toContainText("No machine takes new sessions at the moment.");
  await waiting.getByRole("button", { name: "Leave the queue" }).click();
  await expect(waiting).toBeHidden();
  await expect.poll(stateOf).toBe("EXITED");

  await other.context.request.post(processor, { form: { tag: "3" } });
  await tab(page, "sessions");
  const queue = page.getByRole("list", { name: "Queue" });
  await expect(queue).toContainText("No machine takes new sessions at the moment.");
  await queue.getByRole("button", { name: `Remove Forecast of ${ben} from queue` }).click();
  await page.getByLabel("Reason").fill("Not today");
  await page.getByRole("dialog").getByRole("button", { name: "Remove from queue" }).click();
  await expect(page.getByText("Nobody waits.")).toBeVisible();
  expect(await stateOf()).toBe("EXITED");
  await tab(page, "machines");
  await machine.getByRole("button", { name: "Open to new sessions" }).click();
  await expect(machine).toContainText("Ready");

  await tab(page, "storage");
  await page.getByRole("button", { name: "Free up space of Tides" }).click();
  const free = page.getByRole("dialog", { name: "Free up space of Tides" });
  await free.getByLabel("Results, logs and files of sessions").selectOption("Any age");
  await free.getByRole("button", { name: "Delete Logs" }).click();
  await audit(page, "storage");
  await free.getByRole("button", { name: /^Delete .* of Logs$/ }).click();
  await expect(page.getByText(/^Logs: .* before, 0 B now\.$/)).toBeVisible();
  await expect(free).toContainText("Logs: 0 B of 0 B");

  await tab(page, "prices");
  await expect(page.getByLabel("Current prices")).toContainText("$0.50");
  await page.getByRole("button", { name: "Set prices" }).click();
  const prices = page.getByRole("dialog", { name: "Set prices" });
  await prices.getByLabel("Per core and hour").fill("-1");
  await prices.getByLabel("Start").fill(`${new Date().getFullYear() + 1}-01-01T00:00`);
  await prices.getByRole("button", { name: "Set prices" }).click();
  await expect(prices).toContainText("The price per core and hour must be a number from 0 to 10000");
  await prices.getByLabel("Per core and hour").fill("0.75");
  await prices.getByRole("button", { name: "Set prices" }).click();
  await expect(prices).toBeHidden();
  const list = page.getByRole("list", { name: "Prices" });
  await expect(list).toContainText("$0.75 per core");
  await audit(page, "prices");
  await other.page.goto(`${product.url}/account/billing`);
  await expect(other.page.getByText("$0.75 per core")).toBeVisible();
  await list.getByRole("button", { name: "Withdraw" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await expect(list).toContainText("Withdrawn");

  await other.page.goto(`${product.url}/account/admin/sessions`);
  await expect(other.page.getByText("Only an administrator may do this.")).toBeVisible();
  await endSessions(other.context, product.url);
  await other.context.close();
});
