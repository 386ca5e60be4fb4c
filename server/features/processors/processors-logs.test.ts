import { logsEvent } from "@miranda/contract/events.ts";
import type { Job, JobsResponse, LogEntry } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { addEndedSession } from "../../testing/billing.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";
import { toEntries } from "./logs/log-entries.ts";

let server: TestServer;
let bench: Workbench;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  node = await bench.node(script("pass"));
  await bench.start();
});
afterAll(async () => {
  bench.close();
  await server.close();
});

/** Runs these lines and returns what they printed. */
async function output(...lines: string[]): Promise<[number, string][]> {
  const before = (await bench.lines()).length;
  await bench.code(node, script(...lines, `# ${before}`));
  expect((await bench.run()).workflow_state).toBe("READY");
  return (await bench.lines()).slice(before);
}

describe("logs", () => {
  it("have levels: stdout, stderr and those of logging, in the order they were written", async () => {
    const written = await output(
      "import sys, logging",
      "print('one')",
      "print('two', file=sys.stderr)",
      "self.log.debug('three')",
      "print('four')",
      "self.log.info('%s', 'five')",
      "logging.warning('six')",
      "logging.getLogger('x').error('seven')",
      "log('eight')",
      "print('nine')",
    );
    expect(written).toEqual([
      [0, "one"],
      [2, "two"],
      [4, "three"],
      [0, "four"],
      [1, "five"],
      [2, "six"],
      [3, "seven"],
      [1, "eight"],
      [0, "nine"],
    ]);
  });

  it("keep what child processes, threads and raw descriptors write", async () => {
    const written = await output(
      "import subprocess, sys, threading, os",
      "subprocess.run(['sh', '-c', 'echo child; echo worse >&2'])",
      "threads = [threading.Thread(target=print, args=(f'thread {n}',)) for n in range(3)]",
      "[thread.start() for thread in threads]; [thread.join() for thread in threads]",
      "os.write(1, b'raw\\n')",
    );
    const sorted = written.toSorted(([, one], [, other]) => (one < other ? -1 : 1));
    expect(sorted).toEqual([
      [0, "child"],
      [0, "raw"],
      [0, "thread 0"],
      [0, "thread 1"],
      [0, "thread 2"],
      [2, "worse"],
    ]);
  });

  it("keep carriage returns, ANSI, null and invalid bytes, and empty lines", async () => {
    const written = await output(
      "import os, sys",
      "print('10%\\r50%\\r100%')",
      "print('a\\r')",
      "print('\\x1b[31mred\\x1b[0m')",
      "print('nul\\0l')",
      "print()",
      "sys.stdout.flush()",
      "os.write(1, b'bad \\xff byte\\r\\n')",
    );
    // Output to the raw descriptor takes another way, and may come first.
    const texts = written.map(([, text]) => text);
    const raw = texts.indexOf("bad \ufffd byte");
    expect(raw).toBeGreaterThanOrEqual(0);
    expect(texts.toSpliced(raw, 1)).toEqual(["100%", "a", "\u001b[31mred\u001b[0m", "nul\u2400l", ""]);
  });

  it("show a single line and an unfinished one while the node runs", async () => {
    await bench.code(node, script("import time", "print('first')", "print('progress 1', end='')", "time.sleep(60)"));
    const since = bench.listener.received.length;
    await bench.until("start", "-1", "RUNNING");
    const event = logsEvent(bench.jobId);
    await bench.listener.wait<LogEntry[]>(
      event,
      (entries) => entries.some(({ message }) => message.includes("first")),
      since,
    );
    await bench.listener.wait<LogEntry[]>(
      event,
      (entries) => entries.some(({ message }) => message === "progress 1"),
      since,
    );
    await bench.until("restart", "", "READY");
    const texts = (await bench.lines()).map(([, text]) => text);
    expect(texts).toContain("progress 1");
  });

  it("bring thousands of lines through the socket and the database, each once and in order", async () => {
    const before = (await bench.job()).logs.at(-1);
    const first = (before?.id ?? 0) + (before?.message.split("\n").length ?? 0);
    const written = await output("for n in range(20000): print(n)");
    expect(written.map(([, text]) => text)).toEqual(Array.from({ length: 20_000 }, (_, at) => String(at)));
    const last = (await bench.job()).logs.at(-1);
    const end = (last?.id ?? 0) + (last?.message.split("\n").length ?? 0);
    expect(end - first).toBe(20_000);
    await bench.listener.wait<LogEntry[]>(logsEvent(bench.jobId), (entries) =>
      entries.some(({ message }) => message.endsWith("19999")),
    );
    const received = bench.receivedLines().filter(({ id }) => id >= first);
    expect(received.map(({ text }) => text)).toEqual(Array.from({ length: 20_000 }, (_, at) => String(at)));
  });

  it("can be read by number and amount", async () => {
    const [last] = (await bench.logs("?log_lines=1")) as [LogEntry];
    expect(last.message).toBe("19999");
    expect((await bench.logs("?log_lines=2")).map(({ message }) => message).join("\n")).toBe("19998\n19999");
    expect((await bench.logs(`?after=${last.id - 3}`)).map(({ message }) => message).join("\n")).toBe(
      "19997\n19998\n19999",
    );
    expect(await bench.logs(`?after=${last.id}`)).toEqual([]);
    expect((await bench.logs("?log_lines=1&log_max_length=2"))[0]?.message).toBe("19");
    const jobs = (await bench.owner.get("/api/v3/jobs?log_max_length=1&log_lines=1")).json<JobsResponse>();
    const [job] = jobs.running as [Job];
    expect(job.logs).toHaveLength(1);
    expect(job.logs[0]).toEqual({
      id: last.id,
      wob_key: node,
      timestamp: expect.any(String) as string,
      tag: 0,
      message: "1",
    });
    for (const query of ["log_lines=-1", "log_lines=x", "after=-1", "log_max_length=1.5"])
      expect((await bench.owner.get(`/api/v3/jobs/${bench.jobId}?${query}`)).status).toBe(400);
  });

  it("keep what is written at the very end", async () => {
    await bench.code(node, script("import os", "print('last words')", "os.write(1, b'no newline')", "os.abort()"));
    await bench.run();
    const texts = (await bench.lines()).map(([, text]) => text);
    expect(texts).toContain("last words");
    expect(texts).toContain("no newline");
    expect(texts.join("\n")).toMatch(/The process of .+ ended: a library written in C gave up \(abort\)\./);
  });
});

