import { expect } from "@playwright/test";

import type { Visitor } from "./visitor.ts";

/** Fills the fields of the registration, going from one to the next with Tab. */
async function fillRegistration({ page, type }: Visitor, username: string): Promise<void> {
  await expect(page.getByLabel("First name")).toBeFocused();
  const fields = ["Ada", "Lovelace", username, `${username}@example.org`, "correct horse battery"];
  for (const [at, text] of fields.entries()) {
    if (at > 0) await page.keyboard.press("Tab");
    await type(text);
  }
}

/** From the address that `npm start` prints to the Designer, with an account. */
export async function register(visitor: Visitor, url: string, username: string): Promise<void> {
  const { page, click } = visitor;
  await page.goto(url);
  await click(page.getByRole("link", { name: "Create an account" }));
  await fillRegistration(visitor, username);
  await click(page.getByRole("button", { name: "Create account" }));
  await click(page.getByRole("button", { name: "Skip" }));
  await expect(page).toHaveURL(/\/designer\/?$/);
}

/** Opens the sample, runs it, sees its chart and its table, and opens its model. */
export async function runSample({ page, click }: Visitor): Promise<void> {
  await click(page.getByRole("link", { name: "Open Waste Water Management" }));
  await click(page.getByRole("button", { name: "Run", exact: true }));
  const output = (name: string) =>
    page.getByTestId("node-output").filter({ has: page.getByLabel(`Output of ${name}`) });
  await expect(output("Measured and predicted").locator("img").first()).toBeVisible({ timeout: 60_000 });
  await expect(output("Predictions").locator("iframe").contentFrame().getByText("120 rows")).toBeVisible({
    timeout: 60_000,
  });
  await click(page.getByTestId("made-models").getByRole("link", { name: "Basin level" }).first());
  await expect(page.getByRole("heading", { name: "Basin level" })).toBeVisible();
}
