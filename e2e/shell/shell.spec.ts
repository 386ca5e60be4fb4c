import { expect, type Request } from "@playwright/test";

import { makeGraph } from "../drivers/canvas.ts";
import { address, signIn, stall, test } from "../drivers/people.ts";

test("S2-007 shows plain text at / that points to /designer", async ({ page, person: _person }) => {
  await page.goto(address("/"));
  await expect(page.getByText("Go to /designer to enter the IDE.")).toBeVisible();
});

test("S2-002 shows the top bar with its title on every designer route", async ({ page, person: _person }) => {
  const id = "0190a000-0000-7000-8000-000000000000";
  for (const [path, title] of [
    ["/designer", "Designer"],
    ["/designer/new", "Designer"],
    ["/designer/browse", "Designer"],
    [`/designer/projects/${id}`, "Designer"],
    [`/designer/projects/${id}/graphs/new`, "Designer"],
    ["/designer/processors", "Designer"],
    ["/designer/models", "Models"],
    ["/explorer", "Explorer"],
    ["/explorer/", "Explorer"],
    ["/explorer/a/b", "Explorer"],
    ["/account", "Account"],
    ["/account/billing", "Account"],
  ] as const) {
    await page.goto(address(path));
    await expect(page.getByTestId("bar-title")).toHaveText(title);
    await expect(page).toHaveTitle(new RegExp(title));
  }
});

test("S2-034 to S2-038 links the product name to the section root, in-app only when already there", async ({
  page,
  person: _person,
}) => {
  const link = page.getByTestId("top-bar").getByRole("link", { name: "Miranda" });
  for (const [path, href] of [
    ["/designer/new", "/designer/"],
    ["/explorer/x", "/explorer/"],
    ["/account", "/"],
  ] as const) {
    await page.goto(address(path));
    await expect(link).toHaveAttribute("href", href);
  }
  let documents = 0;
  page.on("request", (request) => {
    if (request.resourceType() === "document") documents++;
  });
  await page.goto(address("/designer/"));
  await expect(link).toBeVisible();
  documents = 0;
  await link.click();
  await page.waitForTimeout(300);
  expect(documents).toBe(0);
  await page.goto(address("/designer/new"));
  await expect(link).toBeVisible();
  documents = 0;
  await link.click();
  await expect(page).toHaveURL(address("/designer/"));
  await expect.poll(() => documents).toBe(1);
});

test("has every entry in the account menu, closes it on the overlay, and records a navigation", async ({
  page,
  context,
}) => {
  const person = await signIn(context);
  await page.route("**/api/v3/auth/?*", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { account: { credits: number } };
    body.account.credits = 12.9;
    await route.fulfill({ json: body });
  });
  await page.goto(address("/designer"));
  const button = page.getByTestId("account-avatar");
  const menu = page.getByTestId("account-menu");
  await button.click();
  await expect(menu).toBeVisible();
  await expect(menu).toContainText(`${person.firstName} Tester`);
  await expect(menu).toContainText(person.email);
  for (const [name, href] of [
    ["Designer", "/designer/"],
    ["Explorer", "/explorer/"],
    ["Your Processors", "/designer/processors"],
    ["Account", "/account"],
  ] as const) {
    await expect(menu.getByRole("link", { name, exact: true })).toHaveAttribute("href", href);
  }
  await expect(menu.getByRole("link")).toHaveCount(6);
  const usage = menu.getByRole("link", { name: /Usage/ });
  await expect(usage).toHaveAttribute("href", "/account/billing");
  await expect(usage).toContainText("12");
  await expect(usage).not.toContainText("12.");
  const documentation = menu.getByRole("link", { name: "Documentation" });
  await expect(documentation).toHaveAttribute("target", "_blank");
  await expect(documentation).toHaveAttribute("href", address("/docs"));
  await expect(menu.getByRole("link", { name: "Designer", exact: true })).toHaveAttribute("aria-current", "true");

  await button.click();
  await expect(menu).toHaveCount(0);
  await button.click();
  await page.mouse.click(20, 880);
  await expect(menu).toHaveCount(0);

  await button.click();
  await menu.getByRole("link", { name: "Explorer", exact: true }).click();
  await expect(page).toHaveURL(address("/explorer/"));
  const sinceNavigation = () =>
    page.evaluate(() => Math.abs(Date.now() - Number(localStorage.getItem("lastNavigation"))));
  await expect.poll(sinceNavigation).toBeLessThan(20_000);
});

