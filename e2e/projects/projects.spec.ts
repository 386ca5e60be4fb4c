import { expect, type Page } from "@playwright/test";

import { address, newBrowser, newPerson, signIn, stall, test } from "../drivers/people.ts";
import { makeProject } from "../drivers/fixtures.ts";

const card = (page: Page, name: string) =>
  page.getByTestId("project-card").filter({ has: page.getByRole("link", { name, exact: true }) });

test("creates, edits and deletes a project", async ({ page, person: _person }) => {
  await page.goto(address("/designer"));
  await expect(page.getByRole("heading", { name: "Your Projects" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Followed Projects" })).toBeVisible();
  await expect(page.getByText("You are not following any projects.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Browse projects" })).toHaveAttribute("href", "/designer/browse");
  await expect(page.getByRole("link", { name: "Browse", exact: true })).toHaveAttribute("href", "/designer/browse");
  await page.getByRole("link", { name: "New Project" }).click();
  await expect(page).toHaveURL(address("/designer/new"));

  const create = page.getByRole("button", { name: "Create Project" });
  await expect(create).toBeDisabled();
  await expect(page.getByLabel("Project Name")).toHaveAttribute("placeholder", "Waste Water Management");
  const description = page.getByLabel("Project Description");
  await expect(description).toHaveAttribute("placeholder", "This project is about...");
  await expect(description).toHaveAttribute("rows", "2");
  await page.getByLabel("Project Name").fill("   ");
  await expect(create).toBeDisabled();
  await page.getByLabel("Project Name").fill("x".repeat(201));
  await description.fill(`**Bold** ${"word ".repeat(80)}`);
  await create.click();
  const alert = page.getByRole("alert");
  await expect(alert).toHaveText("Name can have at most 200 characters.");
  const red = await alert.evaluate((element) => getComputedStyle(element).color);
  expect(red).not.toBe(
    await page.getByRole("heading", { level: 1 }).evaluate((element) => getComputedStyle(element).color),
  );
  await expect(create).toBeEnabled();
  await expect(description).toHaveValue(/Bold/);

  await page.getByLabel("Project Name").fill("Tides");
  const release = await stall(page, "**/api/v3/projects", "POST");
  const releaseSlash = await stall(page, "**/api/v3/projects/", "POST");
  await create.click();
  await expect(create).toBeDisabled();
  await release();
  await releaseSlash();
  await expect(page).toHaveURL(/\/designer\/projects\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { name: "Tides", level: 1 })).toBeVisible();
  await expect(page.locator("strong", { hasText: "Bold" })).toBeVisible();
  await expect(page.getByText("No graphs yet")).toBeVisible();
  await expect(page.getByRole("link", { name: "Add Workflow" })).toHaveAttribute("href", /\/graphs\/new$/);

  await page.getByTestId("back-link").click();
  await expect(page).toHaveURL(address("/designer/"));
  await expect(card(page, "Tides")).toContainText("...");
  await expect(card(page, "Tides")).toContainText(`Bold ${"word ".repeat(80)}`.slice(0, 250).trimEnd());
  await card(page, "Tides").getByRole("button", { name: "Edit project" }).hover();
  await expect(page.getByRole("tooltip", { name: "Edit project" })).toBeVisible();
  await card(page, "Tides").getByRole("button", { name: "Edit project" }).click();
  const edit = page.getByRole("dialog", { name: "Edit Tides" });
  await expect(edit).toContainText("Edit the name and description of this project.");
  const save = edit.getByRole("button", { name: "Edit", exact: true });
  await edit.getByLabel("Name").fill(" ");
  await expect(save).toBeDisabled();
  await edit.getByLabel("Name").fill("Currents");
  await edit.getByLabel("Description").fill("Of the sea");
  const unstall = await stall(page, /\/api\/v3\/projects\/[0-9a-f-]{36}$/, "PATCH");
  await save.click();
  await expect(save).toBeDisabled();
  await unstall();
  await expect(edit).toHaveCount(0);
  await page.reload();
  await expect(card(page, "Currents")).toContainText("Of the sea");

  await card(page, "Currents").getByRole("button", { name: "Delete project" }).click();
  const remove = page.getByRole("dialog", { name: "Delete Currents" });
  await expect(remove).toContainText(
    "Are you sure you want to delete this project? All graphs associated with this project will also be deleted. This action cannot be undone.",
  );
  await remove.getByRole("button", { name: "Cancel" }).click();
  await expect(card(page, "Currents")).toBeVisible();
  await card(page, "Currents").getByRole("button", { name: "Delete project" }).click();
  await remove.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(card(page, "Currents")).toHaveCount(0);
});

test("shows three columns, whole and shortened descriptions, and follows optimistically when browsing", async ({
  page,
  browser,
  person: _person,
}) => {
  const other = await newBrowser(browser);
  const author = await signIn(other.context, newPerson("Mary"));
  const [whole, cut] = ["y".repeat(250), "z".repeat(251)];
  const tag = author.username;
  for (const [name, description] of [
    [`${tag} one`, whole],
    [`${tag} two`, cut],
    [`${tag} three`, ""],
  ] as const) {
    await makeProject(other.context, name, description);
  }
  await page.goto(address(`/designer/browse?query=${tag}`));
  await expect(page.getByTestId("project-card")).toHaveCount(3);
  await expect(card(page, `${tag} one`)).toContainText(whole);
  await expect(card(page, `${tag} two`)).toContainText(`${"z".repeat(160)}…`);
  await expect(card(page, `${tag} two`)).not.toContainText("z".repeat(161));
  await expect(card(page, `${tag} one`)).toContainText("By Mary");
  const tops = await page
    .getByTestId("project-card")
    .evaluateAll((cards) => cards.map((each) => each.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);

  const release = await stall(page, /\/tags/);
  const third = card(page, `${tag} three`);
  await third.getByRole("button", { name: "Follow", exact: true }).click();
  await expect(third.getByRole("button", { name: "Unfollow" })).toBeVisible();
  await expect(page).toHaveURL(/\/designer\/browse/);
  const followedNow = page.waitForResponse(/\/tags/);
  await release();
  await followedNow;
  await page.goto(address("/designer"));
  const followed = card(page, `${tag} three`);
  await expect(followed).toContainText("Mary");
  await expect(followed.getByRole("button", { name: "Edit project" })).toHaveCount(0);
  await expect(followed.getByRole("button", { name: "Delete project" })).toHaveCount(0);
  await followed.getByRole("link", { name: `${tag} three` }).click();
  const unfollowed = page.waitForResponse(/\/tags/);
  await page.getByRole("button", { name: "Unfollow" }).click();
  await unfollowed;
  await page.goto(address("/designer"));
  await expect(page.getByText("You are not following any projects.")).toBeVisible();
  await other.context.close();
});

test("scrolls 2,000 projects with only a few in the page", async ({ page, person: _person }) => {
  const projects = Array.from({ length: 2_000 }, (_, i) => ({
    id: `0190a000-0000-7000-8000-${String(i).padStart(12, "0")}`,
    metadata_id: i + 1,
    name: `Project ${i}`,
    description: "",
    following: false,
    created_by: { you: false, avatar: null, first_name: "Mary" },
    visibility: "public",
    access: "viewer",
  }));
  await page.route(/\/api\/v3\/projects\/browse/, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const from = projects.findIndex(({ id }) => id === asked.get("after")) + 1;
    const json = projects.slice(from, from + Number(asked.get("limit")));
    return route.fulfill({ json, headers: from === 0 ? { "x-miranda-total": "1000+" } : {} });
  });
  await page.goto(address("/designer/browse"));
  await expect(page.getByText("1,000+ projects")).toBeVisible();
  await expect(page.getByRole("link", { name: "Project 0", exact: true })).toBeVisible();
  for (let i = 0; i < 6; i++) await page.mouse.wheel(0, 3_000);
  await expect(page.getByRole("link", { name: "Project 0", exact: true })).toHaveCount(0);
  await expect.poll(() => page.getByTestId("project-card").count()).toBeLessThan(80);
});

test("makes a project private, invites an editor and a viewer, lets one leave, and transfers ownership", async ({
  page,
  browser,
  context,
  person: _person,
}) => {
  const [editor, viewer] = [await newBrowser(browser), await newBrowser(browser)];
  const eve = await signIn(editor.context, newPerson("Eve"));
  const vic = await signIn(viewer.context, newPerson("Vic"));
  const id = await makeProject(context, "Shared");
  await page.goto(address(`/designer/projects/${id}`));
  await page.getByRole("button", { name: "Share" }).click();
  const share = page.getByRole("dialog", { name: "Share Shared" });
  await share.getByText("Only its members can read it.").click();
  await share.getByLabel("Invite somebody").fill("nobody at all");
  await share.getByRole("button", { name: "Invite" }).click();
  await expect(share.getByRole("alert")).toHaveText("There is no account with that username or e-mail.");
  await expect(share.getByLabel("Invite somebody")).toHaveValue("nobody at all");
  await share.getByLabel("Invite somebody").fill(vic.email);
  await share.getByRole("button", { name: "Invite" }).click();
  await expect(share.getByText(`@${vic.username}`)).toBeVisible();
  await expect(share.getByLabel("Invite somebody")).toHaveValue("");
  await share.getByLabel("Invite somebody").fill(eve.username);
  await share.getByLabel("Role", { exact: true }).selectOption("editor");
  await share.getByRole("button", { name: "Invite" }).click();
  await expect(share.getByText(`@${eve.username}`)).toBeVisible();

  await viewer.page.goto(address(`/designer/projects/${id}`));
  await expect(viewer.page.getByRole("heading", { name: "Shared", level: 1 })).toBeVisible();
  await expect(viewer.page.getByRole("link", { name: "Add Workflow" })).toHaveCount(0);
  await expect(viewer.page.getByRole("button", { name: "Edit project" })).toHaveCount(0);
  await editor.page.goto(address(`/designer/projects/${id}`));
  await expect(editor.page.getByRole("link", { name: "Add Workflow" })).toBeVisible();
  await expect(editor.page.getByRole("button", { name: "Delete project" })).toHaveCount(0);

  await share.getByRole("button", { name: "Make Eve Tester the owner" }).click();
  await page.getByRole("dialog", { name: "Transfer ownership" }).getByRole("button", { name: "Transfer" }).click();
  await expect(page.getByText("Eve Tester is asked whether they take it.")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await editor.page.goto(address("/designer/"));
  const accept = editor.page.getByRole("button", { name: "Accept Shared" });
  await accept.click();
  await expect(accept).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("button", { name: "Members" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Edit project" })).toHaveCount(0);
  await editor.page.goto(address(`/designer/projects/${id}`));
  await expect(editor.page.getByRole("button", { name: "Delete project" })).toBeVisible();

  await viewer.page.getByRole("button", { name: "Members" }).click();
  await viewer.page.getByRole("button", { name: "Leave" }).click();
  await viewer.page.getByRole("dialog", { name: "Leave Shared" }).getByRole("button", { name: "Leave" }).click();
  await expect(viewer.page).toHaveURL(address("/designer/"));
  await viewer.page.goto(address(`/designer/projects/${id}`));
  await expect(viewer.page.getByText("Project not found")).toBeVisible();
  await editor.context.close();
  await viewer.context.close();
});

test("S2-116 S7-005 shows a spinner while it loads and a way out when it fails, and refreshes every 15 s", async ({
  page,
  context,
  person: _person,
}) => {
  const id = await makeProject(context, "Slow");
  const release = await stall(page, new RegExp(`/api/v3/projects/${id}$`));
  await page.goto(address(`/designer/projects/${id}`));
  await expect(page.getByRole("status").first()).toBeVisible();
  await release();
  await expect(page.getByRole("heading", { name: "Slow", level: 1 })).toBeVisible();

  await page.route(/\/api\/v3\/projects\/?(\?|$)/, (route) =>
    route.fulfill({ status: 503, body: "The sea is rough." }),
  );
  await page.clock.install();
  await page.goto(address("/designer"));
  await page.clock.runFor(10_000);
  await expect(page.getByText("The sea is rough.")).toBeVisible();
  await page.unroute(/\/api\/v3\/projects\/?(\?|$)/);
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/v3/projects/following")) asked++;
  });
  await page.clock.runFor(15_500);
  await expect.poll(() => asked).toBeGreaterThanOrEqual(1);
});

test("S5-015 S5-016 renders no address from Markdown that could run code", async ({
  page,
  context,
  person: _person,
}) => {
  const description = [
    "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](vbscript:x) [d](data:text/html,<script>alert(1)</script>)",
    "![e](javascript:alert(1)) ![f](vbscript:x) ![g](data:text/html;base64,PHNjcmlwdD4=)",
    "<img src=x onerror=alert(1)> <script>alert(1)</script> <a href='javascript:alert(1)'>h</a>",
    "[ok](https://example.org) | a | b |",
  ].join("\n\n");
  const id = await makeProject(context, "Hostile", description);
  let alerted = false;
  page.on("dialog", (dialog) => {
    alerted = true;
    void dialog.dismiss();
  });
  await page.goto(address(`/designer/projects/${id}`));
  await expect(page.getByRole("link", { name: "ok" })).toHaveAttribute("href", "https://example.org");
  const addresses = await page.evaluate(() =>
    [...document.querySelectorAll("main [href], main [src]")].map(
      (element) => element.getAttribute("href") ?? element.getAttribute("src") ?? "",
    ),
  );
  expect(addresses.filter((each) => /script:|data:text/i.test(each))).toEqual([]);
  await expect(page.locator("main script, main [onerror]")).toHaveCount(0);
  expect(alerted).toBe(false);
});
