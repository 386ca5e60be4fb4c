import type { RunMetrics, RunPage } from "@miranda/contract/schemas/runs.ts";
import { createServer, type AddressInfo, type Server } from "node:net";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hasSwift } from "../../scripts/swift.ts";
import {
  agentOf,
  type EngineWithServer,
  engineVariants,
  isAvailable,
  openEngineUnderTest,
  processesOf,
} from "../testing/engine-under-test.ts";
import { keptResults, resume, slowChain, slowNode } from "../testing/results/kept-results.ts";
import { TestSwift } from "../testing/services/swift.ts";
import { script, type Workbench } from "../testing/workbench.ts";
import { signal } from "../testing/services/signal.ts";

// One suite for every engine: each must keep these promises.

const secret = "a key that nobody may see";
const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);
const addressOf = (server: Server): string => {
  const { address, port } = server.address() as AddressInfo;
  return `${address}:${port}`;
};
async function nothingLeft(jobId: string): Promise<void> {
  await expect.poll(async () => (await processesOf(jobId)).length, { timeout: 15_000 }).toBe(0);
}

describe.each(engineVariants)("the engine %s", { timeout: 60_000 }, (name) => {
  const isContained = name === "docker" || name === "swarm";
  describe.skipIf(!isAvailable(name))("keeps its promises", () => {
    let underTest: EngineWithServer;
    let greeter: Server;
    let swift: TestSwift | undefined;
    beforeAll(async () => {
      const opened = await openEngineUnderTest(name);
      const host = opened.docker?.lan.hostAddress ?? "127.0.0.1";
      greeter = createServer((socket) => socket.end("hello"));
      await new Promise<void>((resolve) => greeter.listen(0, host, resolve));
      swift = hasSwift() ? await TestSwift.open(host) : undefined;
      const reached = [addressOf(greeter), swift && new URL(swift.url).host].filter(Boolean).join(",");
      const fault = await opened.server({ MIRANDA_SECRET_KEY: secret, MIRANDA_PROCESSOR_ALLOW: reached });
      underTest = { fault, docker: opened.docker, close: () => fault.close().then(opened.close) };
    }, 120_000);
    afterAll(async () => {
      await underTest.close();
      await swift?.close();
      greeter.close();
    });

    async function running(...lines: string[]): Promise<Workbench> {
      const bench = await underTest.fault.workbench();
      await bench.node(script(...lines));
      await bench.start();
      await bench.until("start", "-1", "RUNNING");
      return bench;
    }

    it("launches, runs, measures and stops a session, and leaves nothing behind", async () => {
      const bench = await underTest.fault.workbench();
      await bench.node(
        script(
          "import time",
          "until = time.process_time() + 2.5",
          "while time.process_time() < until: pass",
          "print('ran')",
        ),
      );
      await bench.start();
      // The agent and the worker; a sandbox has processes of its own beside them.
      const { length } = await processesOf(bench.jobId);
      expect(name === "sandbox" ? length > 2 : length === 2, `${length} processes`).toBe(true);
      expect((await bench.run()).workflow_state).toBe("READY");
      expect(await texts(bench)).toEqual(["ran"]);
      await bench.until("stop", "", "EXITED");
      const { cpu_seconds, ram_gb_seconds, total_cost, container_id } = await bench.job();
      expect(cpu_seconds).toBeGreaterThan(2);
      expect(cpu_seconds).toBeLessThan(6);
      expect(ram_gb_seconds).toBeGreaterThan(0);
      expect(total_cost).toBeGreaterThan(0);
      expect(container_id).toBeTruthy();
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it("lets node code log to the run, store a file and read it back, as MLflow's client does", async () => {
      const bench = await underTest.fault.workbench();
      await bench.node(
        script(
          "import json, os, urllib.request",
          "uri, token = os.environ['MLFLOW_TRACKING_URI'], os.environ['MLFLOW_TRACKING_TOKEN']",
          "def call(method, path, body=None):",
          "    asked = urllib.request.Request(uri + '/api/2.0/' + path, body, {'Authorization': 'Bearer ' + token}, method=method)",
          "    return urllib.request.urlopen(asked).read()",
          "made = json.loads(call('POST', 'mlflow/runs/create', json.dumps({'experiment_id': '0'}).encode()))['run']['info']",
          "point = {'run_id': made['run_id'], 'key': 'loss', 'value': 0.5, 'step': 1, 'timestamp': made['start_time']}",
          "call('POST', 'mlflow/runs/log-metric', json.dumps(point).encode())",
          "folder = 'mlflow-artifacts/artifacts/' + made['artifact_uri'].partition(':/')[2].lstrip('/')",
          "call('PUT', folder + '/notes.bin', bytes(3_000_000))",
          "print('stored', len(call('GET', folder + '/notes.bin')))",
        ),
      );
      await bench.start();
      await bench.run();
      expect(await texts(bench)).toContain("stored 3000000");
      const { runs } = (await bench.owner.get(`/api/v3/runs?graph_id=${bench.graphId}`)).json<RunPage>();
      const metrics = (await bench.owner.get(`/api/v3/runs/${runs[0]?.id}/metrics`)).json<RunMetrics>();
      expect(metrics).toMatchObject([{ name: "loss", values: [0.5] }]);
      await bench.until("stop", "", "EXITED");
      bench.close();
    });

    it("a crash ends as ERROR and is named", async () => {
      // The worker is the parent of the process in which node code runs.
      const bench = await running("import os, signal, time", "os.kill(os.getppid(), signal.SIGSEGV)", "time.sleep(60)");
      await bench.state(0, "ERROR");
      expect((await texts(bench)).at(-1)).toMatch(/segmentation fault/);
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it("a killed agent ends the session as ERROR with the reason, and leaves nothing behind", async () => {
      const bench = await running(
        "import subprocess, time",
        "subprocess.Popen(['sleep', '300'])",
        "print('up')",
        "time.sleep(300)",
      );
      await expect.poll(async () => (await processesOf(bench.jobId)).length).toBeGreaterThanOrEqual(3);
      signal(await agentOf(bench.jobId), "SIGKILL");
      await bench.state(0, "ERROR");
      expect((await texts(bench)).at(-1)).toMatch(
        /process is gone|ended with exit code 137|ended the processor \(failed\): task: non-zero exit \(137\)/,
      );
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it("ends a session that uses more memory than its policy allows, and says why", async () => {
      const bench = await underTest.fault.workbench();
      const node = await bench.node(
        script(
          "import time",
          "held = []",
          "for _ in range(60):",
          "    held.append(bytearray(b'x') * 10_000_000)",
          "    time.sleep(0.02)",
          "time.sleep(300)",
        ),
      );
      await bench.policy("compute", node, { cpu: 1, ram_gb: 0.25 });
      await bench.start();
      await bench.until("start", "-1", "RUNNING");
      await bench.state(0, "ERROR");
      const reason = /^Node was killed: the session used [\d.]+ of 0\.25 GB of memory\.$/;
      expect((await texts(bench)).at(-1)).toMatch(reason);
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it("limits the CPU to the policy's share, however many processes there are", async () => {
      const bench = await underTest.fault.workbench();
      const node = await bench.node(
        script(
          "import os, time",
          "begun = time.monotonic()",
          "child = os.fork()",
          "while time.monotonic() < begun + 4: pass",
          "if child == 0: os._exit(0)",
          "os.wait()",
          "used = os.times()",
          "print((used.user + used.system + used.children_user + used.children_system) / (time.monotonic() - begun))",
        ),
      );
      await bench.policy("compute", node, { cpu: 0.5, ram_gb: 1 });
      await bench.start();
      await bench.run();
      const share = Number((await texts(bench)).at(-1));
      expect(share).toBeGreaterThan(0);
      // Two processes would take two whole cores. The share is averaged over about a second.
      expect(share).toBeLessThan(0.7);
      await bench.until("stop", "", "EXITED");
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it("limits the number of processes of a fork bomb", async () => {
      const bench = await running(
        "import os, time",
        "for _ in range(200):",
        "    if os.fork() == 0:",
        "        time.sleep(300)",
        "        os._exit(0)",
        "time.sleep(300)",
      );
      if (isContained) {
        const { traceback } = await bench.listener.wait<{ traceback: string }>("exception");
        expect(traceback).toMatch(/BlockingIOError/);
        expect((await processesOf(bench.jobId)).length).toBeLessThanOrEqual(60);
        await bench.until("stop", "", "EXITED");
      } else {
        await bench.state(0, "ERROR");
        expect((await texts(bench)).at(-1)).toBe("The session was ended: it had more than 60 processes.");
      }
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it("shows node code no setting, token or key of the server", async () => {
      const bench = await underTest.fault.workbench();
      await bench.node(
        script(
          "import glob, os",
          "print(*sorted(name for name in os.environ if name.startswith(('MIRANDA', 'DATABASE', 'DOCKER'))))",
          "for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline') + glob.glob('/proc/*/mem'):",
          "    try: found = open(path, 'rb').read(1_000_000)",
          "    except OSError: continue",
          "    print(path, len(found), b'token=' in found)",
        ),
      );
      await bench.start();
      await bench.run();
      const [names, ...files] = await texts(bench);
      expect(names).toBe("MIRANDA_DISK_BYTES MIRANDA_JOB MIRANDA_STORAGE");
      expect(files.filter((line) => line.endsWith("True"))).toEqual([]);
      // Node code reads its own environment. The agent's is closed to it.
      if (isContained) expect(files.filter((line) => line.startsWith("/proc/1/environ"))).toEqual([]);
      for (const { pid } of await processesOf(bench.jobId)) {
        expect(await readFile(`/proc/${pid}/cmdline`, "latin1")).not.toContain("token=");
        expect(await readFile(`/proc/${pid}/environ`, "latin1")).not.toContain("token=");
      }
      await bench.until("stop", "", "EXITED");
      bench.close();
    });

    it("reaches what the operator allows", async () => {
      const [host = "", port = ""] = addressOf(greeter).split(":");
      const bench = await underTest.fault.workbench();
      await bench.node(
        script("import socket", `print(socket.create_connection(("${host}", ${port}), 5).recv(5).decode())`),
      );
      await bench.start();
      await bench.run();
      expect(await texts(bench)).toEqual(["hello"]);
      bench.close();
    });

    it("keeps a storage policy's volume between sessions, and nothing else", async () => {
      const bench = await underTest.fault.workbench();
      const node = await bench.node(
        script(
          "import os, pathlib",
          "from miranda import storage",
          "for folder in (storage(), pathlib.Path('.')):",
          "    print((folder / 'kept').exists())",
          "    (folder / 'kept').write_text('x')",
        ),
      );
      await bench.policy("storage", node, { name: "tides" });
      for (const expected of ["False", "True"]) {
        await bench.start();
        await bench.run();
        expect((await texts(bench)).slice(-2)).toEqual([expected, "False"]);
        await bench.until("stop", "", "EXITED");
      }
      bench.close();
    });

    it("keeps what nodes sent for the next session", async () => {
      const bench = await underTest.fault.workbench();
      const [, second = 0] = await slowChain(bench, [
        "self.out.send(bytes(3_000_000))",
        "self.out.send(len(self.inp))",
      ]);
      await bench.start();
      await bench.run();
      await keptResults(underTest.fault.database.db, bench.projectId, 2);
      await bench.until("stop", "", "EXITED");
      await bench.code(second, slowNode("N2", "print('got', len(self.inp))"));
      await bench.start();
      await bench.until("run", resume, "READY");
      expect((await texts(bench)).slice(-2)).toEqual(["N2 runs", "got 3000000"]);
      await bench.until("stop", "", "EXITED");
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it.skipIf(!hasSwift())("keeps a storage policy's files in an S3 bucket", async () => {
      if (!swift) throw new Error("no Swift");
      const bucket = await swift.makeBucket();
      const bench = await underTest.fault.workbench();
      const keys = { access_key_secret: "ACCESS", secret_key_secret: "SECRET" };
      for (const [key, value] of [
        [keys.access_key_secret, swift.accessKey],
        [keys.secret_key_secret, swift.secretKey],
      ] as const)
        await bench.owner.post("/api/v3/secrets", { key, value, project_id: bench.projectId });
      const node = await bench.node(
        script(
          "from miranda import storage",
          "print((storage() / 'kept').exists())",
          "(storage() / 'kept').write_text('x')",
        ),
      );
      await bench.policy("storage", node, { type: "s3", bucket, region: swift.region, endpoint: swift.url, ...keys });
      for (const expected of ["False", "True"]) {
        await bench.start();
        await bench.run();
        expect(await texts(bench)).toEqual([
          ...(expected === "True" ? [`s3://${bucket}: fetched 1 file, 1 byte`] : []),
          expected,
          `s3://${bucket}: stored 1 file, 1 byte`,
        ]);
        expect(await swift.get(bucket, "kept")).toBe("x");
        await bench.until("stop", "", "EXITED");
      }
      bench.close();
    });

    it("continues when the server is killed, and is found again", async () => {
      let bench = await running("import time", "for n in range(40):", "    print(n)", "    time.sleep(0.1)");
      const agent = await agentOf(bench.jobId);
      await underTest.fault.server.kill("SIGKILL");
      await underTest.fault.restart();
      bench = await underTest.fault.follow(bench);
      await bench.state(0, "READY");
      expect(await texts(bench)).toEqual(Array.from({ length: 40 }, (_, n) => String(n)));
      expect(await agentOf(bench.jobId)).toBe(agent);
      await bench.until("stop", "", "EXITED");
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it("ends everything that no session owns", async () => {
      const bench = await running("import time", "time.sleep(300)");
      expect(await processesOf(bench.jobId)).not.toEqual([]);
      await underTest.fault.database.db.deleteFrom("jobs").where("id", "=", bench.jobId).execute();
      await nothingLeft(bench.jobId);
      bench.close();
    });

    it("leaves nothing behind when a session is stopped during its launch (fault 9; 100 times in the long suite)", async () => {
      const bench = await underTest.fault.workbench();
      const ids: string[] = [];
      for (let at = 0; at < 6; at++) {
        const since = bench.listener.received.length;
        const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: at + 1 });
        bench.jobId = made.json<{ id: string }>().id;
        ids.push(bench.jobId);
        await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
        await bench.state(since, "EXITED");
      }
      for (const id of ids) await nothingLeft(id);
      expect(new Set(ids).size).toBe(6);
      bench.close();
    });
  });
});
