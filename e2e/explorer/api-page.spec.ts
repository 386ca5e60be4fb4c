import { expect } from "@playwright/test";

import { deployTides } from "../drivers/apps.ts";
import { audit } from "../drivers/audit.ts";
import { fitsOnScreen } from "../drivers/fits-on-screen.ts";
import { address, test } from "../drivers/people.ts";

test.describe.configure({ timeout: 180_000 });

const table = { name: "harbour.csv", mimeType: "text/csv", buffer: Buffer.from("height\n1.5\n2.25\n") };

test("shows the call as code, makes it, and shows the answer", async ({ page, context, person: _person }) => {
  const app = await deployTides(context);
  await page.goto(address(`${app.path}/api`));
  const code = page.getByLabel("The request as code");
  await expect(code).toContainText(`curl '${address(`/api/v3/deployments/${app.name}/runs?wait=60`)}'`);
  const form = page.getByRole("form", { name: "Try it" });
  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByText("Place is required.")).toBeVisible();
  await expect(form.getByText("Measurements is required.")).toBeVisible();

  await form.getByLabel("Place").fill("it's a harbour");
  await form.locator("input[type=file]").setInputFiles(table);
  await expect(code).toContainText(`place=it'\\''s a harbour`);
  await expect(code).toContainText(`table=@"harbour.csv"`);
  await page.getByText("Python", { exact: true }).click();
  await expect(code).toContainText("import requests");
  await page.getByText("JavaScript", { exact: true }).click();
  await expect(code).toContainText("new FormData()");

  await form.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("200 OK")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByLabel("The answer")).toContainText('"state": "done"');
  await expect(page.getByText(address("/mcp"), { exact: true })).toBeVisible();
  await audit(page, "the API of an app");
  await page.getByRole("link", { name: "Show this run" }).click();
  await expect(page).toHaveURL(new RegExp(`${app.path}/runs/`));
});

test("fits a phone", async ({ page, context, person: _person }) => {
  const app = await deployTides(context);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(address(`${app.path}/api`));
  await expect(page.getByLabel("The request as code")).toBeVisible();
  await fitsOnScreen(page);
  await audit(page, "the API of an app on a phone");
});
