import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { agentOf } from "../../testing/engine-under-test.ts";
import { signal } from "../../testing/services/signal.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

// With the usual settings: an agent is silent for up to 10 s, and lost after 30.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const count = 3_000;
const printing = script(
  "import time",
  `for n in range(${count}):`,
  "    print('line', n)",
  "    if n % 100 == 0: time.sleep(0.01)",
  "time.sleep(300)",
);

/** What the agent of a session keeps in its files. */
async function keptBy(jobId: string): Promise<string> {
  const folder = join(server.dataFolder, "jobs", jobId);
  const files = ["unsent-a", "unsent-b"].map((name) => readFile(join(folder, name), "utf8").catch(() => ""));
  return (await Promise.all(files)).join("");
}

async function printed(bench: Workbench): Promise<string[]> {
  const entries = await bench.logs("?log_lines=10000");
  return entries.flatMap(({ message }) => message.split("\n")).filter((line) => line.startsWith("line "));
}

describe("an agent that is killed", { timeout: 60_000 }, () => {
  it("leaves what it had not sent, and the server brings it in once and says how much", async () => {
    const bench = await Workbench.open(server);
    await bench.node(printing);
    await bench.start();
    const since = bench.listener.received.length;
    await bench.until("start", "-1", "RUNNING");
    // Nothing of it can be stored: one batch is under way, the others wait.
    const isKept = server.db.transaction().execute(async (trx) => {
      await sql`select from jobs where id = ${bench.jobId} for update`.execute(trx);
      await expect.poll(() => keptBy(bench.jobId)).toContain(`line ${count - 1}`);
      signal(await agentOf(bench.jobId), "SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    });
    await isKept;
    await bench.state(since, "ERROR");
    expect(await printed(bench)).toEqual(Array.from({ length: count }, (_, n) => `line ${n}`));
    const last = (await bench.lines()).at(-1)?.[1];
    expect(last).toMatch(
      /^The processor's process is gone: it was killed or its machine restarted\. [\d,]+ lines that it had not sent were brought in\.$/,
    );
    bench.close();
  });

  it("is noticed within 3 s, while its node prints nothing", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("import time", "print('up')", "time.sleep(300)"));
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    await expect.poll(async () => (await bench.lines()).at(-1)?.[1]).toBe("up");
    const since = bench.listener.received.length;
    const began = performance.now();
    signal(await agentOf(bench.jobId), "SIGKILL");
    await bench.state(since, "ERROR");
    expect(performance.now() - began).toBeLessThan(3_000);
    expect((await bench.lines()).at(-1)?.[1]).toBe(
      "The processor's process is gone: it was killed or its machine restarted.",
    );
    bench.close();
  });
});
