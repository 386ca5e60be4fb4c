import { expect, type Page } from "@playwright/test";

import { fakeModel, serveModels } from "../drivers/models.ts";
import { address, test } from "../drivers/people.ts";
import { endSessions, giveToken, label, makeProgram } from "../drivers/sessions.ts";

const rows = (page: Page) => page.getByTestId("model");
const names = (page: Page) => rows(page).locator("td:first-child").allTextContents();
const header = (page: Page, name: string) => page.getByRole("columnheader", { name });

test.afterEach(({ context }) => endSessions(context));

test("S2-022 S2-182 S2-183 S2-184 S2-185 S2-186 S2-187 S2-189 S2-190 S2-191 S2-192 S2-193 S3-036 S4-078 lists all models in one table, and searches, sorts and hides columns", async ({
  page,
  person: _person,
}) => {
  test.slow();
  const models = Array.from({ length: 60 }, (_, at) => fakeModel((at * 17) % 60));
  await serveModels(page, models);
  await page.goto(address("/designer/models"));
  await expect(rows(page)).toHaveCount(60);
  await expect(page.getByText("60 models")).toBeVisible();
  await expect(header(page, "Model ID")).toBeVisible();
  await expect(header(page, "Updated")).toHaveAttribute("aria-sort", "descending");
  expect((await names(page)).slice(0, 3)).toEqual(["net-0", "net-1", "net-2"]);
  await expect(page.getByRole("searchbox")).toHaveCount(2);
  await expect(page.getByRole("combobox")).toHaveCount(0);
  await expect(page.getByRole("slider")).toHaveCount(0);
  await expect(page.getByRole("navigation").getByText(/next/i)).toHaveCount(0);

  const first = rows(page).first();
  await expect(first.getByRole("link", { name: "Graph 0" })).toHaveAttribute("href", "/designer/projects/p/graphs/g0");
  await expect(first).toContainText("1 hour ago");
  await expect(first).toContainText("2 hours ago");
  // The red, green and blue of each tag's text, in whatever notation the style sheet uses.
  const [cpu = [], gpu = []] = await first.evaluate((row) =>
    ["CPU", "GPU"].map((tag) => {
      const badge = [...row.querySelectorAll("span")].find((span) => span.textContent === tag && !span.children.length);
      const pen = document.createElement("canvas").getContext("2d");
      if (!badge || !pen) return [];
      pen.fillStyle = getComputedStyle(badge).color;
      pen.fillRect(0, 0, 1, 1);
      return [...pen.getImageData(0, 0, 1, 1).data];
    }),
  );
  expect(Math.max(...cpu.slice(0, 3))).toBe(cpu[2]);
  expect(Math.max(...gpu.slice(0, 3))).toBe(gpu[1]);

  for (const name of ["Graph", "Loss", "Accuracy", "Precision", "Recall", "Created", "Updated"]) {
    const cell = header(page, name);
    // Three clicks go through the whole sort cycle, wherever it starts.
    const seen: (string | null)[] = [];
    for (const _click of [1, 2, 3]) {
      await cell.getByRole("button").click();
      seen.push(await cell.getAttribute("aria-sort"));
    }
    const from = seen.indexOf("ascending");
    expect([...seen.slice(from), ...seen.slice(0, from)]).toEqual(["ascending", "descending", null]);
  }
  for (const name of ["Model ID", "Authors", "Version", "Hardware"])
    await expect(header(page, name).getByRole("button")).toHaveCount(0);
  await page.reload();
  for (const first of [
    ["net-0", "net-1"],
    ["net-59", "net-58"],
    // Unsorted is the order of the list itself: last updated first.
    ["net-0", "net-1"],
  ]) {
    await header(page, "Loss").getByRole("button").click();
    await expect.poll(async () => (await names(page)).slice(0, 2)).toEqual(first);
  }

  // Sorting, filters and hidden columns work together.
  await header(page, "Accuracy").getByRole("button").click();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Authors" }).click();
  await page.keyboard.press("Escape");
  await expect(header(page, "Authors")).toHaveCount(0);
  await page.getByPlaceholder("Search by Graph").fill("graph 1");
  await expect(rows(page)).toHaveCount(20);
  await page.getByPlaceholder("Search by ID").fill("NET-4");
  await expect(rows(page)).toHaveCount(5);
  await expect(header(page, "Accuracy")).toHaveAttribute("aria-sort", "ascending");
  await expect(header(page, "Authors")).toHaveCount(0);
  await expect.poll(async () => (await names(page))[0]).toBe("net-49");
  await page.getByPlaceholder("Search by ID").fill("nothing");
  await expect(page.getByText("No results.")).toBeVisible();
});

