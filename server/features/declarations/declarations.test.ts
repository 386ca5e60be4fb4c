import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";

import { AppError } from "../../platform/errors/app-error.ts";
import { createDeclarations } from "./declarations-service.ts";

const declarations = createDeclarations();
afterAll(() => declarations.close());

const person = { accountId: "one" };
const declareOne = async (source_code: string, who = person) =>
  (await declarations.declare(who, [{ name: "n", source_code }]))[0]!;
const node = (body: string) => `from miranda import *\n\nclass N(Node):\n${body}\n    def run(self):\n        pass\n`;

const heirs = (count: number) => Array.from({ length: count }, (_, at) => `class C${at + 1}(C${at}): pass`);

async function readerOf(parent: number): Promise<number> {
  const children = (await readFile(`/proc/${parent}/task/${parent}/children`, "utf8")).trim().split(" ");
  for (const child of children)
    if ((await readFile(`/proc/${child}/cmdline`, "utf8")).includes("miranda.declare")) return Number(child);
  throw new Error("there is no reader");
}

describe("reading attributes without running the code", () => {
  it("reads every kind of attribute with its control", async () => {
    const api = await declareOne(
      node(`    rows = Receiver("Table", optional=True, edge_text="in")
    mode = Field("fast", control=Select("fast", "safe"))
    epochs = Field(10, control=Slider(1, 200), shown_when={"mode": [{"value": "safe"}]})
    key = Field("", control=Secret())
    model = Transmitter("model")
    seed = Constant(42)`),
    );
    expect(api).toMatchObject({ compiled: true, error: null, class: "N", error_line: null });
    expect(api.attributes.map(({ name, kind, direction }) => `${direction} ${name} ${kind}`)).toEqual([
      "RECEIVER rows table",
      "RECEIVER_FIELD mode string",
      "RECEIVER_FIELD epochs int",
      "RECEIVER_FIELD key string",
      "TRANSMITTER model model",
      "TRANSMITTER_FIELD seed int",
    ]);
    expect(api.attributes[0]).toMatchObject({ optional: true, edge_text: "in" });
    expect(api.attributes[2]?.control).toEqual({ type: "slider", min: 1, max: 200 });
    expect(api.attributes[3]?.control).toEqual({ type: "secret" });
  });

  it.each(["1e999", "-1e999", "1e999 - 1e999", "1e999j", "'\\ud800'", "10 ** 5000"])(
    "refuses or reads a condition with %s, and goes on",
    async (value) => {
      const given = `    x = Receiver(shown_when={"m": [{"value": ${value}}]})\n    y = Field(${value})`;
      const api = await declareOne(node(given));
      expect(api.error ?? "").not.toContain("could not be read");
      expect(JSON.stringify(api)).not.toContain("Infinity");
      expect((await declareOne(node("    out = Transmitter()"))).compiled).toBe(true);
    },
  );

  it("never runs the code", async () => {
    const api = await declareOne(`import os\nos._exit(3)\n${node("    out = Transmitter()")}`);
    expect(api.compiled).toBe(true);
  });

  it.each([
    ["a syntax error", "class N(:\n  pass", /\(line 1\)/, 1],
    ["a null byte", "x = 1\ny = '\u0000'", /null/, 2],
    ["no class", "x = 1", /no class that extends Node/, null],
    ["two classes", node("    a = Field(1)") + "\nclass M(Node):\n    pass\n", /N and M/, 8],
    ["a receiver named run", node("    run = Receiver()"), /run is a name/, 4],
    ["5 MB", "x = 1\n".repeat(900_000), /characters/, null],
    ["nesting without end", `x = ${"(".repeat(50_000)}1${")".repeat(50_000)}`, /./, expect.any(Number)],
    ["a slider without its ends", node("    a = Field(1, control=Slider())"), /Slider/, 4],
  ])("says what is wrong with %s", async (_what, source, words, line) => {
    const api = await declareOne(source);
    expect(api.compiled).toBe(false);
    expect(api.error).toMatch(words);
    expect({ line: api.error_line ?? 0 }).toEqual({ line: line ?? 0 });
    expect(api.attributes).toEqual([]);
  });

  it("accepts tabs, CRLF and a byte order mark", async () => {
    const source = "\ufeff" + node("    a = Field(1)").replaceAll("    ", "\t").replaceAll("\n", "\r\n");
    expect((await declareOne(source)).attributes.map(({ name }) => name)).toEqual(["a"]);
  });

  it("answers many requests at once, in order", async () => {
    const sources = Array.from({ length: 500 }, (_, at) => ({
      name: "n",
      source_code: node(`    a${at} = Field(${at})`),
    }));
    const apis = await declarations.declare(person, sources);
    expect(apis.map((api) => api.attributes[0]?.value)).toEqual(sources.map((_, at) => at));
  });

  it.each([
    [
      "a family of 20,000 classes",
      ["from miranda import *", "class C0(Node): pass", ...heirs(20_000)].join("\n"),
      { compiled: true, class: "C20000" },
    ],
    ["a number of a million digits", node(`    a = Field(0x${"f".repeat(900_000)})\n    b = Field({0xf: 1})`), {}],
    ["a key that cannot be written", node(`    a = Field({0x${"f".repeat(9_000)}: 1})`), { compiled: false }],
  ])("is not blocked by %s", async (_what, source, expected) => {
    const began = performance.now();
    expect(await declareOne(source)).toMatchObject(expected);
    expect((await declareOne(node("    a = Field(1)"))).compiled).toBe(true);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it("continues with the other sources when the reader is killed", async () => {
    await declareOne("");
    const long = declareOne("x = 1\n".repeat(160_000));
    process.kill(await readerOf(process.pid), "SIGKILL");
    const others = Promise.all([1, 2, 3].map((at) => declareOne(node(`    a${at} = Field(1)`))));
    expect((await long).error).toBe("The code could not be read.");
    expect((await others).map(({ attributes }) => attributes[0]?.name)).toEqual(["a1", "a2", "a3"]);
  });

  it("leaves a reader to other people, however much code one person has", { timeout: 300_000 }, async () => {
    let left = 12;
    const large = Array.from({ length: left }, async () => {
      await declareOne("x = 1\n".repeat(60_000));
      left -= 1;
    });
    const own = node("    a = Field(1)");
    expect((await declareOne(own, { accountId: "another" })).compiled).toBe(true);
    expect(left).toBeGreaterThan(6);
    await Promise.all(large);
    expect(left).toBe(0);
  });

  it("refuses when far too much code of one person waits", async () => {
    const asked = await Promise.allSettled(Array.from({ length: 100 }, () => declareOne("")));
    const refused = asked.filter((one) => one.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ reason }) => reason instanceof AppError && reason.code === "too_much_code_reading")).toBe(
      true,
    );
    expect(asked.length - refused.length).toBeGreaterThanOrEqual(60);
  });

  it("reports that there is no Python", async () => {
    const without = createDeclarations({ python: async () => undefined });
    expect((await without.declare(person, [{ name: "n", source_code: "" }]))[0]?.error).toMatch(/no Python/);
  });
});
