import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  type EngineWithServer,
  isAvailable,
  openEngineWithServer,
  processesOf,
} from "../../testing/engine-under-test.ts";
import { script, type Workbench } from "../../testing/workbench.ts";

// Node code that tries to escape.

const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);

describe.skipIf(!isAvailable("sandbox"))("the sandbox of the local engine", { timeout: 60_000 }, () => {
  let underTest: EngineWithServer;
  beforeAll(async () => {
    underTest = await openEngineWithServer("sandbox");
  }, 60_000);
  afterAll(() => underTest.close());

  it("hides the server, its files, other people's files and their processes", async () => {
    const { fault } = underTest;
    const other = await fault.workbench();
    await other.node(script("open('mine', 'w').write('x')", "import time", "time.sleep(300)"));
    await other.start();
    await other.until("start", "-1", "RUNNING");
    const theirs = (await processesOf(other.jobId)).map(({ pid }) => pid);

    const bench = await fault.workbench();
    await writeFile(join(fault.dataFolder, "secret-key"), "secret", { flag: "a" });
    await bench.node(
      script(
        "import os, signal",
        `data, others = ${JSON.stringify(fault.dataFolder)}, ${JSON.stringify(join(fault.dataFolder, "jobs", other.jobId))}`,
        "for path in (f'{data}/secret-key', f'{data}/miranda.lock', f'{data}/address', others, f'{others}/work/mine', f'{others}/pid', '/root/.ssh', '/etc/shadow', '/var/lib'):",
        "    try: print('sees', path, os.listdir(path) if os.path.isdir(path) else open(path).read())",
        "    except OSError: pass",
        "print(sorted(os.listdir(data)), os.listdir(f'{data}/jobs'))",
        `for pid in (${[fault.server.pid, process.pid, ...theirs].join(", ")}):`,
        "    for path in (f'/proc/{pid}/environ', f'/proc/{pid}/mem', f'/proc/{pid}/root'):",
        "        if pid > 50 and os.path.exists(path): print('sees', path)",
        "    try: os.kill(pid, 0) if pid > 50 else None",
        "    except ProcessLookupError: continue",
        "    print('reaches', pid)",
        "print(sorted(int(name) for name in os.listdir('/proc') if name.isdigit())[-1] < 50, os.getppid())",
        "for path in ('/usr/x', '/etc/x', '/x'):",
        "    try: open(path, 'w'); print('writes', path)",
        "    except OSError: pass",
        "for name in ('sethostname', 'chroot'):",
        "    try: getattr(__import__('socket'), name)('x') if name == 'sethostname' else os.chroot('/usr'); print('may', name)",
        "    except OSError: pass",
        "print('token' in open('/proc/self/mountinfo').read())",
      ),
    );
    await bench.start();
    await bench.run();
    const lines = await texts(bench);
    expect(lines.filter((line) => /^(sees|reaches|writes|may)/.test(line) && !line.endsWith("shadow "))).toEqual([]);
    expect(lines).toContain(`['environments', 'jobs', 'storage', 'tools'] ['${bench.jobId}']`);
    expect(lines.at(-2)).toMatch(/^True [23]$/);
    expect((await other.job()).workflow_state).toBe("RUNNING");
    for (const one of [bench, other]) {
      await one.owner.put(`/api/v3/jobs/${one.jobId}/cancel`);
      one.close();
    }
  });

  it("writes its notice into the session's log, and gives node code time when it ends", async () => {
    const bench = await underTest.fault.workbench();
    await bench.node(
      script(
        "import signal, sys, time",
        "signal.signal(signal.SIGTERM, lambda *_: (print('cleaned up', flush=True), sys.exit(0)))",
        "print('up')",
        "time.sleep(300)",
      ),
    );
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    await expect.poll(() => texts(bench)).toContain("up");
    await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    await bench.state(0, "EXITED");
    const all = (await bench.logs("?log_lines=100")).map(({ message }) => message);
    expect(all[0]).toBe("This processor runs as a process of the server's machine, in a sandbox of its own.");
    expect(all.join("\n")).toContain("cleaned up");
    bench.close();
  });

  it("runs without a sandbox when none can be made, and the log says why", async () => {
    const folder = await mkdtemp(join(tmpdir(), "miranda-bwrap-"));
    await mkdir(join(folder, "bin"));
    await writeFile(
      join(folder, "bin", "bwrap"),
      "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
    );
    await chmod(join(folder, "bin", "bwrap"), 0o755);
    const other = await openEngineWithServer("sandbox", () => ({
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    }));
    const bench = await other.fault.workbench();
    await bench.node(script("print('ran')"));
    await bench.start();
    await bench.run();
    expect((await bench.logs("?log_lines=100")).map(({ message }) => message)).toEqual([
      "This processor runs as a process of the server's machine, with the server's own rights: its sandbox could not be " +
        "made (bwrap: No permissions to create new namespace).",
      "ran",
    ]);
    bench.close();
    await other.close();
    await rm(folder, { recursive: true });
  });
});