test("fits 1440 pixels, tells models of two projects apart, and shows their tags", async ({
  page,
  person: _person,
}) => {
  const best = { name: "accuracy", value: 0.97368, number: 2 };
  const aliases = [{ alias: "champion", number: 2 }];
  const changes = { name: "iris-tree", best, aliases, loss: 0.12345, accuracy: 0.97368, tags: { team: "botany" } };
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  await serveModels(page, [
    fakeModel(0, { ...changes, id: "one", project_name: "Flowers" }),
    fakeModel(1, { ...changes, id: "two", project_name: "Garden", time_created: ago(59), last_updated: ago(58) }),
  ]);
  await page.goto(address("/designer/models"));
  await expect(page.getByTestId("model-project")).toHaveCount(2);
  const projects = await page
    .getByTestId("model-project")
    .evaluateAll((all) => all.map((one) => getComputedStyle(one, "::before").content));
  expect(projects).toEqual(['"Garden"', '"Flowers"']);
  await expect(header(page, "Updated")).toBeInViewport({ ratio: 1 });
  const frame = page.getByRole("region", { name: "Models" });
  expect(await frame.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  // No header and no time is cut.
  const cut = await frame.evaluate((one) =>
    [...one.querySelectorAll("th, td:has(time)")]
      .filter((cell) => cell.scrollWidth > cell.clientWidth)
      .map((cell) => cell.textContent),
  );
  expect(cut).toEqual([]);

  await expect(rows(page).first()).toContainText("team: botany");
});

test("S2-181 S2-188 shows a spinner, then an empty table", async ({ page, person: _person }) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await serveModels(page, []);
  await page.route(/\/api\/v3\/models\/?\?/, async (route) => {
    await held;
    await route.fallback();
  });
  await page.goto(address("/designer/models"));
  await expect(page.getByText("Loading models")).toBeVisible();
  release();
  await expect(page.getByText("No results.")).toBeVisible();
  await expect(page.getByText("0 models")).toBeVisible();
});

test("loads thousands of models while a person scrolls, and draws only the rows in view", async ({
  page,
  person: _person,
}) => {
  const models = Array.from({ length: 1_200 }, (_, at) => fakeModel(at));
  await serveModels(page, models);
  const keys: number[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.startsWith("/api/v3/models")) keys.push(Number(searchParams.get("after") ?? 0));
  });
  await page.goto(address("/designer/models"));
  await expect(rows(page).first()).toContainText("net-0");
  await expect(page.getByText("1,000+ models")).toBeVisible();
  const table = page.getByRole("table");
  await expect(table).toHaveAttribute("aria-rowcount", "-1");

  // The keyboard alone reaches the last model.
  const frame = page.getByRole("region", { name: "Models" });
  await frame.focus();
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(rows(page).last()).toContainText("net-1199", { timeout: 200 });
  }).toPass();
  await expect(table).toHaveAttribute("aria-rowcount", "1201");
  await expect(rows(page).last()).toHaveAttribute("aria-rowindex", "1201");
  expect(await rows(page).count()).toBeLessThan(100);
  const columns = await header(page, "Loss").boundingBox();
  // Each page was asked for once. Only the first two are refreshed.
  const later = keys.filter((key) => key > 200);
  expect(later).toEqual(Array.from({ length: 4 }, (_, at) => 400 + at * 200));

  // The end of the list fails to load, says so, and can be asked for again.
  await expect(async () => {
    // The list may still be moving to its end.
    await page.keyboard.press("Home");
    await expect(rows(page).first()).toContainText("net-0", { timeout: 1_000 });
  }).toPass();
  await expect(table).toHaveAttribute("aria-rowcount", "-1");
  expect((await header(page, "Loss").boundingBox())?.x).toBe(columns?.x);
  await page.route(/after=/, (route) => route.fulfill({ status: 500, body: "The database is away." }));
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(page.getByText("No more models could be loaded")).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.getByText("The database is away.")).toBeVisible();
  expect(await rows(page).count()).toBeGreaterThan(10);
  await page.unroute(/after=/);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("No more models could be loaded")).toHaveCount(0);

  // A search starts at the top, asks the server, and finds what was never loaded.
  await page.getByPlaceholder("Search by ID").fill("net-1198");
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByText("1 model", { exact: true })).toBeVisible();
});

test("S1-014 lists the models that a run has saved, sorts and searches them", async ({
  page,
  context,
  person: _person,
}) => {
  const { path, project, graph } = await makeProgram(
    context,
    `import time

import miranda
from miranda import Node

class Fit(Node):
    def run(self):
        for at in range(240):
            miranda.log_model(f"wave-{at:03}", metrics={"loss": at / 100})
            # The server keeps at most 200 models of one batch.
            if at % 100 == 99:
                time.sleep(1)
        miranda.log_model("tide-net", metrics={"loss": 0.25, "accuracy": 0.75})
        print("fitted")
`,
  );
  await giveToken(context);
  await page.goto(address(path));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByTestId("log-lines")).toContainText("fitted", { timeout: 60_000 });
  await expect(label(page)).toHaveText("Ready");
  await page.goto(address("/designer/models"));
  const row = rows(page).filter({ hasText: "tide-net" });
  await expect(row).toContainText("0.25");
  await expect(row).toContainText("0.75");
  const workflow = row.getByRole("link", { name: "Forecast" });
  await expect(workflow).toHaveAttribute("href", `/designer/projects/${project}/graphs/${graph}`);
  await expect(row.getByRole("link", { name: "tide-net" })).toHaveAttribute("href", /^\/designer\/models\/[0-9a-f-]+$/);

  await page.getByPlaceholder("Search by ID").fill("WAVE-");
  await expect(page.getByText(/^240 models$/)).toBeVisible();
  await header(page, "Loss").getByRole("button").click();
  await expect(rows(page).first()).toContainText("wave-000");
  await page.getByRole("region", { name: "Models" }).focus();
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(rows(page).last()).toContainText("wave-239", { timeout: 200 });
  }).toPass();
  await header(page, "Loss").getByRole("button").click();
  await expect(rows(page).first()).toContainText("wave-239");
});
