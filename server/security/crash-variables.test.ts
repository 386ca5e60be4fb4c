import { runMax } from "@miranda/contract/protocol/worker.ts";
import type { ExceptionEvent } from "@miranda/contract/schemas/processors.ts";
import { RunDetails, RunPage } from "@miranda/contract/schemas/runs.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestAccount, type TestServer } from "../testing/test-server.ts";
import { forge, listen, script, Workbench } from "../testing/workbench.ts";

// An exception keeps the variables of its frames. They are for editors, without secrets, and never many.

describe("the variables of an exception", { timeout: 60_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  async function newest(bench: Workbench, by: TestAccount = bench.owner): Promise<RunDetails> {
    const page = RunPage.parse((await by.get(`/api/v3/runs?graph_id=${bench.graphId}`)).json());
    return RunDetails.parse((await by.get(`/api/v3/runs/${page.runs[0]?.id}`)).json());
  }

  async function failed(...lines: string[]): Promise<{ bench: Workbench; node: number }> {
    const bench = await Workbench.open(server);
    const node = await bench.node(script(...lines), "Bad");
    await bench.start();
    await bench.run();
    return { bench, node };
  }

  it("are read after the session has ended", async () => {
    const { bench, node } = await failed("rows = [{'tide': 3}]", "share = 0", "print(rows[0]['tide'] / share)");
    await bench.until("stop", "", "EXITED");
    const { state, exceptions } = await newest(bench);
    expect(state).toBe("failed");
    expect(exceptions).toHaveLength(1);
    expect(exceptions[0]).toMatchObject({ wob_key: node, line: 7, function: "run" });
    expect(exceptions[0]?.frames[0]).toMatchObject({
      node,
      line: 7,
      function: "run",
      locals: { rows: [{ tide: 3 }], share: 0, self: { "": "<Script>" } },
    });
    bench.close();
  });

  it("of a thread are kept too", async () => {
    const { bench, node } = await failed(
      "import threading",
      "def work(share): return 1 / share",
      "one = threading.Thread(target=work, args=(0,))",
      "one.start()",
      "one.join()",
    );
    const { exceptions } = await newest(bench);
    expect(exceptions[0]?.frames[0]).toMatchObject({ node, function: "work", locals: { share: 0 } });
    bench.close();
  });

  it("never reach readers: neither by the run, nor by events", async () => {
    const bench = await Workbench.open(server);
    const reader = await server.signUp();
    await bench.node(script("private = 'only for editors'", "raise ValueError(len(private))"));
    const form = { user: reader.account.username, role: "viewer" };
    expect((await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, form)).status).toBe(200);
    const listener = await listen(server, reader, bench.graphId);
    await bench.start();
    await bench.run();
    await listener.wait<ExceptionEvent>("exception");
    expect(JSON.stringify((await newest(bench)).exceptions)).toContain("only for editors");
    const seen = await newest(bench, reader);
    expect(seen.exceptions[0]).toMatchObject({ frames: [], function: "run" });
    const everything = JSON.stringify(listener.received) + JSON.stringify(seen);
    // The line of code is in the traceback, which readers may see; its value is not.
    expect(everything.replaceAll("private = 'only for editors'", "")).not.toContain("only for editors");
    // Not even editors get them with the event: they are large, and few people look.
    const event = bench.listener.all<ExceptionEvent>("exception")[0];
    expect(Object.keys(event ?? {})).not.toContain("frames");
    listener.close();
    bench.close();
  });

  it("hold no secret: neither whole, nor cut, nor encoded, nor in bytes", async () => {
    const bench = await Workbench.open(server);
    const value = "tide-t0ken-9417-with-some-length";
    await bench.owner.post("/api/v3/secrets", { key: "token", value });
    await bench.node(
      script(
        "import base64",
        "token = secret('token')",
        "header = {'Authorization': [f'Bearer {token}']}",
        "raw, late = token.encode(), b'x' * 20 + token.encode()",
        "long = 'x' * 1990 + token",
        "basic = base64.b64encode(token.encode()).decode()",
        "by_key = {token: 1}",
        "raise ValueError(token)",
      ),
    );
    await bench.start();
    await bench.run();
    const kept = JSON.stringify((await newest(bench)).exceptions);
    expect(kept).toContain("Authorization");
    expect(kept).toContain("••••");
    const encoded = Buffer.from(value).toString("base64").slice(0, 12);
    for (const part of [value, value.slice(0, 8), "t0ken", encoded]) expect(kept).not.toContain(part);
    bench.close();
  });

  it("of ten megabytes are cut and say so", async () => {
    const { bench } = await failed(
      "long = 'x' * 10_000_000",
      "many = [{'name': 'y' * 500} for _ in range(20_000)]",
      "raise ValueError(len(long) + len(many))",
    );
    const [exception] = (await newest(bench)).exceptions;
    expect(JSON.stringify(exception?.frames).length).toBeLessThanOrEqual(runMax.frameBytes);
    expect(JSON.stringify(exception?.frames)).toContain("(10000000 characters)");
    expect(JSON.stringify(exception?.frames)).toContain("19900 more");
    bench.close();
  });

  it("of a hostile worker that are too large are dropped, and its exception is kept", async () => {
    const { bench } = await failed(
      ...forge,
      "frame = {'node': None, 'line': 1, 'function': 'f', 'file': 'x.py', 'locals': {'a': 'z' * 10_000_000}}",
      "message = {'kind': 'exception', 'node': None, 'line': 3, 'function': 'forged', 'traceback': 'Forged: yes', 'frames': [frame]}",
      "send(message)",
      "print('sent')",
    );
    const { exceptions } = await newest(bench);
    expect(exceptions[0]).toMatchObject({ function: "forged", traceback: "Forged: yes", frames: [] });
    expect((await bench.lines()).map(([, text]) => text)).toContain("sent");
    bench.close();
  });

  it.each([
    ["raises", "raise RuntimeError('no')"],
    ["hangs", "import time; time.sleep(600)"],
    ["exits the process", "import os; os._exit(3)"],
    ["raises SystemExit", "raise SystemExit(4)"],
  ])("with a __repr__ that %s are shown without calling it", async (_what, body) => {
    const { bench } = await failed(
      "class Thing:",
      `    def __repr__(self): ${body}`,
      "    __str__ = __len__ = __iter__ = __repr__",
      "thing, other, caught = Thing(), [Thing()], ValueError(Thing())",
      "raise KeyError('key')",
    );
    const { state, exceptions } = await newest(bench);
    expect(state).toBe("failed");
    expect(exceptions[0]?.frames[0]?.locals).toMatchObject({ thing: expect.anything(), other: [expect.anything()] });
    // The session lives on.
    expect((await bench.job()).workflow_state).toBe("READY");
    bench.close();
  });
});
