import type { Call, CallInDesigner, CallPage } from "@miranda/contract/schemas/deployments/calls.ts";
import type { NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import { deploymentOf } from "../../testing/deployments/deployments.ts";
import { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

const greet = `from miranda import *

class Greet(Node):
    who = Field("World", control=Text())
    times = Field(1, control=Slider(0, 5))
    sheet = Field(None, control=File())
    text = Transmitter()
    rows = Transmitter()
    report = Transmitter()
    def run(self):
        print("greeting", self.who)
        lines = self.sheet.read_text().splitlines() if self.sheet else []
        self.text.send(f"Hello {self.who}" + "!" * (12 // self.times))
        self.rows.send([{"line": line, "at": at} for at, line in enumerate(lines)])
        self.report.send(OutputFile("../report.html", "<script>alert(1)</script>"))
`;

let server: TestServer;
let bench: Workbench;
let caller: TestAccount;
let graph = "";

beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  await bench.node(greet, "Greet");
  graph = bench.graphId;
  await serveAsProposed(bench, { name: "greetings", title: "Greetings", access: "accounts", warm: 1, at_once: 1 });
  // A caller who may use the app, and cannot read the private workflow.
  await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
  caller = await server.signUp();
});
afterAll(async () => {
  bench.close();
  await server.close();
});

const own = () => callsOf(caller, "greetings");