test("links to projects, models, runs and apps on every page, also on a phone and by keyboard", async ({
  page,
  context,
  person: _person,
}) => {
  const sections = page.getByRole("navigation", { name: "Sections" });
  const current = sections.locator("[aria-current=page]");
  await page.goto(address("/designer"));
  await expect(current).toHaveText("Projects");
  for (const [name, path, heading] of [
    ["Models", "/designer/models", "Models"],
    ["Runs", "/designer/runs", "Runs"],
    ["Explorer", "/explorer/", "Apps"],
    ["Projects", "/designer/", "Your Projects"],
  ] as const) {
    await sections.getByRole("link", { name }).click();
    await expect(page).toHaveURL(address(path));
    await expect(page.getByRole("heading", { name: heading, exact: true }).first()).toBeVisible();
    await expect(current).toHaveText(name);
  }

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(sections).toBeHidden();
  const button = page.getByRole("button", { name: "Sections" });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(sections).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sections).toBeHidden();
  await expect(button).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(sections.getByRole("link", { name: "Models" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(address("/designer/models"));
  await expect(sections).toBeHidden();

  // In a workflow the bar names the workflow, and the sections are in the menu.
  await page.setViewportSize({ width: 1440, height: 900 });
  const { path } = await makeGraph(context);
  await page.goto(address(path));
  await expect(page.getByTestId("crumbs")).toBeVisible();
  await button.click();
  await expect(current).toHaveText("Projects");
  await sections.getByRole("link", { name: "Runs" }).click();
  await expect(page).toHaveURL(address("/designer/runs"));
});

test("S4-004 S4-005 closes a menu that a navigation kept open, and keeps it closed after an old navigation", async ({
  page,
  person: _person,
}) => {
  await page.goto(address("/designer"));
  await expect(page.getByTestId("bar-title")).toBeVisible();
  // The clock is paused, so the test decides when the 100 ms pass.
  await page.clock.install();
  await page.evaluate(() => localStorage.setItem("lastNavigation", String(Date.now())));
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.evaluate(() => localStorage.setItem("lastNavigation", String(Date.now() - 400)));
  await page.reload();
  await expect(page.getByTestId("account-menu")).toBeVisible();
  await page.clock.runFor(150);
  await expect(page.getByTestId("account-menu")).toHaveCount(0);
  await page.evaluate(() => localStorage.setItem("lastNavigation", String(Date.now() - 1_500)));
  await page.reload();
  await expect(page.getByTestId("account-avatar")).toBeVisible();
  await expect(page.getByTestId("account-menu")).toHaveCount(0);
});

test("S2-049 S4-006 S9-002 S9-003 shows the days left in the trial badge and links to billing", async ({
  page,
  person: _person,
}) => {
  let end: string | null = null;
  let trial = 1;
  await page.route("**/api/v3/auth/?*", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { account: Record<string, unknown> };
    Object.assign(body.account, { trial_end: end, trial });
    await route.fulfill({ json: body });
  });
  const badge = page.getByTestId("top-bar").getByRole("link", { name: /Trial ends/ });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  for (const [days, words] of [
    [5.5, "Trial ends in 5d"],
    [1.5, "Trial ends Today"],
    [2.01, "Trial ends in 2d"],
    [-3, "Trial ends Today"],
  ] as const) {
    end = inDays(days);
    await page.goto(address("/designer"));
    await expect(badge).toHaveText(words);
    await expect(badge).toHaveAttribute("href", "/account/billing");
    const image = words === "Trial ends Today" ? /gradient/ : /^none$/;
    await expect(badge).toHaveCSS("background-image", image);
  }
  for (const [nextTrial, nextEnd] of [
    [0, inDays(5)],
    [1, null],
  ] as const) {
    trial = nextTrial;
    end = nextEnd;
    const answered = page.waitForResponse(/\/api\/v3\/auth\/\?/);
    await page.goto(address("/designer"));
    await answered;
    await expect(page.getByTestId("account-avatar")).toBeVisible();
    await expect(badge).toHaveCount(0);
  }
});

test("S2-032 S2-048 shows no top bar on login and register, and no search when signed out", async ({ page }) => {
  for (const path of ["/login", "/register"]) {
    await page.goto(address(path));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByTestId("top-bar")).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Search" })).toHaveCount(0);
  }
});

