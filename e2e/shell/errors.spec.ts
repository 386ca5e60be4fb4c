import { expect, type Page } from "@playwright/test";

import { address, test } from "../drivers/people.ts";

/** Makes the account screen fail while it renders. */
async function breakAccount(page: Page): Promise<() => Promise<void>> {
  await page.route("**/api/v3/auth/access_tokens?*", (route) =>
    route.fulfill({ json: [{ id: 1, name: null, time_created: {}, last_used: {} }, null] }),
  );
  return () => page.unroute("**/api/v3/auth/access_tokens?*");
}

test("explains, shows details, copies them and tries again on the generic error screen", async ({
  page,
  context,
  person: _person,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const repair = await breakAccount(page);
  await page.goto(address("/account"));
  const screen = page.getByTestId("error-screen");
  await expect(screen.getByRole("heading", { name: "Oops! Something went wrong" })).toBeVisible();
  await expect(screen).toContainText("usually temporary and can be fixed by trying again or clearing the cache");
  await expect(screen.getByRole("link", { name: /@/ })).toHaveAttribute("href", /^mailto:/);
  await expect(page.getByTestId("error-details")).toHaveCount(0);
  await screen.getByRole("button", { name: "Show Details" }).click();
  // Our own files and lines, not the shortened names of the built page.
  await expect(page.getByTestId("error-details")).toContainText(/at web\/screens\/account\/tokens-section\.tsx:\d+/);
  const copy = screen.getByRole("button", { name: "Copy" });
  await copy.click();
  await expect(screen.getByRole("button", { name: "Copied!" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("at ");
  await expect(screen.getByRole("button", { name: "Copied!" })).toHaveCount(0, { timeout: 4_000 });
  await screen.getByRole("button", { name: "Hide Details" }).click();
  await expect(page.getByTestId("error-details")).toHaveCount(0);
  await repair();
  await screen.getByRole("button", { name: "Try Again" }).click();
  await expect(page.getByRole("heading", { name: "Account", level: 1 })).toBeVisible();
});

test("S8-003 to S8-005 clears caches and storage and reloads on Clear Cache", async ({ page, person: _person }) => {
  await breakAccount(page);
  await page.goto(address("/account"));
  await expect(page.getByTestId("error-screen")).toBeVisible();
  await page.evaluate(async () => {
    localStorage.setItem("kept", "1");
    sessionStorage.setItem("kept", "1");
    await (await caches.open("kept")).put("/x", new Response("x"));
  });
  const loaded = page.waitForEvent("load");
  await page.getByRole("button", { name: "Clear Cache" }).click();
  await loaded;
  expect(
    await page.evaluate(async () => [
      localStorage.getItem("kept"),
      sessionStorage.getItem("kept"),
      await caches.keys(),
    ]),
  ).toEqual([null, null, []]);
});

test("S8-006 only logs a copy that fails", async ({ page, person: _person }) => {
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  await breakAccount(page);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", {
      value: { writeText: () => Promise.reject(new Error("no clipboard")) },
    });
  });
  await page.goto(address("/account"));
  await page.getByRole("button", { name: "Show Details" }).click();
  await page.getByTestId("error-screen").getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => logged.some((line) => line.includes("could not be copied"))).toBe(true);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("S2-081 S2-082 opens the global modal with the stack on uncaught errors and rejections", async ({
  page,
  person: _person,
}) => {
  await page.goto(address("/designer"));
  await expect(page.getByTestId("bar-title")).toBeVisible();
  for (const cause of ["error", "rejection"]) {
    await page.evaluate((kind) => {
      const failure = new Error(`a stray ${kind}`);
      if (kind === "error")
        setTimeout(() => {
          throw failure;
        });
      else void Promise.reject(failure);
    }, cause);
    const modal = page.getByRole("dialog", { name: "Uh oh, something went wrong!" });
    await expect(modal).toContainText("Here's what we know:");
    await expect(modal).toContainText(`a stray ${cause}`);
    await modal.getByRole("button", { name: "Close", exact: true }).first().click();
    await expect(modal).toHaveCount(0);
  }
});

test("S2-031 shows the router's default screen when a screen cannot be loaded, also at the second try", async ({
  page,
  person: _person,
}) => {
  let tries = 0;
  await page.route("**/designer/assets/models-screen*.js", (route) => {
    tries += 1;
    return route.abort();
  });
  await page.goto(address("/designer/models"));
  await expect(page.getByRole("heading", { name: "Unexpected Application Error!" })).toBeVisible();
  expect(tries).toBe(2);
  const failure = page.getByTestId("router-error");
  await expect(failure).toContainText("Check your connection and reload the page.");
  await expect(failure).toContainText(
    "If Miranda was updated while this page was open, reloading gets the new version.",
  );
  await page.unroute("**/designer/assets/models-screen*.js");
  await failure.getByRole("button", { name: "Reload page" }).click();
  await expect(page.getByRole("heading", { name: "Models", level: 1 })).toBeVisible();
});

test("opens a screen although its code failed to load once", async ({ page, person: _person }) => {
  await page.goto(address("/designer"));
  await expect(page.getByTestId("bar-title")).toBeVisible();
  let tries = 0;
  await page.route("**/designer/assets/models-screen*.js", (route) => {
    tries += 1;
    return tries === 1 ? route.abort("connectionreset") : route.continue();
  });
  await page.goto(address("/designer/models"));
  await expect(page.getByRole("heading", { name: "Models", level: 1 })).toBeVisible();
  expect(tries).toBe(2);
});

test("opens a dialog although its code failed to load once, and offers to reload when it always fails", async ({
  page,
  person: _person,
}) => {
  const pattern = "**/designer/assets/search-dialog*.js";
  let fails = 1;
  await page.route(pattern, (route) => {
    fails -= 1;
    return fails >= 0 ? route.abort() : route.continue();
  });
  await page.goto(address("/designer"));
  await expect(page.getByRole("button", { name: "Search" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();

  fails = Number.POSITIVE_INFINITY;
  await page.reload();
  await expect(page.getByRole("button", { name: "Search" })).toBeVisible();
  await page.keyboard.press("Control+k");
  const failure = page.getByTestId("error-screen");
  await expect(failure).toContainText("A part of Miranda could not be loaded.");
  await page.unroute(pattern);
  await failure.getByRole("button", { name: "Reload page" }).click();
  await expect(page.getByRole("button", { name: "Search" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("S2-194 shows text when the root element is missing", async ({ page }) => {
  await page.route("**/login", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace('id="root"', 'id="elsewhere"') });
  });
  await page.goto(address("/login"));
  await expect(page.locator("body")).toContainText("root");
});

test("S2-075 S4-007 warns Firefox users until they dismiss it, then not for 30 days", async ({ browser }) => {
  const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  await page.goto(address("/login"));
  const dialog = page.getByRole("dialog", { name: "Your browser is unsupported" });
  await expect(dialog).toContainText("optimised for Safari and Chromium-based browsers");
  await page.reload();
  await dialog.getByRole("button", { name: "Continue Anyways" }).click();
  await expect(dialog).toHaveCount(0);
  for (const [days, shown] of [
    [29, 0],
    [31, 1],
  ] as const) {
    // Move the stored day back instead of the clock forward: the page runs in real time.
    await page.evaluate((ago) => {
      localStorage.setItem("firefoxWarningDismissed", String(Date.now() - ago * 86_400_000));
    }, days);
    await page.reload();
    await expect(page.getByText("Username or e-mail")).toBeVisible();
    await expect(dialog).toHaveCount(shown);
  }
  await context.close();
});
