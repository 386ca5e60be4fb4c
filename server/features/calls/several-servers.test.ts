import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import { TestClient } from "../../testing/test-client.ts";
import { startTestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

const count = 40;

it("two servers on one database give each call to one session, once", { timeout: 120_000 }, async () => {
  const server = await startTestServer();
  const twin = await server.twin();
  const folder = await mkdtemp(join(tmpdir(), "miranda-once-"));
  const file = join(folder, "numbers");
  const bench = await Workbench.open(server);
  await bench.node(
    `from miranda import *

class Note(Node):
    number = Field(0, control=Number())
    noted = Transmitter()
    def run(self):
        with open(${JSON.stringify(file)}, "a") as file:
            file.write(f"{self.number}\\n")
        self.noted.send(self.number)
`,
    "Note",
  );
  const { id } = await serveAsProposed(bench, { name: "noted", at_once: 3, queue_max: 100 });
  const other = new TestClient(twin.url);
  for (const [name, value] of bench.owner.cookies) other.cookies.set(name, value);
  const servers = [callsOf(bench.owner, "noted"), callsOf(other, "noted")] as const;
  const numbers = Array.from({ length: count }, (_, at) => at);
  const calls = await Promise.all(numbers.map((number) => servers[number % 2 === 0 ? 0 : 1].made({ number })));
  // Each call is read at the server that did not accept it.
  for (const [number, call] of calls.entries())
    expect(await servers[number % 2 === 0 ? 1 : 0].ended(call.id)).toMatchObject({
      state: "done",
      result: { noted: number },
    });
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n").map(Number);
  expect(lines.toSorted((one, two) => one - two)).toEqual(numbers);
  const runs = await server.db.selectFrom("runs").select(["id", "job_id"]).execute();
  expect(runs.map((run) => run.id).toSorted()).toEqual(calls.map((call) => call.id).toSorted());
  const sessions = await server.db.selectFrom("jobs").select("id").where("deployment_id", "=", id).execute();
  expect(sessions.length).toBeLessThanOrEqual(3);
  await twin.close();
  await server.close();
  await rm(folder, { recursive: true });
});
