import { runArgs } from "@miranda/contract/command-args.ts";
import type { ExceptionEvent, JobSummary, RunPackages } from "@miranda/contract/schemas/processors.ts";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { isAvailable, openEngineWithServer } from "../../../testing/engine-under-test.ts";
import { asksFor, hasPackageIndex } from "../../../testing/services/package-index.ts";
import { keptResults } from "../../../testing/results/kept-results.ts";
import { versionedRun } from "../../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { wheelHeader } from "../../../testing/services/wheel.ts";
import { script, Workbench } from "../../../testing/workbench.ts";

const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function withBench(test: (bench: Workbench) => Promise<void>): Promise<void> {
  const bench = await Workbench.open(server);
  await test(bench);
  await bench.until("stop", "", "EXITED");
  bench.close();
}

describe("a run whose nodes declare packages", { timeout: 120_000 }, () => {
  it("installs them first, stores their versions, and installs nothing the next time", async () =>
    withBench(async (bench) => {
      await bench.node(
        (await wheelHeader("tides", "HEIGHT = 42\n")) + script("import tides", "print('height', tides.HEIGHT)"),
      );
      await bench.start();
      await bench.run();
      expect((await texts(bench)).filter((line) => /^(Installing|Installed|height)/.test(line))).toEqual([
        expect.stringMatching(/^Installing tides @ file:/),
        expect.stringMatching(/^Installed tides 1\.0 in [\d.]+ s\.$/),
        "height 42",
      ]);
      const read = async () => (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/packages`)).json<RunPackages[]>();
      expect(await read()).toEqual([{ run: 1, packages: { tides: "1.0" } }]);
      await bench.until("restart", "", "READY");
      await bench.run();
      expect((await texts(bench)).filter((line) => line.startsWith("Installing"))).toHaveLength(1);
      expect((await server.anonymous().get(`/api/v3/jobs/${bench.jobId}/packages`)).status).toBe(401);
    }));

  it("needs only the packages of the nodes that run and of those upstream", async () =>
    withBench(async (bench) => {
      await bench.node(asksFor("no-such-package-of-ours @ file:///nowhere/x-1.0-py3-none-any.whl") + script("pass"));
      const good = await bench.node(script("print('runs')"));
      await bench.start();
      await bench.until("run", runArgs({ mode: "one", node: good }), "RUNNING");
      await expect.poll(() => texts(bench)).toContain("runs");
    }));

  it("R6 starts a new process when a loaded package gets another version, and records what was loaded", async () =>
    withBench(async (bench) => {
      const code = async (version: string) =>
        (await wheelHeader("tides", `__version__ = "${version}"\n`, version)) +
        script("import tides", "print('version', tides.__version__)");
      const node = await bench.node(await code("1.0"));
      await bench.start();
      await bench.run();
      await bench.code(node, await code("2.0"));
      await bench.run();
      expect((await texts(bench)).slice(-2)).toEqual([
        "tides 1.0 was loaded: a new process uses 2.0. What nodes sent is kept.",
        "version 2.0",
      ]);
      const runs = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}/packages`)).json<RunPackages[]>();
      expect(runs.find(({ run }) => run === 2)?.packages).toEqual({ tides: "2.0" });
    }));

  it("R7 runs a node again whose packages changed, also when its text names none of them", async () => {
    const bench = await Workbench.open(server);
    const pin = async (version: string) =>
      (await wheelHeader("tides", `__version__ = "${version}"\n`, version)) + script("pass");
    const pinned = await bench.node(await pin("1.0"), "Pin");
    const reads = script("import importlib", "print('version', importlib.import_module('tides').__version__)");
    await bench.node(reads.replace("def run", 'cache = "project"\n\n    def run'), "Reads");
    const printed: string[][] = [];
    for (const version of ["1.0", "1.0", "2.0"]) {
      await bench.code(pinned, await pin(version));
      await bench.start();
      await bench.run();
      printed.push((await texts(bench)).filter((line) => line.startsWith("version")));
      await keptResults(server.db, bench.projectId, 1);
      await bench.until("stop", "", "EXITED");
    }
    expect(printed).toEqual([["version 1.0"], [], ["version 2.0"]]);
    bench.close();
  });

  it("installs those of the run that it repeats, and those of now when they are gone", async () =>
    withBench(async (bench) => {
      const code = script("import tides", "print('height', tides.HEIGHT)");
      await bench.node((await wheelHeader("tides", "HEIGHT = 42\n")) + code);
      await bench.start();
      await bench.run();
      const first = await versionedRun(bench);
      expect(first.packages).toEqual({ tides: "1.0" });
      const repeats = runArgs({ mode: "changed", repeats: first.id });
      await bench.until("run", repeats, "READY");
      expect((await texts(bench)).filter((line) => line === "height 42")).toHaveLength(2);
      expect((await texts(bench)).join("\n")).not.toContain("cannot be installed");

      await server.db
        .updateTable("runs")
        .set({ packages: JSON.stringify({ tides: "1.0", "no-such-package-of-ours-at-all": "9.9" }) })
        .where("id", "=", first.id)
        .execute();
      await bench.until("run", repeats, "READY");
      const said = (await texts(bench)).join("\n");
      expect(said).toContain("The packages of the run that is repeated cannot be installed. Those of now are used.");
      expect((await texts(bench)).filter((line) => line === "height 42")).toHaveLength(3);
    }));

  it.skipIf(!hasPackageIndex)("installs the very versions of the run that it repeats", async () =>
    withBench(async (bench) => {
      await bench.node(asksFor("six") + script("import six", "print('six', six.__version__)"));
      await bench.start();
      await bench.run();
      const first = await versionedRun(bench);
      await server.db
        .updateTable("runs")
        .set({ packages: JSON.stringify({ six: "1.15.0" }) })
        .where("id", "=", first.id)
        .execute();
      await bench.until("restart", "", "READY");
      await bench.until("run", runArgs({ mode: "changed", repeats: first.id }), "READY");
      expect((await texts(bench)).at(-1)).toBe("six 1.15.0");
      // The next run is as the workflow is now.
      await bench.until("restart", "", "READY");
      await bench.run();
      expect((await texts(bench)).at(-1)).toBe(`six ${first.packages["six"]}`);
    }),
  );

  /** Installs a package whose build waits for a file in the folder. */
  async function installSlowly(bench: Workbench, folder: string): Promise<number> {
    await mkdir(join(folder, "slow"));
    const build = `import os, time
while not os.path.exists(${JSON.stringify(join(folder, "go"))}): time.sleep(0.02)
raise SystemExit("It was only to wait.")
`;
    await writeFile(join(folder, "slow", "backend.py"), build);
    const settings = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n';
    await writeFile(join(folder, "slow", "pyproject.toml"), settings);
    await bench.node(asksFor(`slow @ ${pathToFileURL(join(folder, "slow")).href}`) + script("print('it ran')"));
    await bench.start();
    const since = bench.listener.received.length;
    await bench.until("start", "-1", "RUNNING");
    await bench.listener.wait<JobSummary>("update[DOCKER_JOB]", ({ installing }) => installing?.total === 1, since);
    return since;
  }

  it("shows its progress to people who come later", async () =>
    withBench(async (bench) => {
      const folder = await mkdtemp(join(tmpdir(), "miranda-slow-"));
      const since = await installSlowly(bench, folder);
      const later = (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).json<JobSummary>();
      expect(later).toMatchObject({ workflow_state: "RUNNING", installing: { total: 1, done: 0 } });
      await writeFile(join(folder, "go"), "");
      const ended = await bench.state(since, "READY");
      expect(ended.installing ?? null).toBe(null);
      await rm(folder, { recursive: true });
    }));

  it("is stopped by an interrupt while it installs, and the session continues", async () =>
    withBench(async (bench) => {
      const folder = await mkdtemp(join(tmpdir(), "miranda-slow-"));
      const since = await installSlowly(bench, folder);
      expect((await bench.send("interrupt")).status).toBe(200);
      await bench.state(since, "READY");
      await expect.poll(() => texts(bench)).toContain("The installation was interrupted.");
      expect(await texts(bench)).not.toContain("it ran");
      expect(bench.listener.all("exception")).toEqual([]);
      await rm(folder, { recursive: true });
    }));
});

