import { type BrowserContext, expect, type Page } from "@playwright/test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findProxy, type ProxyName } from "../../scripts/proxies.ts";
import { findRedis } from "../../scripts/redis.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../server/platform/database/postgres/embedded-postgres.ts";
import { freePort } from "../../server/testing/services/docker.ts";
import { TestRedis } from "../../server/testing/services/redis.ts";
import { type DeployedApp, deployTides } from "../drivers/apps.ts";
import { type Ports, startProxy } from "../drivers/behind-a-proxy.ts";
import { card, makeNode } from "../drivers/canvas.ts";
import { makeProject, makeWorkflow } from "../drivers/fixtures.ts";
import { address, signIn, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";

// Two servers on one database behind the proxies that docker/ has configurations for, as an operator sets them up.

test.describe.configure({ mode: "serial" });
test.use({ ignoreHTTPSErrors: true });
test.skip(!findRedis(), "Two servers need Redis.");

const host = "127.0.0.1";
let folder: string;
let ports: Ports;
let postgres: EmbeddedPostgres;
let redis: TestRedis;
let servers: Product[] = [];
const usual = process.env["E2E_URL"];

test.beforeAll(async () => {
  test.setTimeout(600_000);
  folder = await mkdtemp(join(tmpdir(), "miranda-proxies-"));
  ports = {
    people: await freePort(host),
    agents: await freePort(host),
    servers: [await freePort(host), await freePort(host)],
  };
  postgres = await startEmbeddedPostgres(join(folder, "postgres"), () => undefined);
  redis = await TestRedis.open();
  const url = `https://localhost:${ports.people}`;
  // As docs/operations.md says.
  const settings = {
    ...{ DATABASE_URL: postgres.url, REDIS_URL: redis.url, MIRANDA_SECRET_KEY: "the same for every server" },
    ...{ PUBLIC_URL: url, MIRANDA_TRUST_PROXY: "true", MIRANDA_RUNNER_URL: `http://${host}:${ports.agents}` },
    ...{ MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" },
    // Sessions of the app end soon after the servers.
    MIRANDA_GIVE_UP_SECONDS: "10",
  };
  servers = await Promise.all(ports.servers.map((port) => startProduct({ ...settings, PORT: String(port) })));
  process.env["E2E_URL"] = url;
});
test.afterAll(async () => {
  process.env["E2E_URL"] = usual;
  for (const server of servers) await server.stop();
  servers = [];
  await redis?.close();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Proxies have 4 kB for these unless somebody sets more. */
async function expectSmallHeaders(context: BrowserContext, path: string): Promise<void> {
  const answer = await context.request.get(address(path));
  expect(answer.status(), path).toBe(200);
  const bytes = answer.headersArray().reduce((sum, { name, value }) => sum + name.length + value.length + 4, 0);
  expect(bytes, path).toBeLessThan(3_000);
}

async function seesWhatOthersDo(page: Page, context: BrowserContext, workflow: string, graph: string): Promise<void> {
  const opened = page.waitForEvent("websocket");
  await page.goto(address(workflow));
  const socket = await opened;
  expect(socket.url()).toMatch(/^wss:\/\/localhost/);
  await expect(card(page, "Load")).toBeVisible();
  await makeNode(context, graph, { name: "Later" });
  await expect(card(page, "Later")).toBeVisible();
  expect(socket.isClosed()).toBe(false);
}

/** 9 MB, which come back as they were, and a stream of what happens meanwhile. */
async function callsWithLargeFile(page: Page, context: BrowserContext, { name }: DeployedApp): Promise<void> {
  const buffer = Buffer.from(`height,note\n${`1.5,${"x".repeat(100_000)}\n`.repeat(90)}`);
  const table = { name: "tides.csv", mimeType: "text/csv", buffer };
  const begun = await context.request.post(address(`/api/v3/deployments/${name}/runs`), {
    multipart: { place: "Brest", patience: "50", table },
  });
  expect(begun.status(), await begun.text()).toBe(202);
  const { id } = (await begun.json()) as { id: string };
  const path = `/api/v3/deployments/${name}/runs/${id}`;
  const arrivals = await page.evaluate(async (address) => {
    const times: number[] = [];
    const { body } = await fetch(address);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      times.push(performance.now());
      text += part.value;
    }
    return { times, text };
  }, `${path}/events`);
  expect(arrivals.text).toContain('"state":"done"');
  // The node works for five seconds after the first event: what was held back would come at once.
  expect(arrivals.times.at(-1)! - arrivals.times[0]!).toBeGreaterThan(1_500);

  const sent = await context.request.get(address(`${path}/inputs/table`));
  expect(Buffer.compare(await sent.body(), buffer)).toBe(0);
}

for (const name of ["nginx", "caddy", "haproxy"] satisfies ProxyName[]) {
  test(`works behind ${name} with its default buffers: pages, a socket, an upload, a stream`, async ({
    context,
    page,
  }) => {
    test.skip(!findProxy(name), `Needs ${name} (Debian: apt-get install ${name}).`);
    test.setTimeout(400_000);
    const proxy = await startProxy(name, join(folder, name), ports);
    try {
      const person = await signIn(context);
      const project = await makeProject(context, "Coast");
      const graph = await makeWorkflow(context, project, "Tides");
      const load = await makeNode(context, graph, { name: "Load", code: "tide = 4.5\n" });
      const workflow = `/designer/projects/${project}/graphs/${graph}`;
      const code = `${workflow}/code/${load.metadata_id}`;
      const small = ["/login", "/explorer", "/docs", "/designer", `/designer/projects/${project}`, "/api/v3/projects"];
      const large = [workflow, code, `${workflow}/history`, `${workflow}/compare`, `${workflow}/merge`];
      for (const path of [...small, ...large]) await expectSmallHeaders(context, path);

      await seesWhatOthersDo(page, context, workflow, graph);
      await page.goto(address(code));
      await expect(page.locator(".cm-line").filter({ hasText: "tide = 4.5" })).toBeVisible();
      await callsWithLargeFile(page, context, await deployTides(context));

      // The server knows who asks, and by which way.
      const cookies = await context.cookies();
      expect(cookies.every(({ secure }) => secure)).toBe(true);
      expect(person.username).not.toBe("");
    } finally {
      await proxy.stop();
    }
  });
}
