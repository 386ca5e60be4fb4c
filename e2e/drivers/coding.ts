import { type BrowserContext, expect, type Page } from "@playwright/test";

import { address } from "./people.ts";
import { makeProject, makeWorkflow } from "./fixtures.ts";

const source = `from miranda import Node, Receiver, Transmitter


class Train(Node):
    rows = Receiver("table")
    model = Transmitter("model")

    def run(self):
        total = 0
        self.model.send(total)
`;

interface Flow {
  project: string;
  graph: string;
  base: string;
  nodes: Record<"Load" | "Train", number>;
}

export async function makeFlow(context: BrowserContext): Promise<Flow> {
  const project = await makeProject(context, "Harbour");
  const graph = await makeWorkflow(context, project, "Forecast");
  const nodes = { Load: 0, Train: 0 };
  for (const name of ["Load", "Train"] as const) {
    const answer = await context.request.post(address("/api/v3/objects"), { form: { name, project_id: graph } });
    nodes[name] = ((await answer.json()) as { metadata_id: number }).metadata_id;
  }
  const put = await context.request.put(address(`/api/v3/objects/${nodes.Train}/api`), {
    form: { source_code: source },
  });
  expect(put.status(), await put.text()).toBe(200);
  return { project, graph, nodes, base: address(`/designer/projects/${project}/graphs/${graph}/code`) };
}

export const pane = (page: Page) => page.getByTestId("code-pane");
export const editor = (page: Page) => pane(page).locator(".cm-content");
export const line = (page: Page, text: string) => pane(page).locator(".cm-line", { hasText: text });
export const file = (page: Page, name: string) => page.getByTestId("file").filter({ hasText: name });

export async function typeAfter(page: Page, text: string, typed: string): Promise<void> {
  await line(page, text).click();
  await page.keyboard.press("End");
  await page.keyboard.type(typed);
}

export async function commit(page: Page, message: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog", { name: /^Commit / });
  await dialog.getByLabel("Message").fill(message);
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
}