describe("a call", () => {
  it("answers with its result when somebody waits, and is found again", async () => {
    const call = await own().done({ who: "sea", times: 4, sheet: { name: "a.csv", content: btoa("x\ny") } });
    expect(call).toMatchObject({
      ...{ state: "done", reason: "", position: null, via: "explorer", shared: null, reported: false },
      app: { name: "greetings", title: "Greetings", release: 1, channel: "production" },
      steps: [{ label: "Greet", state: "done", progress: null }],
      result: {
        text: "Hello sea!!!",
        rows: [
          { line: "x", at: 0 },
          { line: "y", at: 1 },
        ],
        report: { name: "report.html" },
      },
    });
    expect(await own().read(call.id)).toEqual(call);
    expect(call).not.toHaveProperty("cost");
    const listed = (await own().list("?state=done")).json<CallPage>().calls;
    expect(listed[0]).toMatchObject({ id: call.id, inputs: { who: "sea", times: 4 } });
    expect(listed[0]).not.toHaveProperty("by");
  });

  it("gives its outputs as files, which nothing on this site runs", async () => {
    const call = await own().done({ who: "=1+1", times: 4, sheet: { name: "a.csv", content: btoa("=x,1") } });
    const numberOf = (name: string) => call.outputs.find((output) => output.name === name)?.number ?? 0;
    const report = await own().get(call.id, `/files/${numberOf("report")}`);
    expect([report.status, report.text]).toEqual([200, "<script>alert(1)</script>"]);
    expect(report.headers.get("content-type")).toBe("application/octet-stream");
    expect(report.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''report.html");
    const table = await own().get(call.id, `/files/${numberOf("rows")}?format=csv`);
    expect(table.text).toBe('\uFEFFline,at\r\n"\'=x,1",0\r\n');
    expect((await own().get(call.id, "/files/99")).status).toBe(404);
    expect((await own().get(call.id, "/inputs/who")).status).toBe(404);
  });

  it("that fails says so without code to callers, and with the exception to those who may read the workflow", async () => {
    const call = await own().done({ times: 0 });
    expect(call).toMatchObject({ state: "failed", reason: "A step failed: Greet.", result: {} });
    expect(call.steps).toMatchObject([{ state: "failed" }]);
    const seen = await callsOf(bench.owner, "greetings").read(call.id);
    expect(seen.reason).toContain("ZeroDivisionError");
    expect(seen.inputs).toEqual(call.inputs);
  });

  it("goes on when the caller leaves", async () => {
    const leaving = new AbortController();
    const cookie = [...caller.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = fetch(`${server.url}${own().at}?wait=60`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify({ who: "leaver", times: 1 }),
      signal: leaving.signal,
    }).catch(() => undefined);
    const find = async () =>
      (await own().list()).json<CallPage>().calls.find(({ inputs }) => inputs["who"] === "leaver");
    await expect.poll(find).toBeDefined();
    leaving.abort();
    await sent;
    const call = await own().ended((await find())?.id ?? "");
    expect(call.result["text"]).toBe("Hello leaver!!!!!!!!!!!!");
  });

  it("is made once for one Idempotency-Key, and another body is refused", async () => {
    const key = { "idempotency-key": "order-1" };
    const first = (await own().send({ who: "one", times: 4 }, "", key)).json<Call>();
    const again = (await own().send({ times: 4, who: "one" }, "?wait=60", key)).json<Call>();
    expect([again.id, again.state]).toEqual([first.id, "done"]);
    const form = new FormData();
    form.append("who", "one");
    form.append("times", "4");
    expect((await caller.send("POST", own().at, form, key)).json<Call>().id).toBe(first.id);
    const other = await own().send({ who: "two", times: 4 }, "", key);
    expect([other.status, other.text]).toEqual([409, "This Idempotency-Key was used with another body."]);
    const somebody = await callsOf(bench.owner, "greetings").send({ who: "two", times: 4 }, "?wait=60", key);
    expect(somebody.json<Call>().id).not.toBe(first.id);
    for (const bad of ["x".repeat(201), "a b"]) {
      const answer = await own().send({}, "", { "idempotency-key": bad });
      expect([answer.status, answer.text]).toEqual([400, "An Idempotency-Key has 1 to 200 visible characters."]);
    }
  });

  it("can be reported once to the owner, with a link to it", async () => {
    const call = await own().done({ times: 0 });
    expect((await own().post(call.id, "report", { message: "It says nothing." })).status).toBe(204);
    expect((await own().post(call.id, "report", { message: "Again." })).status).toBe(204);
    const page = (await bench.owner.get("/api/v3/notifications")).json<NotificationPage>();
    const told = page.notifications.filter(({ kind }) => kind === "call_reported");
    expect(told).toMatchObject([{ run_id: call.id, body: "It says nothing." }]);
    expect(told[0]?.title).toContain("reports a problem with Greetings");
    expect((await own().read(call.id)).reported).toBe(true);
  });

  it("opens in the Designer for editors, with its inputs and where it failed", async () => {
    const sheet = { name: "a.csv", content: btoa("x") };
    const call = await own().done({ times: 0, sheet });
    const answer = await callsOf(bench.owner, "greetings").get(call.id, "/designer");
    const opened = answer.json<CallInDesigner>();
    expect(opened).toMatchObject({
      graph_id: graph,
      project_id: bench.projectId,
      state: "failed",
      version: { number: 1 },
    });
    expect(opened.values.map(({ attribute }) => attribute).toSorted()).toEqual(["sheet", "times", "who"]);
    expect(opened.failed_node).toBe(opened.values[0]?.wob_key);
    expect((await own().get(call.id, "/designer")).status).toBe(404);
  });
});

describe("a shared result", () => {
  it("is seen by everybody who has its address, without what was given", async () => {
    const call = await own().done({ who: "secret", times: 4 });
    const { share } = (await own().post(call.id, "share")).json<{ share: string }>();
    expect((await own().post(call.id, "share")).json()).toEqual({ share });
    const anybody = server.anonymous();
    const seen = (await anybody.get(`/api/v3/shared/${share}`)).json<Call>();
    expect(seen).toMatchObject({ id: call.id, inputs: {}, shared: null, result: { text: "Hello secret!!!" } });
    const number = seen.outputs.find(({ name }) => name === "report")?.number;
    expect((await anybody.get(`/api/v3/shared/${share}/files/${number}`)).text).toContain("alert");
    expect((await caller.delete(`${own().at}/${call.id}/share`)).status).toBe(204);
    expect((await anybody.get(`/api/v3/shared/${share}`)).status).toBe(404);
    expect((await anybody.get(`/api/v3/shared/${share}/files/${number}`)).status).toBe(404);
  });
});

/** The events of a call until it ends, or as many as wanted. */
async function follow(path: string, headers: Record<string, string>, most = Infinity) {
  const stop = new AbortController();
  const answer = await fetch(`${server.url}${path}`, { headers, signal: stop.signal });
  if (!answer.ok || !answer.body) return { status: answer.status, events: [] };
  const events: { id: string; event: string; data: unknown }[] = [];
  let rest = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, id = "", event = "", data = ""] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (event !== "") events.push({ id, event, data: JSON.parse(data) });
    }
    if (events.length >= most) break;
  }
  stop.abort();
  return { status: answer.status, events, headers: answer.headers };
}

