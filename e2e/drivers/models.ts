import type { Page } from "@playwright/test";

import type { Model } from "@miranda/contract/schemas/models/models.ts";

const hour = 3_600_000;

export function fakeModel(at: number, changes: Partial<Model> = {}): Model {
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
    run_id: null,
    project_name: "Project",
    latest_version: 1,
    best: null,
    aliases: [],
    stage: "None",
    tags: {},
    ...changes,
  };
}

const values: Record<string, (model: Model) => string | number> = {
  graph: ({ graph }) => graph.name.toLowerCase(),
  loss: ({ loss }) => loss ?? 0,
  accuracy: ({ accuracy }) => accuracy ?? 0,
  precision: ({ precision }) => precision ?? 0,
  recall: ({ recall }) => recall ?? 0,
  created: ({ time_created }) => time_created,
  updated: ({ last_updated }) => last_updated,
};

/** Answers calls for models with these, page by page, sorted and searched as the server would. */
export async function serveModels(page: Page, models: readonly Model[]): Promise<void> {
  await page.route(/\/api\/v3\/models\/?\?/, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const text = (name: string) => (asked.get(name) ?? "").toLowerCase();
    const valueOf = values[asked.get("sort") ?? "updated"] ?? (() => 0);
    const sign = asked.get("direction") === "asc" ? 1 : -1;
    const found = models
      .filter(
        ({ name, graph }) =>
          name.toLowerCase().includes(text("id")) && graph.name.toLowerCase().includes(text("graph")),
      )
      .toSorted((one, other) => {
        const [a, b] = [valueOf(one), valueOf(other)];
        return a < b ? -sign : a > b ? sign : 0;
      });
    const from = Number(asked.get("after") ?? 0);
    const to = from + Number(asked.get("limit") ?? 100);
    return route.fulfill({
      json: { json: found.slice(from, to), next: to < found.length ? `${to}` : null },
      headers: from === 0 ? { "x-miranda-total": found.length > 1_000 ? "1000+" : `${found.length}` } : {},
    });
  });
}
