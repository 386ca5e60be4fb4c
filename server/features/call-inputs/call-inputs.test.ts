import { call as limits, nodeFile } from "@miranda/contract/limits.ts";
import type { CallPage, InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { callApi } from "../../limits.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { callsOf } from "../../testing/deployments/served.ts";
import { buildFlow, deploymentOf, releaseAsProposed } from "../../testing/deployments/deployments.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let count = 0;
let name = "";

beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  const project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
  await buildFlow(cast.owner, graph);
  await versionsOf(cast.owner, graph).made("First", { publish: true });
  name = `app-${++count}`;
  const { form, version } = await releaseAsProposed(cast.owner, graph);
  const [rate, mode, data] = ["rate", "mode", "data"].map((one) => form.fields.find((field) => field.name === one));
  const fields = [{ ...rate, required: true, default: null, max: 5 }, mode, { ...data, max: 1_000 }];
  const release = { version, form: { ...form, fields }, channel: "production" };
  await deploymentOf(cast.owner, graph).deployed({ name, title: "Tide tables", access: "accounts", release });
});

const own = () => callsOf(cast.stranger, name);

async function countCalls(): Promise<number> {
  return (await own().list()).json<CallPage>().calls.length;
}

function formOf(parts: Record<string, string | Blob>): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(parts))
    if (typeof value === "string") form.append(field, value);
    else form.append(field, value, `${field}.csv`);
  return form;
}

describe("JSON", () => {
  it("is taken by field name, and defaults are filled in", async () => {
    const answer = await own().send({ rate: 2 });
    expect(answer.status).toBe(202);
    expect(answer.headers.get("location")).toMatch(new RegExp(`^/api/v3/deployments/${name}/runs/[0-9a-f-]{36}$`));
    expect(answer.json()).toMatchObject({
      inputs: { rate: 2, mode: "fast" },
      app: { name, release: 1 },
      via: "explorer",
    });
  });

  it("is refused with every problem, one on each line, and nothing is called", async () => {
    const answer = await own().send({ rate: "2", mode: "slow", colour: 1, __proto__: 1, constructor: { name: 1 } });
    expect([answer.status, answer.headers.get("x-miranda-error")]).toEqual([400, "call_inputs_wrong"]);
    expect(answer.headers.get("content-type")).toContain("text/plain");
    expect(answer.text.split("\n")).toEqual([
      "rate: Rate must be a number from 0 to 5, not text: send 2 without quotes.",
      'mode: Mode must be one of "fast", "safe".',
      "colour: There is no such field. The fields are rate, mode, data.",
      "constructor: There is no such field. The fields are rate, mode, data.",
    ]);
    expect(await countCalls()).toBe(0);
  });

  it("is refused as a list of problems for programs that accept JSON", async () => {
    const answer = await own().send({ mode: "fast" }, "", { accept: "application/json" });
    expect(answer.status).toBe(400);
    expect(answer.json<{ problems: InputProblem[] }>().problems).toEqual([
      { field: "rate", message: "Rate is required." },
    ]);
  });

  it.each<[string, string, number]>([
    ["a list", "[1]", 400],
    ["null", "null", 400],
    ["a text", '"rate"', 400],
    ["half an object", '{"rate":', 400],
    ["a hidden prototype", '{"rate": 1, "__proto__": {"mode": "safe"}}', 400],
    ["a number that is too large", '{"rate": 1e999}', 400],
    ["deep nesting", `{"rate": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`, 400],
    [
      "ten thousand fields",
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, 1]))),
      400,
    ],
    ["more than a megabyte", JSON.stringify({ rate: 1, mode: "x".repeat(limits.bodyMax) }), 413],
  ])("is refused with a message: %s", async (_what, body, status) => {
    const answer = await cast.stranger.send("POST", own().at, body, { "content-type": "application/json" });
    expect([answer.status, answer.text.includes("Something went wrong")]).toEqual([status, false]);
    expect(answer.text.length).toBeLessThan(20_000);
    expect(await countCalls()).toBe(0);
  });

  it("carries files as base64", async () => {
    const made = await own().made({ rate: 1, data: { name: "../../a.csv", content: btoa("x,y") } });
    expect(made.inputs["data"]).toMatchObject({ name: "a.csv", size: 3 });
    const file = await own().get(made.id, "/inputs/data");
    expect([file.status, file.text]).toEqual([200, "x,y"]);
    expect(file.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''a.csv");
    expect(file.headers.get("content-type")).toBe("application/octet-stream");
  });

  it.each([
    ["a content that is not base64", { name: "a", content: "&&&" }],
    ["a file without content", { name: "a", size: 3, type: "" }],
    ["a text", "a.csv"],
    ["the hash of a file that is not there", { file: "0".repeat(64), name: "a", size: 3, type: "" }],
  ])("with %s for a file is refused", async (_what, data) => {
    const answer = await own().send({ rate: 1, data });
    expect([answer.status, answer.text.startsWith("data: ")]).toEqual([400, true]);
  });
});

