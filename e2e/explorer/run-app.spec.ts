import { expect, type Page, type Route } from "@playwright/test";
import { readFile } from "node:fs/promises";

import { callState, callTides, type DeployedApp, deployTides, fillTides, tides } from "../drivers/apps.ts";
import { audit } from "../drivers/audit.ts";
import { fitsOnScreen } from "../drivers/fits-on-screen.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";

test.describe.configure({ timeout: 180_000 });

const phone = { width: 390, height: 844 };

/** The files of forms that this browser keeps. */
function countKeptFiles(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const request = indexedDB.open("miranda form files");
        request.addEventListener("error", () => resolve(0));
        request.addEventListener("upgradeneeded", () => request.transaction?.abort());
        request.addEventListener("success", () => {
          const files = request.result.transaction("files").objectStore("files").count();
          files.addEventListener("success", () => {
            request.result.close();
            resolve(files.result);
          });
        });
      }),
  );
}

test("somebody who does not code runs an app on a phone, closes it in mid-run, and comes back to the result", async ({
  context: owner,
  browser,
  person: _owner,
}) => {
  const app = await deployTides(owner);
  const { context } = await newBrowser(browser);
  await signIn(context, newPerson("Mary"));
  const first = await context.newPage();
  await first.setViewportSize(phone);

  await first.goto(address("/explorer"));
  await first.getByRole("searchbox", { name: "Search apps" }).fill("Tide forecast");
  const card = first.getByTestId("app-card").filter({ has: first.locator(`a[href="${app.path}"]`) });
  await expect(card).toBeVisible();
  await fitsOnScreen(first);
  await card.getByRole("link", { name: "Tide forecast" }).click();
  await expect(first.getByRole("heading", { name: "Tide forecast", level: 1 })).toBeVisible();
  await fillTides(first, { patience: 60 });
  await fitsOnScreen(first);
  await first.getByRole("button", { name: "Run", exact: true }).click();
  await expect(first).toHaveURL(/\/runs\/[0-9a-f-]+$/);
  await expect(first.getByTestId("call-steps").getByText("Looking ahead")).toBeVisible();
  await expect(first.getByRole("progressbar", { name: "Waves" })).toBeVisible({ timeout: 60_000 });
  await expect(callState(first)).toHaveText("Running");
  await fitsOnScreen(first);
  const called = first.url();
  await first.close();

  const second = await context.newPage();
  await second.setViewportSize(phone);
  await second.goto(address("/explorer"));
  await second.getByRole("list", { name: "Recently used" }).getByRole("link", { name: "Tide forecast" }).click();
  await second.goto(called);
  await expect(callState(second)).toHaveText("Done", { timeout: 60_000 });
  const outputs = second.getByTestId("call-outputs");
  await expect(outputs.getByText("4.25", { exact: true }).first()).toBeVisible();
  // Without the types of columns.
  await expect(outputs.getByRole("columnheader", { name: "height" })).toHaveText("height");
  await fitsOnScreen(second);
  const download = second.waitForEvent("download");
  await outputs.getByRole("link", { name: /^Download/ }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("forecast.txt");
  expect(await readFile(await file.path(), "utf8")).toBe("Up to 4.25 m");
  await audit(second, "a result on a phone");
  await context.close();
});

test.describe("an app", () => {
  let app: DeployedApp;
  test.beforeEach(async ({ context, person: _person }) => {
    app = await deployTides(context);
  });

  test("names everything that is wrong at once, and keeps what was typed, also over a reload", async ({ page }) => {
    await page.goto(address(app.path));
    await page.getByLabel("Days").fill("many");
    await page.getByLabel("Patience, as a number").fill("500");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    for (const words of [
      "Place is required.",
      "Measurements is required.",
      /^Days must be a whole number/,
      /^Patience must be/,
    ])
      await expect(page.getByTestId("app-fields").getByText(words)).toBeVisible();
    await expect(page.getByLabel("Place")).toBeFocused();
    await expect(page).toHaveURL(address(app.path));
    await audit(page, "a form with problems");
    await page.getByLabel("Place").fill("Brest");
    await expect(page.getByText("Place is required.")).toHaveCount(0);
    await page.reload();
    await expect(page.getByLabel("Place")).toHaveValue("Brest");
    await expect(page.getByLabel("Days")).toHaveValue("many");
    await page.getByRole("button", { name: "Reset" }).click();
    await expect(page.getByLabel("Place")).toHaveValue("");
    await page.reload();
    await expect(page.getByLabel("Place")).toHaveValue("");
  });

  test("refuses a file of another type, and takes one that is dropped", async ({ page }) => {
    await page.goto(address(app.path));
    await page.getByLabel(/^Measurements/).setInputFiles({
      name: "tides.exe",
      mimeType: "application/x-dosexec",
      buffer: Buffer.from("MZ"),
    });
    await page.getByLabel("Place").fill("Brest");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.getByText(/^Measurements must be a file of this type/)).toBeVisible();
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["height\n7\n"], "dropped.csv", { type: "text/csv" }));
      return transfer;
    });
    await page.getByTestId("file-drop").dispatchEvent("drop", { dataTransfer: dropped });
    await expect(page.getByText("dropped.csv")).toBeVisible();
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect(callState(page)).toHaveText("Done", { timeout: 60_000 });
    await expect(page.getByTestId("call-outputs").getByText("7", { exact: true }).first()).toBeVisible();
  });

  test("keeps a chosen file over a reload until it is run, and says when it is gone", async ({ page }) => {
    await page.goto(address(app.path));
    await fillTides(page);
    await page.getByLabel(/^Measurements/).setInputFiles({ ...tides, name: "first.csv" });
    await page.getByLabel(/^Measurements/).setInputFiles(tides);
    await expect.poll(() => countKeptFiles(page)).toBe(1);
    await page.reload();
    await expect(page.getByText("tides.csv")).toBeVisible();
    await expect(page.getByLabel("Place")).toHaveValue("Brest");

    await page.evaluate(() => indexedDB.deleteDatabase("miranda form files"));
    await page.reload();
    await expect(page.getByText("This browser did not keep tides.csv. Choose it again.")).toBeVisible();
    await expect(page.getByLabel("Place")).toHaveValue("Brest");
    await page.getByLabel(/^Measurements/).setInputFiles(tides);
    await expect(page.getByText(/did not keep/)).toHaveCount(0);
    await expect.poll(() => countKeptFiles(page)).toBe(1);
    await page.reload();
    await expect(page.getByText("tides.csv")).toBeVisible();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(callState(page)).toHaveText("Done", { timeout: 60_000 });
    await expect.poll(() => countKeptFiles(page)).toBe(0);
    await page.goto(address(app.path));
    await expect(page.getByText("Choose a file or drop it here")).toBeVisible();
  });

  test("says how far a large file is", async ({ page, context }) => {
    await page.goto(address(app.path));
    await fillTides(page);
    const buffer = Buffer.from(`height\n${"4.25\n".repeat(200_000)}`);
    await page.getByLabel(/^Measurements/).setInputFiles({ ...tides, buffer });
    const network = await context.newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 250_000 };
    await network.send("Network.emulateNetworkConditions", slow);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.getByRole("progressbar", { name: "Sending files" })).toBeVisible();
    await expect(page.getByText(/^Sending files: [1-9]\d? %$/)).toBeVisible();
    await audit(page, "sending a file");
    await expect(callState(page)).toHaveText("Done", { timeout: 60_000 });
  });

  test("is cancelled while it runs", async ({ page }) => {
    await page.goto(address(app.path));
    await fillTides(page, { patience: 60 });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.getByRole("progressbar", { name: "Waves" })).toBeVisible({ timeout: 60_000 });
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(callState(page)).toHaveText("Stopped", { timeout: 30_000 });
    await expect(page.getByRole("button", { name: "Cancel" })).toHaveCount(0);
  });

  test("follows a run on after the connection was lost", async ({ page }) => {
    let lost = 0;
    await page.route(/\/events$/, (route) => (lost++ === 0 ? route.abort() : route.continue()));
    await page.goto(address(app.path));
    await fillTides(page, { patience: 20 });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(callState(page)).toHaveText("Done", { timeout: 60_000 });
    expect(lost).toBeGreaterThan(1);
  });

  test("stays done when an older answer comes late", async ({ page }) => {
    const held: Route[] = [];
    let followed = 0;
    page.on("request", (request) => (followed += request.url().endsWith("/events") ? 1 : 0));
    await page.route(/\/runs\/[0-9a-f-]+$/, (route) => void held.push(route));
    await page.goto(address(app.path));
    await fillTides(page);
    const made = page.waitForResponse(
      (answer) => answer.request().method() === "POST" && answer.url().endsWith("/runs"),
    );
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const older: unknown = await (await made).json();
    await expect(callState(page)).toHaveText("Done", { timeout: 60_000 });
    await expect.poll(() => held.length).toBeGreaterThan(0);
    for (const route of held) await route.fulfill({ json: older });
    await page.waitForTimeout(500);
    await expect(callState(page)).toHaveText("Done");
    // It was never taken for alive again.
    expect(followed).toBe(1);
  });

  test("makes one call when the answer to Run was lost and Run is pressed again", async ({ page, context }) => {
    let answered = 0;
    await page.route(/\/runs$/, async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const answer = await route.fetch();
      return answered++ === 0 ? route.abort() : route.fulfill({ response: answer });
    });
    await page.goto(address(app.path));
    await fillTides(page);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.getByRole("alert")).toContainText("cannot be reached");
    await expect(page.getByLabel("Place")).toHaveValue("Brest");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(callState(page)).toHaveText("Done", { timeout: 60_000 });
    const calls = await context.request.get(address(`/api/v3/deployments/${app.name}/runs`));
    expect(((await calls.json()) as { calls: unknown[] }).calls).toHaveLength(1);
  });

  test("keeps a history with inputs, and runs again with changed values", async ({ page, context }) => {
    await callTides(context, app.name, "Brest");
    await page.goto(address(app.path));
    await page.getByRole("navigation", { name: "App" }).getByRole("link", { name: "History" }).click();
    const row = page.getByTestId("call-row");
    await expect(row).toHaveCount(1);
    await expect(row).toContainText("Place: Brest");
    await expect(row).toContainText("tides.csv");
    await audit(page, "the history of an app");
    await page.getByLabel("Which runs").selectOption("Did not work");
    await expect(page.getByText("Nothing found")).toBeVisible();
    await page.getByLabel("Which runs").selectOption("All runs");
    await row.click();
    await expect(callState(page)).toHaveText("Done");
    await expect(page.getByLabel("Place")).toHaveValue("Brest");
    await expect(page.getByText("tides.csv")).toBeVisible();
    const before = page.url();
    await page.getByLabel("Place").fill("Dover");
    await page.getByRole("button", { name: "Run again" }).click();
    await expect(page).not.toHaveURL(before);
    await expect(callState(page)).toHaveText("Done", { timeout: 60_000 });
    await page.goto(address(`${app.path}/history`));
    await expect(row).toHaveCount(2);
    await expect(row.first()).toContainText("Place: Dover");
  });

  test("says what did not work in plain words, and is reported to the owner", async ({ page, browser }) => {
    const { context, page: mary } = await newBrowser(browser);
    await signIn(context, newPerson("Mary"));
    await mary.goto(address(app.path));
    await fillTides(mary, { place: "Atlantis" });
    await mary.getByRole("button", { name: "Run", exact: true }).click();
    await expect(callState(mary)).toHaveText("This did not work", { timeout: 60_000 });
    await expect(mary.getByTestId("call-reason")).toContainText("Reading your table");
    await expect(mary.getByTestId("call")).not.toContainText("ValueError");
    await expect(mary.getByRole("link", { name: "Open in Designer" })).toHaveCount(0);
    await mary.getByRole("button", { name: "Report to the owner" }).click();
    await mary.getByLabel("What did you expect?").fill("A city below the sea.");
    await audit(mary, "reporting", "[role=dialog]");
    await mary.getByRole("button", { name: "Send report" }).click();
    await expect(mary.getByText("Reported to the owner")).toBeVisible();
    await mary.reload();
    await expect(mary.getByText("Reported to the owner")).toBeVisible();
    await audit(mary, "a failed run");

    await page.goto(address("/designer"));
    await page.getByRole("button", { name: /^Notifications/ }).click();
    await expect(page.getByText("A city below the sea.")).toBeVisible();
    await context.close();
  });

  test("leads an editor from a failed run to the Designer", async ({ page, context }) => {
    const { id } = await callTides(context, app.name, "Atlantis");
    await page.goto(address(`${app.path}/runs/${id}`));
    await expect(page.getByRole("link", { name: "Open in Designer" })).toHaveAttribute(
      "href",
      `/designer/projects/${app.project}/graphs/${app.graph}?call=${id}`,
    );
  });
});
