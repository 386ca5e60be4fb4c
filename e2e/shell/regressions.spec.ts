import { expect } from "@playwright/test";

import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";
import { address, password, signIn, test } from "../drivers/people.ts";
import { openProcessor } from "../drivers/sessions.ts";

// Small faults that people found while using the product. These tests keep them fixed.

test("asks to sign in at any unknown address, and offers to log out during onboarding", async ({ page, context }) => {
  await page.goto(address("/nonsense?x=1"));
  await expect(page).toHaveURL(`${address("/login")}?next=${encodeURIComponent(address("/nonsense?x=1"))}`);
  await signIn(context, undefined, false);
  await page.goto(address("/designer"));
  await expect(page).toHaveURL(address("/onboarding"));
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL(/\/login/);
});

test("opens a workflow under its own project only", async ({ page, context, person: _person }) => {
  const [tides, rivers] = [await makeProject(context, "Tides"), await makeProject(context, "Rivers")];
  const graph = await makeWorkflow(context, tides, "Forecast");
  for (const screen of ["", "/code", "/history"]) {
    await page.goto(address(`/designer/projects/${rivers}/graphs/${graph}${screen}`));
    await expect(page.getByText("This project has no such workflow")).toBeVisible();
    await expect(page.getByTestId("graph-editor")).toHaveCount(0);
  }
  await page.getByRole("link", { name: "Open it in its project" }).click();
  await expect(page).toHaveURL(address(`/designer/projects/${tides}/graphs/${graph}`));
  await expect(page.getByTestId("graph-editor")).toBeVisible();
});

test("adds a workflow on a phone: all tabs fit, a click draws no focus ring, and no search result looks chosen", async ({
  page,
  context,
  person: _person,
}) => {
  const project = await makeProject(context, "Tides", "# Tides\n\nPredicts **the level**.");
  await makeWorkflow(context, project, "Forecast", "Uses *harmonics*.");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(address("/designer"));
  await expect(page.getByTestId("project-description")).toHaveText("Tides Predicts the level.");
  await page.goto(address(`/designer/projects/${project}/graphs/new`));
  const tabs = page.getByRole("tab");
  await expect(tabs).toHaveCount(3);
  const ends = await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().right));
  expect(Math.max(...ends)).toBeLessThanOrEqual(390);

  await page.getByLabel("Name").fill("Typed before");
  const clone = page.getByRole("tab", { name: "Clone from Existing Project" });
  await clone.click();
  await expect(clone).toHaveCSS("outline-style", "none");
  const found = page.getByRole("option", { name: "Forecast" }).first();
  await expect(found).toContainText("Uses harmonics.");
  await page.mouse.move(0, 0);
  await expect(found).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  await found.click();
  await expect(found).not.toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  await expect(found).toHaveAttribute("aria-selected", "true");
});

test("asks for the password first when it makes a token, and shows one dialog at a time", async ({
  page,
  context,
  person: _person,
}) => {
  const project = await makeProject(context, "Tides");
  const graph = await makeWorkflow(context, project, "Forecast");
  // The server refuses the first two starts, also the one with the new token.
  let refusals = 2;
  await page.route(`**/api/v3/graphs/${graph}/processor`, (route) => {
    if (route.request().method() !== "POST" || refusals-- <= 0) return route.continue();
    return route.fulfill({ status: 403, body: "Invalid execution token." });
  });
  await page.goto(address(`/designer/projects/${project}/graphs/${graph}`));
  await openProcessor(page);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const ask = page.getByRole("dialog", { name: "Generate Token" });
  await expect(ask.getByLabel("Password", { exact: true })).toBeFocused();
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Token Generated" })).toBeVisible();
  await expect.poll(() => refusals).toBe(0);
  await expect(page.getByRole("dialog")).toHaveCount(1);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await expect(ask).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(1);
});
