import { expect } from "@playwright/test";

import { callTides, deployTides } from "../drivers/apps.ts";
import { audit } from "../drivers/audit.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";

test.describe.configure({ timeout: 180_000 });

test("an empty gallery says what to do", async ({ page, person: _person }) => {
  await page.goto(address("/explorer?show=favourites"));
  await expect(page.getByText("No favourites yet")).toBeVisible();
  await page.getByRole("button", { name: "Show all apps" }).click();
  await page.getByRole("searchbox", { name: "Search apps" }).fill("xyzzy nothing");
  await expect(page.getByText("No app matches “xyzzy nothing”.")).toBeVisible();
  await audit(page, "an empty gallery");
  await page.goto(address("/explorer/no/such/page"));
  await expect(page.getByText("There is nothing here")).toBeVisible();
  await page.getByRole("link", { name: "See all apps" }).click();
  await expect(page.getByRole("heading", { name: "Apps", exact: true })).toBeVisible();
});

test("finds apps by words and tags, and keeps favourites and recently used ones", async ({
  page,
  context,
  person: _person,
}) => {
  const tag = `tag ${Date.now()}`;
  const app = await deployTides(context, { title: `Harbour ${Date.now()}`, tags: [tag] });
  const other = await deployTides(context, { title: `Quay ${Date.now()}` });
  const cardOf = (path: string) => page.getByTestId("app-card").filter({ has: page.locator(`a[href="${path}"]`) });

  await page.goto(address("/explorer"));
  await page.getByRole("searchbox", { name: "Search apps" }).fill("Harbour");
  await expect(cardOf(app.path)).toBeVisible();
  await expect(cardOf(other.path)).toHaveCount(0);
  // Tags of apps that the page has not loaded are offered as well.
  await page.getByRole("searchbox", { name: "Search apps" }).fill("Quay");
  await expect(cardOf(app.path)).toHaveCount(0);
  await page.getByRole("group", { name: "Filter" }).getByRole("button", { name: tag }).click();
  await expect(page.getByText("No app matches “Quay”.")).toBeVisible();
  await page.goto(address("/explorer?query=Harbour"));
  await expect(cardOf(app.path)).toBeVisible();
  await audit(page, "the gallery");
  await cardOf(app.path).getByRole("button", { name: tag }).click();
  await expect(page).toHaveURL(/tag=/);
  await expect(page.getByTestId("app-card")).toHaveCount(1);
  const star = cardOf(app.path).getByRole("button", { name: /^Favourite/ });
  const marked = page.waitForResponse(
    (answer) => answer.request().method() === "PUT" && answer.url().endsWith("/favourite"),
  );
  await star.click();
  await expect(star).toHaveAttribute("aria-pressed", "true");
  await marked;
  await page.goto(address("/explorer?show=favourites"));
  await expect(page.getByTestId("app-card")).toHaveCount(1);
  await expect(cardOf(app.path)).toBeVisible();
  await page.reload();
  await star.click();
  await expect(page.getByText("No favourites yet")).toBeVisible();

  await callTides(context, other.name);
  await page.goto(address("/explorer"));
  const recent = page.getByRole("list", { name: "Recently used" });
  await expect(recent.getByRole("link")).toHaveCount(1);
  await recent.getByRole("link").click();
  await expect(page).toHaveURL(address(other.path));
});

test("shows nobody an app that they may not use", async ({ context, browser, person: _person }) => {
  const app = await deployTides(context, { access: "project", title: `Private ${Date.now()}` });
  const { context: theirs, page } = await newBrowser(browser);
  await signIn(theirs, newPerson("Eve"));
  await page.goto(address("/explorer?query=Private"));
  await expect(page.getByText("Nothing found")).toBeVisible();
  await page.goto(address(app.path));
  await expect(page.getByText("You cannot use this app")).toBeVisible();
  await audit(page, "an app of others");
  await theirs.close();
});
