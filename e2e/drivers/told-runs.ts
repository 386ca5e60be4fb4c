import { type BrowserContext, expect, type Page } from "@playwright/test";

import { runArgs, type RunArgs } from "@miranda/contract/command-args.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { makeGraph, makeNode } from "./canvas.ts";
import { address } from "./people.ts";

/** Node code that runs these lines. */
export const program = (...lines: string[]): string =>
  `import time\nfrom miranda import Node\n\n\nclass Train(Node):\n    def run(self):\n${lines
    .map((line) => `        ${line}\n`)
    .join("")}`;

/** A workflow with one node, and a session that is ready, both without a page. */
export async function readyProgram(context: BrowserContext, code: string) {
  const made = await makeGraph(context);
  await makeNode(context, made.graph, { name: "Train", code });
  const path = address(`/api/v3/graphs/${made.graph}/processor`);
  const started = await context.request.post(path, { form: { tag: 1 } });
  expect(started.status(), await started.text()).toBe(200);
  await expect
    .poll(async () => ((await (await context.request.get(path)).json()) as JobSummary).workflow_state, {
      timeout: 60_000,
    })
    .toBe("READY");
  return made;
}

export async function orderRun(context: BrowserContext, graph: string, args: RunArgs = { mode: "all" }): Promise<void> {
  const form = { args: runArgs(args) };
  const sent = await context.request.post(address(`/api/v3/graphs/${graph}/processor/run`), { form });
  expect(sent.status(), await sent.text()).toBe(200);
}

export const bell = (page: Page) => page.getByRole("button", { name: /^Notifications/ });
