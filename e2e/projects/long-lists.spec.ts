import { type BrowserContext, expect, type Page } from "@playwright/test";

import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";

async function makeWorkflows(context: BrowserContext, project: string, name: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) await makeWorkflow(context, project, `${name} ${number}`);
}

/** Scrolls an element to its end until it shows the text. */
async function scrollTo(page: Page, area: ReturnType<Page["locator"]>, text: string): Promise<void> {
  await expect
    .poll(async () => {
      await area.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return page.getByText(text, { exact: true }).count();
    })
    .toBe(1);
}

test("loads a long project's workflows while scrolling, and finds an old one by the server", async ({
  page,
  context,
  person: _person,
}) => {
  const project = await makeProject(context, "Long project");
  await makeWorkflows(context, project, "Step", 130);
  await page.goto(address(`/designer/projects/${project}`));
  await expect(page.getByRole("heading", { name: "Workflows 130" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Step 130", exact: true })).toBeVisible();
  await scrollTo(page, page.locator("html"), "Step 1");
  await expect.poll(() => page.getByTestId("workflow-item").count()).toBeLessThan(80);

  await page.getByRole("searchbox", { name: "Filter workflows" }).fill("step 7");
  await expect(page.getByRole("heading", { name: "Workflows 11" })).toBeVisible();
  await expect(page.getByTestId("workflow-item")).toHaveCount(11);
  await page.getByRole("searchbox", { name: "Filter workflows" }).fill("100%");
  await expect(page.getByText("No workflow has “100%” in its name or description.")).toBeVisible();
  await page.getByRole("searchbox", { name: "Filter workflows" }).fill("step 1");
  await page.getByRole("link", { name: "Step 1", exact: true }).click();
  // The bar names a workflow that is not among the newest of its project.
  await expect(page.getByRole("banner").getByText("Step 1", { exact: true })).toBeVisible();
});

test("clones an old workflow: own ones come first, and scrolling loads more", async ({ page, context, person }) => {
  const source = await makeProject(context, `Store ${person.username}`);
  await makeWorkflows(context, source, "Jar", 70);
  const target = await makeProject(context, "Kitchen");
  await page.goto(address(`/designer/projects/${target}/graphs/new`));
  await page.getByRole("tab", { name: "Clone from Existing Project" }).click();
  await page.getByPlaceholder("Search for Workflows").fill(person.username);
  const list = page.getByRole("listbox", { name: "Workflows" });
  // Until the answer is there, the list shows the results of the empty search.
  await expect(list.getByText(`Store ${person.username}`).first()).toBeVisible();
  await expect(list).toHaveAttribute("aria-busy", "false");
  await expect(page.getByText("Your own come first. Scroll for more, or type more to narrow them.")).toBeVisible();
  await scrollTo(page, list, "Jar 1");
  await list.getByRole("option", { name: `Store ${person.username} > Jar 1`, exact: true }).click();
  await page.getByRole("button", { name: "Import Workflow" }).click();
  await expect(page).toHaveURL(new RegExp(`/designer/projects/${target}/graphs/[0-9a-f-]{36}$`));
});

test("says how many own projects there are, and shows more of them", async ({ page, context, person: _person }) => {
  for (let number = 1; number <= 30; number += 1) await makeProject(context, `Own ${number}`);
  await page.goto(address("/designer"));
  const own = page.getByRole("region", { name: "Your Projects" });
  await expect(own.getByText("30", { exact: true })).toBeVisible();
  await expect(own.getByTestId("project-card")).toHaveCount(24);
  await own.getByRole("button", { name: "Show more" }).click();
  await expect(own.getByTestId("project-card")).toHaveCount(30);
  await expect(own.getByRole("button", { name: "Show more" })).toHaveCount(0);
});

test("says that one letter searches only the newest projects", async ({ page, context, person }) => {
  await makeProject(context, `Mine ${person.username}`);
  await page.goto(address("/designer/browse?query=%25"));
  await expect(page.getByText("Type three letters to search all.")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search projects" }).fill("qqqqqq nothing");
  await expect(page.getByText("No project has “qqqqqq nothing” in its name.")).toBeVisible();
});

test("scrolls 300 members with only a few in the page, and finds one", async ({ page, context, person: _person }) => {
  const project = await makeProject(context, "Crowd");
  const members = Array.from({ length: 300 }, (_, index) => ({
    id: `0190a000-0000-7000-8000-${String(index).padStart(12, "0")}`,
    username: `crowd${String(index).padStart(4, "0")}`,
    email: "",
    first_name: "Crowd",
    last_name: `No. ${index}`,
    avatar: null,
    role: "viewer",
  }));
  await page.route(/\/members\?/, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const found = members.filter(({ last_name }) => last_name.includes(asked.get("query") ?? ""));
    const from = found.findIndex(({ username }) => username === asked.get("after")) + 1;
    const json = found.slice(from, from + Number(asked.get("limit")));
    return route.fulfill({ json, headers: from === 0 ? { "x-miranda-total": String(found.length) } : {} });
  });
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share Crowd" });
  await expect(dialog.getByText("300 members")).toBeVisible();
  await scrollTo(page, dialog.getByRole("list", { name: "Members" }).locator(".."), "@crowd0299");
  await expect.poll(() => dialog.getByTestId("member").count()).toBeLessThan(60);
  await dialog.getByRole("searchbox", { name: "Find a member" }).fill("No. 77");
  await expect(dialog.getByText("@crowd0077")).toBeVisible();
  await expect(dialog.getByText("1 member")).toBeVisible();
});