const cookieOf = (account: TestClient) => ({
  cookie: [...account.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
});

describe("events", () => {
  it("tell a caller of steps and outputs, and the owner also of the log", async () => {
    const call = await own().made({ who: "stream", times: 4 });
    const path = `${own().at}/${call.id}/events`;
    const { events, headers } = await follow(path, cookieOf(caller));
    expect(headers?.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(events[0]?.event).toBe("call");
    expect(events.at(-1)).toMatchObject({ event: "end", data: { state: "done", result: { text: "Hello stream!!!" } } });
    expect(events.some(({ event }) => event === "log")).toBe(false);
    const seen = await follow(path, cookieOf(bench.owner));
    const logs = seen.events.filter(({ event }) => event === "log");
    expect(JSON.stringify(logs)).toContain("greeting stream");
    const last = seen.events.at(-1)?.id ?? "";
    const resumed = await follow(path, { ...cookieOf(bench.owner), "last-event-id": last });
    expect(resumed.events.map(({ event }) => event)).toEqual(["call", "end"]);
  });
});

describe("a link", () => {
  it("lets visitors without an account call, and find only their own calls", async () => {
    const other = await Workbench.open(server);
    await other.node(greet, "Greet");
    await serveAsProposed(other, { name: "by-link", access: "link", warm: 1 });
    const { sharing } = (await deploymentOf(other.owner, other.graphId).send("POST", "/link")).json<{
      sharing: { link: string };
    }>();
    const visitor = Object.assign(server.anonymous(), { headers: { "x-miranda-link": sharing.link } });
    const calls = callsOf(visitor, "-");
    const call = await calls.done({ who: "visitor", times: 4 });
    expect(call).toMatchObject({ via: "link", state: "done", result: { text: "Hello visitor!!!" } });
    expect([...visitor.cookies.keys()]).toEqual(["miranda_visitor"]);
    expect((await calls.list()).json<CallPage>().calls.map(({ id }) => id)).toEqual([call.id]);
    const second = Object.assign(server.anonymous(), { headers: { "x-miranda-link": sharing.link } });
    expect((await callsOf(second, "-").get(call.id)).status).toBe(404);
    expect((await callsOf(second, "-").list()).json<CallPage>().calls).toEqual([]);
    const guesser = Object.assign(server.anonymous(), { headers: { "x-miranda-link": "x".repeat(43) } });
    expect((await callsOf(guesser, "-").send({})).status).toBe(404);
    expect((await callsOf(guesser, "by-link").send({})).status).toBe(404);
    expect((await callsOf(server.anonymous(), "by-link").send({})).status).toBe(401);
    await deploymentOf(other.owner, other.graphId).send("DELETE", "/link");
    expect((await calls.get(call.id)).status).toBe(404);
    other.close();
  });

  it("is limited for each visitor", async () => {
    const { sharing } = (await deploymentOf(bench.owner, graph).send("POST", "/link")).json<{
      sharing: { link: string };
    }>();
    const visitor = Object.assign(server.anonymous(), { headers: { "x-miranda-link": sharing.link } });
    const statuses = [];
    for (let at = 0; at < 100; at++) statuses.push(await callsOf(visitor, "greetings").send({ nonsense: 1 }));
    const refused = statuses.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
