import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type EngineWithServer, isAvailable, openEngineWithServer } from "../testing/engine-under-test.ts";
import { asksFor, hasPackageIndex } from "../testing/services/package-index.ts";
import { script } from "../testing/workbench.ts";

// Authors of node code choose packages. What they bring must stay within the project.

describe.skipIf(!isAvailable("sandbox") || !hasPackageIndex)("packages in the sandbox", { timeout: 120_000 }, () => {
  let underTest: EngineWithServer;
  beforeAll(async () => {
    underTest = await openEngineWithServer("sandbox");
  }, 60_000);
  afterAll(() => underTest.close());

  it("are installed by a program that node code cannot change, into a cache private to the project", async () => {
    const { fault } = underTest;
    const tools = join(fault.dataFolder, "tools");
    const attack = [
      "import os, six",
      `tools, data = ${JSON.stringify(tools)}, ${JSON.stringify(fault.dataFolder)}`,
      "names = os.listdir(tools)",
      "print('uv' in names, sorted(os.listdir(f'{data}/environments')))",
      'for attempt in (\'open(f"{tools}/uv", "r+")\', \'os.unlink(f"{tools}/uv")\', \'os.rename(f"{tools}/uv", f"{tools}/x")\',',
      '                \'os.chmod(f"{tools}/uv", 0o777)\', \'open(f"{tools}/uv.coming", "w")\', \'os.link(f"{tools}/uv", "uv")\'):',
      "    try: eval(attempt); print('may', attempt)",
      "    except OSError: pass",
    ];
    const benches = [];
    for (const _ of [1, 2]) {
      const bench = await fault.workbench();
      await bench.node(asksFor("six") + script(...attack));
      await bench.start();
      await bench.run();
      const lines = (await bench.lines()).map(([, text]) => text);
      expect(lines.filter((line) => line.startsWith("may"))).toEqual([]);
      expect(lines.at(-1)).toBe(`True ['${bench.projectId}']`);
      benches.push(bench);
    }
    const caches = benches.map(({ projectId }) => join(fault.dataFolder, "environments", projectId, "cache"));
    const [first, second] = await Promise.all(caches.map((folder) => stat(folder)));
    // Each belongs to its project's account, where the server has accounts to assign.
    if (process.getuid?.() === 0) expect(first?.uid).not.toBe(second?.uid);
    expect((await stat(join(tools, "uv"))).uid).toBe(process.getuid?.());
    for (const bench of benches) {
      await bench.until("stop", "", "EXITED");
      bench.close();
    }
  });
});
