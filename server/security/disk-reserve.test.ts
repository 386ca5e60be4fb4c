import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";

import { readConfig } from "../platform/settings/config.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import { script, Workbench } from "../testing/workbench.ts";

// Sessions leave twice the reserve free. Here that is more than the disk has left, and the database has its reserve.

let server: TestServer;
beforeAll(async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  const { processors } = readConfig({});
  server = await startTestServer({ processors: { ...processors, diskReserveBytes: Math.floor(bavail * bsize * 0.7) } });
});
afterAll(() => server.close());

it("ends a session that goes on writing when the disk is almost full, also to a file that no process has open", async () => {
  const bench = await Workbench.open(server);
  const idle = await Workbench.open(server);
  await bench.node(
    script(
      "import os, socket, time",
      "here, there = socket.socketpair()",
      "for _ in range(10):",
      "    with open('x', 'wb') as file:",
      "        os.unlink('x')",
      "        socket.send_fds(here, [b'x'], [file.fileno()])",
      "        file.write(bytes(8_000_000))",
      "    time.sleep(0.5)",
      "time.sleep(60)",
    ),
  );
  await bench.start();
  await idle.start();
  const since = bench.listener.received.length;
  await bench.until("start", "-1", "RUNNING");
  await bench.state(since, "ERROR");
  expect((await bench.lines()).at(-1)?.[1]).toBe(
    "The session was ended: the server's disk is almost full, and it went on writing files.",
  );
  expect((await idle.job()).workflow_state).toBe("READY");
  for (const one of [bench, idle]) one.close();
});
