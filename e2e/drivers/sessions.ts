import { type BrowserContext, expect, type Page } from "@playwright/test";

import type { Job, JobsResponse } from "@miranda/contract/schemas/processors.ts";

import { viewRests } from "./canvas.ts";
import { address, password } from "./people.ts";
import { makeProject, makeWorkflow } from "./fixtures.ts";

export interface Workflow {
  project: string;
  graph: string;
  /** The metadata_ids of its nodes. */
  nodes: number[];
  path: string;
}

/** Creates a workflow with one node per program. */
export async function makeProgram(context: BrowserContext, ...programs: string[]): Promise<Workflow> {
  const project = await makeProject(context, "Tides");
  const graph = await makeWorkflow(context, project, "Forecast");
  const nodes: number[] = [];
  for (const [at, program] of programs.entries()) {
    const made = await context.request.post(address("/api/v3/objects?wob_type=CODE_BLOCK"), {
      form: { name: `Step ${at + 1}`, project_id: graph, position: JSON.stringify({ x: at * 320, y: 80 }) },
    });
    expect(made.status(), await made.text()).toBe(200);
    const { metadata_id } = (await made.json()) as { metadata_id: number };
    await writeCode(context, metadata_id, program);
    nodes.push(metadata_id);
  }
  return { project, graph, nodes, path: `/designer/projects/${project}/graphs/${graph}` };
}

export async function writeCode(context: BrowserContext, node: number, source_code: string): Promise<void> {
  const answer = await context.request.put(address(`/api/v3/objects/${node}/api`), { form: { source_code } });
  expect(answer.status(), await answer.text()).toBe(200);
}

export async function giveToken(context: BrowserContext): Promise<void> {
  const answer = await context.request.post(address("/api/v3/auth/access_tokens"), {
    form: { name: "journey", web_password: password },
  });
  expect(answer.status(), await answer.text()).toBe(200);
}

/** Also revokes the token that every new account gets. */
export async function revokeTokens(context: BrowserContext): Promise<void> {
  const tokens = await context.request.get(address("/api/v3/auth/access_tokens"));
  for (const { id } of (await tokens.json()) as { id: string }[])
    expect((await context.request.delete(address(`/api/v3/auth/access_tokens/${id}`))).status()).toBe(200);
}

/** Stores breakpoints as if the person had set them earlier. */
export async function storeBreakpoints(page: Page, graph: string, lines: Record<number, number[]>): Promise<void> {
  await page.addInitScript(
    ([key, value]) => localStorage.setItem(key ?? "", value ?? ""),
    [`breakpoints:${graph}`, JSON.stringify(lines)],
  );
}

export const label = (page: Page) => page.getByTestId("processor-label");

/** Opens the processor's panel beside the canvas. It is closed until there is a session. */
export async function openProcessor(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: /^Processor / });
  // A session that begins opens the panel too. Press again if that was between the look and the click.
  await expect(async () => {
    if ((await button.getAttribute("aria-pressed")) === "false") await button.click();
    await expect(label(page)).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await viewRests(page);
}

/** Sessions outlive the server that started them, so every journey ends its own. */
export async function endSessions(context: BrowserContext, url?: string): Promise<void> {
  const at = (path: string) => (url === undefined ? address(path) : url + path);
  const answer = await context.request.get(at("/api/v3/jobs?log_max_length=1&log_lines=1"));
  if (!answer.ok()) return;
  const { queued, running } = (await answer.json()) as JobsResponse;
  for (const { id } of [...queued, ...running]) await context.request.put(at(`/api/v3/jobs/${id}/cancel`));
}

let made = 0;

export function fakeJob(state: Job["workflow_state"], changes: Partial<Job> = {}): Job {
  made += 1;
  return {
    // Each is a second older than the one before, and ids are ordered by time.
    id: `01900000-0000-7000-8000-${999_999_999_999 - made}`,
    tag: made,
    name: `Session ${made}`,
    description: "",
    class: "Docker_job",
    workflow_state: state,
    state_since: "2026-01-01T00:00:00.000Z",
    revision: 0,
    container_id: "box-7",
    time_created: new Date(Date.now() - 3_600_000 - made * 1_000).toISOString(),
    ends_at: null,
    total_cost: 1.239,
    cpu_seconds: 7_200,
    ram_gb_seconds: 7_200,
    net_rx_gb: 1,
    net_tx_gb: 2,
    current_cpu: 0.5,
    cpu_capacity: 1,
    current_ram_gb: 0.5,
    ram_gb_capacity: 1,
    current_net_rx_gb: 0.25,
    current_net_tx_gb: 0.5,
    graph: { project_id: "project", graph_id: "graph" },
    logs: [],
    ...changes,
  };
}

/**
 * Answers calls for sessions with these jobs, ended ones page by page as the server does. The list may change between
 * calls.
 */
export async function serveJobs(page: Page, jobs: Omit<JobsResponse, "next">): Promise<void> {
  await page.route(/\/api\/v3\/jobs\?/, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const ended = [...jobs.errored, ...jobs.exited].toSorted((one, other) => (one.id < other.id ? 1 : -1));
    const after = asked.get("after");
    const rest = after === null ? ended : ended.filter(({ id }) => id < after);
    const listed = rest.slice(0, Number(asked.get("limit") ?? 100));
    const next = listed.length < rest.length ? (listed.at(-1)?.id ?? null) : null;
    const inState = (state: Job["workflow_state"]) => listed.filter(({ workflow_state }) => workflow_state === state);
    return route.fulfill({ json: { ...jobs, errored: inState("ERROR"), exited: inState("EXITED"), next } });
  });
  await page.route(/\/api\/v3\/jobs\/[0-9a-f-]{36}$/, (route) => {
    const id = new URL(route.request().url()).pathname.split("/").at(-1);
    const all = [...jobs.queued, ...jobs.running, ...jobs.errored, ...jobs.exited];
    return route.fulfill({ json: all.find((job) => job.id === id) });
  });
}

/** Returns a function that delivers server events to the page's socket. Call it before the page opens. */
export async function tapSocket(page: Page): Promise<(event: string, data: unknown) => Promise<void>> {
  let sendText: ((text: string) => void) | undefined;
  await page.routeWebSocket(/\/ws\/socket\.io/, (socket) => {
    socket.connectToServer().onMessage((message) => {
      socket.send(message);
      if (String(message).startsWith('42["ready"')) sendText = (text) => socket.send(text);
    });
  });
  return async (event, data) => {
    await expect.poll(() => sendText !== undefined).toBe(true);
    sendText?.(`42${JSON.stringify([event, data])}`);
  };
}