test("S2-050 fades and shrinks the avatar while there is no username", async ({ page, person: _person }) => {
  const release = await stall(page, /\/api\/v3\/auth\/\?/);
  await page.goto(address("/designer"));
  const avatar = page.getByTestId("account-avatar");
  const look = () =>
    avatar.evaluate((element) => {
      const { opacity, scale } = getComputedStyle(element);
      return { faded: Number(opacity) < 1, shrunk: scale !== "none" && Number.parseFloat(scale) < 1 };
    });
  await expect.poll(look).toEqual({ faded: true, shrunk: true });
  await release();
  await expect.poll(look).toEqual({ faded: false, shrunk: false });
});

test("S2-014 loads a screen's code lazily, with a spinner meanwhile", async ({ page, person: _person }) => {
  await page.goto(address("/designer"));
  await expect(page.getByTestId("bar-title")).toBeVisible();
  const release = await stall(page, /\/designer\/assets\/graph-editor[^/]*\.js/);
  const id = "0190a000-0000-7000-8000-000000000000";
  await page.goto(address(`/designer/projects/${id}/graphs/${id}`));
  await expect(page.getByRole("status").first()).toBeVisible();
  await release();
});

test("S2-001 serves every asset of the page below /designer/", async ({ page, person: _person }) => {
  const paths: string[] = [];
  page.on("request", (request) => {
    if (["script", "stylesheet", "font", "image"].includes(request.resourceType()))
      paths.push(new URL(request.url()).pathname);
  });
  await page.goto(address("/designer"));
  await expect(page.getByTestId("bar-title")).toBeVisible();
  expect(paths.length).toBeGreaterThan(2);
  expect(paths.filter((path) => !path.startsWith("/designer/") && !path.startsWith("/api/"))).toEqual([]);
});

test("fits 390 px without horizontal scrolling", async ({ page, person: _person }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [
    "/designer",
    "/designer/new",
    "/designer/browse",
    "/designer/processors",
    "/designer/models",
    "/explorer",
    "/account",
    "/account/billing",
  ]) {
    await page.goto(address(path));
    await expect(page.getByTestId("bar-title")).toBeVisible();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), { message: path })
      .toBe(true);
  }
});

test("runs no inline script and violates no policy", async ({ page, person: _person }) => {
  const violations: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text());
  });
  await page.goto(address("/designer"));
  await expect(page.getByTestId("bar-title")).toBeVisible();
  await page.goto(address("/api/docs"));
  await expect(page.getByText("/api/v3/auth/register")).toBeVisible();
  expect(violations).toEqual([]);
});

test("loads at most 180 kB of JavaScript for the home screen", async ({ page, person: _person }) => {
  const scripts: Request[] = [];
  let isLater = false;
  page.on("request", (request) => {
    // The live connection is loaded a second after the screen. A slow machine may still load the screen then.
    isLater ||= request.url().includes("/live-notifications");
    if (request.resourceType() === "script" && !isLater) scripts.push(request);
  });
  await page.goto(address("/designer"));
  await expect(page.getByRole("heading", { name: "Your Projects" })).toBeVisible();
  await page.waitForLoadState("networkidle");
  const sizes = await Promise.all(scripts.map(async (request) => (await request.sizes()).responseBodySize));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(50_000);
  expect(total).toBeLessThanOrEqual(180_000);
});
