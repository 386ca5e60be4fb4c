import { expect } from "@playwright/test";

import { address, newPerson, password, signIn, stall, test } from "../drivers/people.ts";

test("registers, onboards, logs out, and returns to a deep link after login", async ({ page }) => {
  const person = newPerson("Grace");
  await page.goto(address("/designer"));
  await expect(page).toHaveURL(address(`/login?next=${encodeURIComponent(address("/designer"))}`));
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("First name").fill(person.firstName);
  await page.getByLabel("Last name").fill("Hopper");
  await page.getByLabel("Username").fill(person.username);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("alert")).toHaveText("Password needs at least 12 characters.");
  await expect(page.getByLabel("Username")).toHaveValue(person.username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();

  await expect(page).toHaveURL(address("/onboarding"));
  await expect(page.getByTestId("top-bar")).toHaveCount(0);
  await page.goto(address("/designer/models"));
  await expect(page).toHaveURL(address("/onboarding"));
  await page.goto(address("/onboarding/x"));
  await expect(page).toHaveURL(address("/onboarding/x"));
  await page.goto(address("/onboarding"));
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert")).toContainText("choose an industry and a role");
  await page.getByRole("group", { name: "Industry" }).getByText("Energy").click();
  await page.getByRole("group", { name: "Role" }).getByText("Engineer", { exact: false }).first().click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page).toHaveURL(/\/designer\/?$/);
  await page.reload();
  await expect(page.getByTestId("bar-title")).toHaveText("Designer");

  await page.getByTestId("account-avatar").click();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL(address("/login"));
  await expect
    .poll(() => page.evaluate(() => [localStorage.getItem("lastNavigation"), localStorage.getItem("lastSession")]))
    .toEqual([null, null]);

  const deep = address("/designer/processors?tab=1#here");
  await page.goto(deep);
  await expect(page).toHaveURL(address(`/login?next=${encodeURIComponent(deep)}`));
  await page.getByLabel("Username or e-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toHaveText("Wrong username or password.");
  await expect(page.getByLabel("Username or e-mail")).toHaveValue(person.email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(deep);
});

for (const next of [
  "https://evil.example/",
  "//evil.example/x",
  "/\\evil.example",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "\tjavascript:alert(1)",
  "http:evil.example",
]) {
  test(`never follows next=${JSON.stringify(next)} to another site`, async ({ page, context }) => {
    await signIn(context);
    let left = false;
    page.on("request", (request) => (left ||= new URL(request.url()).hostname.includes("evil")));
    await page.goto(address(`/login?next=${encodeURIComponent(next)}`));
    await expect(page.getByTestId("top-bar").or(page.getByTestId("router-error")).first()).toBeVisible();
    expect(new URL(page.url()).origin).toBe(address(""));
    expect(left).toBe(false);
  });
}

test("S2-027 redirects every page to the login when nobody is signed in", async ({ page }) => {
  const id = "0190a000-0000-7000-8000-000000000000";
  const graph = `/designer/projects/${id}/graphs/${id}`;
  for (const path of [
    "/",
    "/onboarding",
    "/designer",
    "/designer/new",
    "/designer/browse",
    `/designer/projects/${id}`,
    `/designer/projects/${id}/graphs/new`,
    graph,
    `${graph}/code`,
    `${graph}/code/5`,
    `${graph}/code/5/history`,
    `${graph}/code/5/history/7`,
    `/designer/projects/${id}/deployments/${id}`,
    "/designer/processors",
    `/designer/processors/${id}`,
    "/designer/models",
    "/explorer",
    "/explorer/",
    "/explorer/x/y",
    "/account",
    "/account/billing",
  ]) {
    await page.goto(address(path));
    await expect(page).toHaveURL(address(`/login?next=${encodeURIComponent(address(path))}`));
  }
});

test("S2-030 S4-002 shows a spinner until the session is known, and the app at once with a fresh cached session", async ({
  page,
  person,
}) => {
  const release = await stall(page, /\/api\/v3\/auth\/\?/);
  await page.goto(address("/designer"));
  await expect(page.getByRole("status").getByText("Loading")).toBeVisible();
  await release();
  await expect(page.getByTestId("bar-title")).toHaveText("Designer");
  // The session is stored after the page is drawn.
  const stored = () =>
    page.evaluate(() => JSON.parse(localStorage.getItem("lastSession") ?? "{}") as Record<string, unknown>);
  await expect.poll(async () => (await stored())["username"]).toBe(person.username);

  await stall(page, /\/api\/v3\/auth\/\?/);
  await page.reload();
  await expect(page.getByTestId("bar-title")).toHaveText("Designer");
});

test("S5-023 S5-024 discards an old or broken cached session", async ({ page, person: _person }) => {
  // A pending answer would store the session again.
  const answered = () => page.waitForResponse(/\/api\/v3\/auth\/\?/);
  const first = answered();
  await page.goto(address("/designer"));
  await first;
  await expect(page.getByRole("heading", { name: "Your Projects" })).toBeVisible();
  for (const fault of ["old", "garbage"]) {
    // The page writes the session after it is drawn. Changed before that, it would be written again.
    await expect.poll(() => page.evaluate(() => localStorage.getItem("lastSession"))).toContain("username");
    await page.evaluate((kind) => {
      const kept = JSON.parse(localStorage.getItem("lastSession") ?? "{}") as Record<string, unknown>;
      localStorage.setItem(
        "lastSession",
        kind === "garbage" ? "{{{" : JSON.stringify({ ...kept, login_time: Date.now() - 61_000 }),
      );
    }, fault);
    const release = await stall(page, /\/api\/v3\/auth\/\?/);
    await page.reload();
    await expect(page.getByRole("status").getByText("Loading")).toBeVisible();
    await expect.poll(() => page.evaluate(() => localStorage.getItem("lastSession"))).toBeNull();
    const again = answered();
    await release();
    await again;
    await expect(page.getByRole("heading", { name: "Your Projects" })).toBeVisible();
  }
});

test("S7-007 S7-008 fetches the session once per page load, with a new _rid each time", async ({
  page,
  person: _person,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/v3/auth/?")) asked.push(new URL(request.url()).searchParams.get("_rid") ?? "");
  });
  await page.clock.install();
  await page.goto(address("/designer"));
  await expect(page.getByTestId("bar-title")).toBeVisible();
  await page.clock.runFor(40_000);
  expect(asked).toHaveLength(1);
  await page.reload();
  await expect(page.getByTestId("bar-title")).toBeVisible();
  expect(new Set(asked).size).toBe(2);
});