describe("a log that grows over its cap", () => {
  it("keeps the newest lines and says how many were cut", async () => {
    const small = await startTestServer({
      processors: {
        ...(await import("../../platform/settings/config.ts")).readConfig({}).processors,
        logBytes: 50_000,
      },
    });
    const one = await Workbench.open(small);
    await one.node(script("import time", "for n in range(30000):", "    print(n)", "    n % 1000 or time.sleep(0.05)"));
    await one.start();
    await one.run();
    const entries = await one.logs("?log_lines=1000000");
    expect(entries[0]).toMatchObject({ tag: 2, message: expect.stringMatching(/^\d+ lines were cut here/) as string });
    const cut = Number(/^\d+/.exec(entries[0]?.message ?? "")?.[0]);
    expect(entries[1]?.id).toBe(cut + 1);
    expect(entries.at(-1)?.message.endsWith("29999")).toBe(true);
    one.close();
    await small.close();
  });
});

describe("a large log", () => {
  it("is sent in parts, and other requests are answered between them", async () => {
    const other = await Workbench.open(server);
    // One that has ended: nobody adds lines to its log.
    const jobId = await addEndedSession(server.db, other.owner.account.id, other.graphId, "0");
    // Few large pieces and many small ones, as quick and slow nodes make them.
    const sizes = [...Array.from({ length: 30 }, () => 20_000), ...Array.from({ length: 300 }, () => 3)];
    let first = 1;
    const chunks = sizes.map((lines) => {
      const text = Array.from({ length: lines }, (_, at) => `line "${first + at}"`).join("\n");
      const entries = JSON.stringify(toEntries(first, 0, 0, text));
      const chunk = { job_id: jobId, first_line: first, lines, bytes: text.length, entries };
      first += lines;
      return chunk;
    });
    await server.db.insertInto("log_chunks").values(chunks).execute();
    const last = first - 1;
    await server.db.updateTable("jobs").set({ last_line: last }).where("id", "=", jobId).execute();

    const cookie = [...other.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(`${server.url}/api/v3/jobs/${jobId}?log_lines=1000000`, { headers: { cookie } });
    const sent = new AbortController();
    const body = answer.text().finally(() => sent.abort());
    let answeredMeanwhile = 0;
    while (!sent.signal.aborted) {
      expect((await server.anonymous().get("/healthz")).status).toBe(200);
      if (!sent.signal.aborted) answeredMeanwhile += 1;
    }
    expect(answeredMeanwhile).toBeGreaterThan(5);
    const { logs, ...summary }: Job = JSON.parse(await body);
    expect(summary.id).toBe(jobId);
    const lines = logs.flatMap(({ id, message }) => message.split("\n").map((text, at) => `${id + at} ${text}`));
    expect(lines).toEqual(Array.from({ length: last }, (_, at) => `${at + 1} line "${at + 1}"`));

    const between = await other.owner.get(`/api/v3/jobs/${jobId}?after=599998&before=600010`);
    expect(between.json<Job>().logs.flatMap(({ message }) => message.split("\n"))).toEqual(
      Array.from({ length: 11 }, (_, at) => `line "${599_999 + at}"`),
    );
    other.close();
  });
});
