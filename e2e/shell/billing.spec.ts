import { expect, type Page } from "@playwright/test";

import { audit } from "../drivers/audit.ts";
import { makeGraph, openEditor } from "../drivers/canvas.ts";
import { bookSession, bookUsage, endTrial } from "../drivers/database.ts";
import { address, newPerson, signIn, test } from "../drivers/people.ts";

const parts = (page: Page) => page.getByRole("list", { name: "Parts" });
const ledger = (page: Page) => page.getByRole("list", { name: "Ledger" });

test("shows what was spent by day, sets a budget, adds project credits, and says who pays", async ({
  page,
  context,
  browser,
  person,
}) => {
  const { path, project } = await makeGraph(context);
  await openEditor(page, path);
  await page.getByRole("button", { name: "More ways to run" }).click();
  await expect(page.getByText("You pay for sessions that you start.")).toBeVisible();
  await page.keyboard.press("Escape");
  await bookUsage(person.username, {
    project,
    projectName: "Tides",
    graphName: "Forecast",
    daysAgo: 2,
    amount: "0.004",
  });
  await bookUsage(person.username, {
    project,
    projectName: "Tides",
    graphName: "Forecast",
    daysAgo: 1,
    amount: "12.5",
  });
  await bookUsage(person.username, {
    project,
    projectName: "Tides",
    graphName: "Forecast",
    daysAgo: 500,
    amount: "3.25",
  });

  await page.goto(address("/account/billing"));
  await expect(page.getByText("Trial ends", { exact: true })).toBeVisible();
  await expect(parts(page)).toContainText("Tides");
  const day = page.getByRole("slider", { name: "Day" });
  await day.press("ArrowLeft");
  await expect(page.getByTestId("spent")).toContainText("$12.50");
  await page.getByLabel("Divided by").selectOption("kind");
  await expect(parts(page)).toContainText("Session");
  await expect(ledger(page)).toContainText("-$12.50");
  await expect(ledger(page)).toContainText("Trial credits");
  await page.getByLabel("Entries").selectOption("usage");
  await expect(ledger(page)).not.toContainText("Trial credits");
  await page.getByLabel("Entries").selectOption("Trial credits");
  await expect(ledger(page).getByRole("listitem")).toHaveText([/Trial credits.*\+\$100\.00/]);
  await page.getByLabel("Entries").selectOption("All usage");
  // To the nearest cent, as above: 12.504.
  await expect(page.getByText("Sum -$12.50")).toBeVisible();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "CSV" }).click()]);
  expect(file.suggestedFilename()).toBe("ledger.csv");

  // What is longer ago than a year.
  const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("Days", { exact: true }).selectOption("Other days");
  await page.getByLabel("From", { exact: true }).fill(dayBefore(600));
  await expect(page.getByRole("alert")).toContainText("at most 366 days");
  await page.getByLabel("To", { exact: true }).fill(dayBefore(700));
  await expect(page.getByRole("alert")).toHaveText("The first day is after the last.");
  await expect(page.getByText("Nothing in these days.")).toBeVisible();
  await page.getByLabel("To", { exact: true }).fill(dayBefore(400));
  await expect(ledger(page)).toContainText("-$3.25");
  await expect(page.getByTestId("spent")).toContainText("$3.25");
  await audit(page, "other days", "main");
  await page.getByLabel("Days", { exact: true }).selectOption("Last 30 days");
  await expect(page.getByText("Sum -$12.50")).toBeVisible();

  await page.getByRole("button", { name: "Set budget" }).click();
  const dialog = page.getByRole("dialog", { name: "Budget for a month" });
  await dialog.getByLabel("Amount in $").fill("-3");
  await dialog.getByRole("button", { name: "Save budget" }).click();
  await expect(dialog).toContainText("The amount must be a number above 0");
  await dialog.getByLabel("Amount in $").fill("500");
  await dialog.getByText("Warn", { exact: true }).click();
  await dialog.getByRole("button", { name: "Save budget" }).click();
  await expect(page.getByText("At 100 % you are told, and runs go on.")).toBeVisible();
  await audit(page, "billing");

  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "Spending" }).click();
  await expect(page.getByText("Spending of")).toBeVisible();
  await page.getByRole("button", { name: "Add credits" }).click();
  const fill = page.getByRole("dialog", { name: "Add project credits" });
  await fill.getByLabel("Credits").fill("7.25");
  await fill.getByRole("button", { name: "Add credits" }).click();
  await expect(page.getByTestId("project-credits")).toHaveText("$7.25");
  await expect(ledger(page)).toContainText("Credits added");
  await expect(page.getByText("Spent $12.50", { exact: true })).toBeVisible();
  await expect(page.getByText("Credits added $7.25", { exact: true })).toBeVisible();
  await page.getByText("The project", { exact: true }).click();
  await expect(page.getByRole("radio", { name: "The project" })).toBeChecked();
  await audit(page, "spending of a project");

  const other = await browser.newContext();
  const editor = await signIn(other, newPerson("Ben"));
  await context.request.post(address(`/api/v3/projects/${project}/members`), {
    form: { user: editor.username, role: "editor" },
  });
  const theirs = await other.newPage();
  await theirs.goto(address(`/designer/projects/${project}`));
  await theirs.getByRole("button", { name: "Project credits" }).click();
  await expect(theirs.getByText("The project pays for new sessions.")).toBeVisible();
  await theirs.getByRole("button", { name: "Add credits" }).click();
  await theirs.getByLabel("Credits", { exact: true }).fill("1000");
  await theirs.getByRole("dialog").getByRole("button", { name: "Add credits" }).click();
  await expect(theirs.getByRole("dialog")).toContainText("You do not have that many credits.");
  await theirs.getByLabel("Credits", { exact: true }).fill("1");
  await theirs.getByRole("dialog").getByRole("button", { name: "Add credits" }).click();
  await expect(theirs.getByTestId("project-credits")).toHaveText("$8.25");
  await other.close();

  await openEditor(page, path);
  await page.getByRole("button", { name: "More ways to run" }).click();
  await expect(page.getByText("The project pays for new sessions and has $8.25 left.")).toBeVisible();

  await endTrial(person.username);
  await page.goto(address("/account/billing"));
  await expect(page.getByText("Trial ended", { exact: true })).toBeVisible();
});

