import { type BrowserContext, expect, type Locator, type Page } from "@playwright/test";

import { runArgs, type RunArgs } from "@miranda/contract/command-args.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";
import type { Run, RunPage } from "@miranda/contract/schemas/runs.ts";

import { makeEdge, makeGraph, makeNode, type OpenWorkflow } from "./canvas.ts";
import { address } from "./people.ts";
import { load, report, sum } from "./running.ts";

export interface RunWorkflow extends OpenWorkflow {
  load: Node;
  sum: Node;
  report: Node;
}

/** Load, Sum and Report in a row. Report fails. */
export async function makeFailing(context: BrowserContext): Promise<RunWorkflow> {
  const made = await makeGraph(context);
  const first = await makeNode(context, made.graph, { name: "Load", code: load });
  const second = await makeNode(context, made.graph, { name: "Sum", code: sum, at: { x: 360, y: 0 } });
  const third = await makeNode(context, made.graph, { name: "Report", code: report, at: { x: 720, y: 0 } });
  await makeEdge(context, first, "rows", second, "rows");
  await makeEdge(context, second, "total", third, "total");
  return { ...made, load: first, sum: second, report: third };
}

/** Starts a session by the API, as if nobody had the page open. */
export async function startSession(context: BrowserContext, graph: string): Promise<void> {
  const path = address(`/api/v3/graphs/${graph}/processor`);
  const made = await context.request.post(path, { form: { tag: Math.floor(Math.random() * 1e9) } });
  expect(made.status(), await made.text()).toBe(200);
  await expect
    .poll(async () => ((await (await context.request.get(path)).json()) as JobSummary | null)?.workflow_state, {
      timeout: 60_000,
    })
    .toBe("READY");
}

export async function beginRun(
  context: BrowserContext,
  graph: string,
  args: RunArgs = { mode: "changed" },
): Promise<void> {
  const sent = await context.request.post(address(`/api/v3/graphs/${graph}/processor/run`), {
    form: { args: runArgs(args) },
  });
  expect(sent.status(), await sent.text()).toBe(200);
}

/** Newest first. */
export async function runsOf(context: BrowserContext, graph: string): Promise<Run[]> {
  const answer = await context.request.get(address(`/api/v3/runs?graph_id=${graph}`));
  expect(answer.status(), await answer.text()).toBe(200);
  return ((await answer.json()) as RunPage).runs;
}

/** The newest run, once this many have begun and all of them have ended. */
export async function endedRun(context: BrowserContext, graph: string, count = 1): Promise<Run> {
  await expect
    .poll(async () => (await runsOf(context, graph)).filter(({ time_ended }) => time_ended !== null).length, {
      timeout: 60_000,
    })
    .toBe(count);
  const [newest] = await runsOf(context, graph);
  if (!newest) throw new Error("There is no run.");
  return newest;
}

export const runRow = (page: Page | Locator, text: string | RegExp): Locator =>
  page.getByTestId("run").filter({ hasText: text });

/** A row of the timeline. */
export const nodeRow = (page: Page, name: string | RegExp): Locator =>
  page.getByRole("listbox", { name: "Nodes" }).getByRole("option", { name });

export const nodePanel = (page: Page): Locator => page.getByTestId("node-panel");
