import { type BrowserContext, expect, type Page } from "@playwright/test";

import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import { openEditor } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, label, makeProgram, writeCode } from "../drivers/sessions.ts";

test.afterEach(({ context }) => endSessions(context));

/** Takes long enough to be kept. */
const step = (name: string, line: string) => `from miranda import Node, Receiver, Transmitter
import time


class ${name}(Node):
    given = Receiver("number")
    made = Transmitter("number")

    def run(self):
        time.sleep(0.005)
        print("${name} runs")
        ${line}
`;
const add = "self.made.send((self.given or 0) + 1)";

async function connect(context: BrowserContext, from: number, to: number): Promise<void> {
  const form = { from_id: from, to_id: to, transmitter_key: "made", receiver_key: "given" };
  expect((await context.request.post(address("/api/v3/objects/edges"), { form })).status()).toBe(200);
}

async function ranNodes(context: BrowserContext, graph: string): Promise<string[]> {
  const answer = await context.request.get(address(`/api/v3/graphs/${graph}/processor/logs?log_lines=1000`));
  const lines = ((await answer.json()) as LogEntry[]).flatMap(({ message }) => message.split("\n"));
  return lines.filter((line) => line.endsWith(" runs"));
}

const openPanel = async (page: Page) => {
  if (!(await label(page).isVisible())) await page.getByRole("button", { name: "Processor", exact: true }).click();
};

test("offers to continue where the last session broke off, and runs only what is not kept", async ({
  page,
  context,
  person: _person,
}) => {
  const programs = [step("First", add), step("Second", "raise ValueError('no tide')"), step("Third", add)];
  const { graph, nodes, path } = await makeProgram(context, ...programs);
  const [first = 0, second = 0, third = 0] = nodes;
  await connect(context, first, second);
  await connect(context, second, third);
  await giveToken(context);
  await openEditor(page, path);
  await expect(page.getByRole("button", { name: /^Continue from session/ })).toHaveCount(0);
  await runButton(page).click();
  await expect.poll(() => ranNodes(context, graph)).toEqual(["First runs", "Second runs"]);
  const continuation = address(`/api/v3/graphs/${graph}/continuation`);
  await expect.poll(async () => (await context.request.get(continuation)).json()).toMatchObject({ kept: 1, nodes: 3 });
  await endSessions(context);

  // Without a session: beside Run, and in the panel.
  const beside = page.getByRole("button", { name: /^Continue from session 1 \(Forecast, (just now|\d+ min ago)\)$/ });
  await expect(beside).toBeVisible();
  await writeCode(context, second, step("Second", add));
  await openPanel(page);
  const offer = page.getByTestId("continue-offer");
  await expect(offer).toContainText(/^Continue from session 1 \(Forecast, .+\): 1 of 3 nodes are as they were/);

  // With a new session: the plan says it node by node.
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(label(page)).toHaveText("Ready");
  await expect(offer).toContainText("1 of 3 nodes are as they were");
  await beside.hover();
  const plan = page.getByRole("tooltip");
  await expect(plan).toContainText("2 of 3 nodes would run.");
  await expect(plan).toContainText(/Step 1\s*Kept from session 1, /);
  await beside.click();
  await expect.poll(() => ranNodes(context, graph)).toEqual(["Second runs", "Third runs"]);
  await expect(offer).toHaveCount(0);
  await expect(beside).toHaveCount(0);
});