test("finds a project that is too small for the chart, and shows only its entries", async ({ page, person }) => {
  for (let number = 1; number <= 40; number++)
    await bookUsage(person.username, {
      project: crypto.randomUUID(),
      projectName: `Project ${number}`,
      graphName: `Forecast ${number}`,
      daysAgo: 3,
      amount: `${number / 100}`,
    });
  await page.goto(address("/account/billing"));
  await expect(parts(page)).toContainText("Project 40");
  await page.getByRole("button", { name: "All others..." }).click();
  const dialog = page.getByRole("dialog", { name: "Projects" });
  await expect(dialog.getByRole("option").first()).toContainText("Project 40");
  await audit(page, "parts of the spending");
  await dialog.getByRole("combobox", { name: "Find a project" }).fill("nobody's");
  await expect(dialog).toContainText("No match in these days.");
  await dialog.getByRole("combobox", { name: "Find a project" }).fill("project 2");
  await expect(dialog.getByRole("option")).toHaveCount(11);
  await dialog.getByRole("option", { name: "Project 2 $0.02" }).click();
  await expect(page.getByRole("button", { name: "Only Project 2 Remove" })).toBeVisible();
  await expect(ledger(page).getByRole("listitem")).toHaveCount(1);
  await expect(ledger(page)).toContainText("Forecast 2");
  await page.getByRole("button", { name: "Only Project 2" }).click();
  await expect(ledger(page).getByRole("listitem")).toHaveCount(25);
});

test("filters the chart and the ledger by the chosen part, and only the ledger by its own filter", async ({
  page,
  person,
}) => {
  const spent = { project: crypto.randomUUID(), projectName: "Tides", graphName: "Forecast", daysAgo: 2 };
  await bookUsage(person.username, { ...spent, amount: "1" });
  await bookUsage(person.username, { ...spent, amount: "2", source: "call" });
  await page.goto(address("/account/billing"));
  await expect(page.getByTestId("spent")).toContainText("$3.00");
  const entries = page.getByLabel("Entries");
  await entries.selectOption("Deployment calls");
  await expect(page.getByText("Sum -$2.00")).toBeVisible();
  await expect(page.getByTestId("spent")).toContainText("$3.00");

  await page.getByLabel("Divided by").selectOption("By kind");
  await parts(page).getByRole("button", { name: "Session" }).click();
  await expect(page.getByTestId("spent")).toContainText("$1.00");
  // Deployment calls are not among what is shown any more.
  await expect(entries.getByRole("option")).toHaveText(["All entries", "Sessions"]);
  await expect(page.getByText("Sum -$1.00")).toBeVisible();
  await entries.selectOption("Sessions");
  await entries.selectOption("All entries");
  await expect(page.getByTestId("spent")).toContainText("$1.00");
  await expect(page.getByText("Sum -$1.00")).toBeVisible();
  await page.getByRole("button", { name: "Only Session" }).click();
  await expect(page.getByTestId("spent")).toContainText("$3.00");
  await expect(ledger(page)).toContainText("Trial credits");
});

