import { expect, type Page } from "@playwright/test";

import type { Model } from "@miranda/contract/schemas/models.ts";

import { address, test } from "../drivers/people.ts";
import { endSessions, giveToken, label, makeProgram } from "../drivers/sessions.ts";

const hour = 3_600_000;

function model(at: number, changes: Partial<Model> = {}): Model {
  return {
    id: `model-${at}`,
    name: `net-${at}`,
    graph: { name: `Graph ${at % 3}`, id: `g${at}`, project_id: "p" },
    authors: ["Ada Tester"],
    miranda_version: "0.1.0",
    hardware: ["CPU", "GPU"],
    loss: at,
    accuracy: 1 - at / 100,
    precision: ((at * 7) % 60) / 60,
    recall: ((at * 11) % 60) / 60,
    time_created: new Date(Date.now() - (at + 1) * 2 * hour).toISOString(),
    last_updated: new Date(Date.now() - (at + 1) * hour).toISOString(),
    ...changes,
  };
}

async function serve(page: Page, models: Model[]): Promise<void> {
  await page.route(/\/api\/v3\/models\/?$/, (route) => route.fulfill({ json: { json: models } }));
}

const rows = (page: Page) => page.getByTestId("model");
const names = (page: Page) => rows(page).locator("td:first-child").allTextContents();
const header = (page: Page, name: string) => page.getByRole("columnheader", { name });

test.afterEach(({ context }) => endSessions(context));

test("S2-022 S2-182 S2-183 S2-184 S2-185 S2-186 S2-187 S2-189 S2-190 S2-191 S2-192 S2-193 S3-036 S4-078 lists all models in one table, and searches, sorts and hides columns", async ({
  page,
  person: _person,
}) => {
  test.slow();
  const models = Array.from({ length: 60 }, (_, at) => model((at * 17) % 60));
  await serve(page, models);
  await page.goto(address("/designer/models"));
  await expect(rows(page)).toHaveCount(60);
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
  await header(page, "Loss").getByRole("button").click();
  expect((await names(page)).slice(0, 2)).toEqual(["net-0", "net-1"]);
  await header(page, "Loss").getByRole("button").click();
  expect((await names(page)).slice(0, 2)).toEqual(["net-59", "net-58"]);
  await header(page, "Loss").getByRole("button").click();
  expect((await names(page)).slice(0, 3)).toEqual(["net-0", "net-17", "net-34"]);

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
  expect((await names(page))[0]).toBe("net-49");
  await page.getByPlaceholder("Search by ID").fill("nothing");
  await expect(page.getByText("No results.")).toBeVisible();
});

test("S2-181 S2-188 shows a spinner, then an empty table, then thousands of rows", async ({
  page,
  person: _person,
}) => {
  let release: () => void = () => undefined;
  await page.route(/\/api\/v3\/models\/?$/, async (route) => {
    await new Promise<void>((resolve) => (release = resolve));
    await route.fulfill({ json: { json: [] } });
  });
  await page.goto(address("/designer/models"));
  await expect(page.getByText("Loading models")).toBeVisible();
  release();
  await expect(page.getByText("No results.")).toBeVisible();
  await page.unroute(/\/api\/v3\/models\/?$/);
  await serve(
    page,
    Array.from({ length: 5_000 }, (_, at) => model(at)),
  );
  await page.reload();
  await expect(rows(page).first()).toContainText("net-0");
  await expect.poll(() => rows(page).count()).toBeLessThan(100);
  await expect(page.getByRole("table")).toHaveAttribute("aria-rowcount", "5000");
});

test("S1-014 lists a model that a run has saved", async ({ page, context, person: _person }) => {
  const { path, project, graph } = await makeProgram(
    context,
    `import miranda
from miranda import Node

class Fit(Node):
    def run(self):
        miranda.log_model("tide-net", metrics={"loss": 0.25, "accuracy": 0.75})
        print("fitted")
`,
  );
  await giveToken(context);
  await page.goto(address(path));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByTestId("log-lines")).toContainText("fitted");
  await expect(label(page)).toHaveText("Ready");
  await page.goto(address("/designer/models"));
  const row = rows(page).filter({ hasText: "tide-net" });
  await expect(row).toContainText("0.25");
  await expect(row).toContainText("0.75");
  await expect(row.getByRole("link")).toHaveAttribute("href", `/designer/projects/${project}/graphs/${graph}`);
});