describe("packages that cannot be installed", { timeout: 120_000 }, () => {
  it.skipIf(!hasPackageIndex)("are named at the node that asks for them, in uv's words, and nothing runs", async () =>
    withBench(async (bench) => {
      const wrong = await bench.node(`import os\n${asksFor("six", "no-such-package-of-ours-at-all")}${script("pass")}`);
      await bench.node(script("print('runs')"));
      await bench.start();
      const ended = await bench.run();
      expect(ended.workflow_state).toBe("READY");
      const event = await bench.listener.wait<ExceptionEvent>("exception");
      expect(event).toMatchObject({ wob_key: wrong, line_number: 3 });
      expect(event.traceback).toMatch(/no-such-package-of-ours-at-all was not found in the package registry/);
      expect(event.traceback.trim().split("\n").at(-1)).toBe(
        "PackageError: no-such-package-of-ours-at-all cannot be installed.",
      );
      expect(await texts(bench)).not.toContain("runs");
      await bench.code(wrong, asksFor("six") + script("import six", "print(six.PY3)"));
      await bench.run();
      expect(await texts(bench)).toEqual(expect.arrayContaining(["runs", "True"]));
    }),
  );

  it.skipIf(!hasPackageIndex)("because two nodes conflict are named at both", async () =>
    withBench(async (bench) => {
      const first = await bench.node(asksFor("six<1.16") + script("pass"), "Load");
      const second = await bench.node(asksFor("six>=1.16") + script("pass"), "Train");
      await bench.start();
      await bench.run();
      const exceptions = bench.listener.all<ExceptionEvent>("exception");
      expect(new Set(exceptions.map(({ wob_key }) => wob_key))).toEqual(new Set([first, second]));
      expect(exceptions).toHaveLength(2);
      const last = "PackageError: six<1.16 (Load) and six>=1.16 (Train) cannot be installed together.";
      for (const { traceback } of exceptions) expect(traceback.trim().split("\n").at(-1)).toBe(last);
    }),
  );

  it("because a block is invalid or names an option are refused at its line", async () =>
    withBench(async (bench) => {
      const node = await bench.node(asksFor("--index-url=http://127.0.0.1") + script("pass"));
      await bench.start();
      await bench.run();
      const first = await bench.listener.wait<ExceptionEvent>("exception");
      expect(first).toMatchObject({ wob_key: node, line_number: 2 });
      expect(first.traceback).toContain("is not the name of a package");
      const since = bench.listener.received.length;
      await bench.code(node, `# /// script\n# dependencies = [\n# ///\n${script("pass")}`);
      await bench.run();
      const second = await bench.listener.wait<ExceptionEvent>("exception", () => true, since);
      expect(second.traceback).toContain("The inline metadata cannot be read");
    }));

  it.skipIf(!isAvailable("sandbox"))("because there is no network are explained", async () => {
    const underTest = await openEngineWithServer("sandbox", () => ({ MIRANDA_PROCESSOR_NETWORK: "none" }));
    const bench = await underTest.fault.workbench();
    const node = await bench.node(asksFor("six") + script("pass"));
    await bench.start();
    await bench.run();
    const event = await bench.listener.wait<ExceptionEvent>("exception");
    expect(event).toMatchObject({ wob_key: node, line_number: 2 });
    expect(event.traceback).toContain("PackageError: The package index could not be reached.");
    await bench.until("stop", "", "EXITED");
    bench.close();
    await underTest.close();
  });
});