test("shows one person in one project, and removes each of the two filters alone", async ({
  page,
  person,
  browser,
}) => {
  const ben = await signIn(await browser.newContext(), newPerson("Ben"));
  const spent = { graphName: "Forecast", daysAgo: 2 };
  const [tides, reef] = [crypto.randomUUID(), crypto.randomUUID()];
  await bookUsage(person.username, { ...spent, project: tides, projectName: "Tides", amount: "1" });
  await bookUsage(person.username, { ...spent, project: tides, projectName: "Tides", amount: "2", by: ben.username });
  await bookUsage(person.username, { ...spent, project: reef, projectName: "Reef", amount: "4", by: ben.username });
  for (let number = 1; number <= 7; number++)
    await bookUsage(person.username, {
      ...{ ...spent, project: reef, projectName: "Reef", graphName: `Small ${number}`, amount: `${number / 100}` },
    });
  await page.goto(address("/account/billing"));
  await parts(page).getByRole("button", { name: "Tides" }).click();
  await expect(page.getByTestId("spent")).toContainText("$3.00");
  await page.getByLabel("Divided by").selectOption("By person");
  await parts(page).getByRole("button", { name: ben.username }).click();
  await expect(page.getByTestId("spent")).toContainText("$2.00");
  await expect(page.getByText("Sum -$2.00")).toBeVisible();
  await expect(page.getByText(`Only Tides · Only ${ben.username}`)).toBeVisible();
  await audit(page, "two filters", "main");
  await page.getByRole("button", { name: "Only Tides" }).click();
  await expect(page.getByTestId("spent")).toContainText("$6.00");
  await expect(page.getByText("Sum -$6.00")).toBeVisible();
  await page.getByRole("button", { name: `Only ${ben.username}` }).click();
  await expect(page.getByTestId("spent")).toContainText("$7.28");

  // The list of all parts has only those of the chosen project.
  await page.getByLabel("Divided by").selectOption("By project");
  await parts(page).getByRole("button", { name: "Reef" }).click();
  await page.getByLabel("Divided by").selectOption("By workflow");
  await page.getByRole("button", { name: "All others..." }).click();
  const dialog = page.getByRole("dialog", { name: "Workflows" });
  await expect(dialog.getByRole("option")).toHaveCount(8);
  await dialog.getByRole("option", { name: "Small 3 $0.03" }).click();
  await expect(page.getByRole("button", { name: "Only Reef" })).toBeVisible();
  await expect(page.getByTestId("spent")).toContainText("$0.03");
});

test("tells sessions of one day apart by their start, and shows what each sample cost", async ({
  page,
  context,
  person,
}) => {
  const { graph } = await makeGraph(context);
  const noon = new Date(Date.now() - 86_400_000);
  noon.setHours(12, 0, 0, 0);
  const times = [new Date(noon.getTime() + 300_000), new Date(noon.getTime() + 3_900_000)];
  for (const time of times) await bookSession(person.username, graph, time);
  await page.goto(address("/account/billing"));
  const sessions = ledger(page).getByRole("listitem").filter({ hasText: "Forecast" });
  await expect(sessions).toHaveText([/started 0?1:05 PM/, /started 12:05 PM/]);
  await sessions.first().getByRole("button").click();
  const dialog = page.getByRole("dialog", { name: "Session of Forecast" });
  await expect(dialog).toContainText(/Started.*1:05/);

  // The last column of the samples is in sight, also on a phone.
  await dialog.getByRole("button", { name: "Show samples" }).click();
  const cost = dialog.getByRole("cell", { name: "$0.000001234" }).last();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const [cell, panel] = [await cost.boundingBox(), await dialog.boundingBox()];
    expect((cell?.x ?? Infinity) + (cell?.width ?? 0)).toBeLessThanOrEqual((panel?.x ?? 0) + (panel?.width ?? 0) - 20);
    await audit(page, `samples at ${width} pixels`);
  }
});