describe("a form", () => {
  it("has texts for numbers, and files", async () => {
    const answer = await own().sendForm(formOf({ rate: "2.5", mode: "safe", data: new Blob(["a,b\n1,2"]) }));
    expect(answer.status).toBe(202);
    const { id, inputs } = answer.json<{ id: string; inputs: { data: FileValue } }>();
    expect(inputs).toMatchObject({ rate: 2.5, mode: "safe", data: { name: "data.csv", size: 7 } });
    expect((await own().get(id, "/inputs/data")).text).toBe("a,b\n1,2");
  });

  it("may also be urlencoded", async () => {
    const answer = await cast.stranger.post(own().at, { rate: "3" });
    expect([answer.status, answer.json<{ inputs: object }>().inputs]).toEqual([202, { rate: 3, mode: "fast" }]);
  });

  it("uses the file of an earlier call again, and only the caller's own", async () => {
    const first = await own().made({ rate: 1, data: { name: "a.csv", content: btoa("x,y") } });
    const again = await own().made({ ...first.inputs, rate: 2 });
    expect(again.inputs["data"]).toEqual(first.inputs["data"]);
    const part = await own().sendForm(formOf({ rate: "2", data: JSON.stringify(first.inputs["data"]) }));
    expect(part.json<{ inputs: object }>().inputs).toMatchObject({ data: first.inputs["data"] });
    const foreign = await callsOf(cast.viewer, name).send({ ...first.inputs });
    expect([foreign.status, foreign.text]).toEqual([400, "data: This file is not there any more. Send it again."]);
  });

  it("is refused with every problem, files included", async () => {
    const parts = { rate: "fast", data: new Blob(["x".repeat(1_001)]), photo: new Blob(["x"]), extra: "1" };
    const answer = await own().sendForm(formOf(parts));
    expect([answer.status, answer.text.split("\n")]).toEqual([
      400,
      [
        "rate: Rate must be a number from 0 to 5, not text.",
        "data: Data can have at most 1000 bytes.",
        "photo: There is no such field. The fields are rate, mode, data.",
        "extra: There is no such field. The fields are rate, mode, data.",
      ],
    ]);
    expect(await countCalls()).toBe(0);
  });

  it("is refused when a field comes twice", async () => {
    const form = formOf({ rate: "1" });
    form.append("rate", "2");
    expect((await own().sendForm(form)).text).toContain("rate: It was sent twice.");
  });

  it("is refused when it cannot be read as parts", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const answer = await cast.stranger.send("POST", own().at, "--x\r\nnonsense", headers);
    expect([answer.status, answer.text]).toEqual([400, "The body is not a valid multipart form."]);
  });
});

/** Sends a form with a file that never ends. Resolves with the answer and how much was sent. */
function sendEndless(announced: number | undefined): Promise<{ status: number; text: string; sent: number }> {
  const cookie = [...cast.stranger.cookies].map(([key, value]) => `${key}=${value}`).join("; ");
  return new Promise((resolve, reject) => {
    let sent = 0;
    const head = '--x\r\ncontent-disposition: form-data; name="data"; filename="a.csv"\r\n\r\n';
    const sending = httpRequest(`${server.url}${own().at}`, {
      method: "POST",
      headers: {
        cookie,
        "content-type": "multipart/form-data; boundary=x",
        ...(announced !== undefined && { "content-length": announced }),
      },
    });
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const go = (): void => {
      while (!sending.destroyed && sending.writable) {
        sent += chunk.length;
        if (!sending.write(chunk)) return void sending.once("drain", go);
      }
    };
    sending.on("response", (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, sent }));
    });
    // The server cuts the connection of somebody who goes on after its answer.
    sending.on("error", reject);
    sending.on("close", () => reject(new Error("The connection was cut without an answer.")));
    sending.write(head);
    go();
  });
}

describe("a file of 2 GB", () => {
  it.each<[string, number | undefined]>([
    ["announced", 2 * 1024 ** 3],
    ["sent without saying so", undefined],
  ])("%s is refused before it is read to its end", async (_what, announced) => {
    const { status, text, sent } = await sendEndless(announced);
    expect([status, text]).toEqual([413, "That is too large. All files together may have 40 MB."]);
    expect(sent).toBeLessThan(20 * callApi.formMax);
    expect(await countCalls()).toBe(0);
  });

  it("is refused by its field when the form as a whole is not too large", async () => {
    const answer = await own().sendForm(formOf({ rate: "1", data: new Blob(["x".repeat(nodeFile.sizeMax + 5)]) }));
    expect([answer.status, answer.text]).toEqual([400, "data: Data can have at most 1000 bytes."]);
  });
});
