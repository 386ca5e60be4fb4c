import { describe, expect, test } from "vitest";

import { fromBase64, toBase64 } from "./base64.ts";
import {
  breakpointArgs,
  carryCode,
  compileArgs,
  compilePreambleLines,
  continueArgs,
  evaluateArgs,
  parseBreakpointArgs,
  parseCompileArgs,
  parseContinueArgs,
  parseEvaluateArgs,
  parseExceptionArgs,
  parseForceStopArgs,
  parseFrameArgs,
  parseInterruptArgs,
  parseRunArgs,
  parseStartArgs,
  parseUnfoldArgs,
  runArgs,
  startArgs,
  unfoldArgs,
} from "./command-args.ts";

describe("base64", () => {
  test.each(["", "a", "naïve", "日本語", "🚀 e\u0301", "\uFEFFwith mark", "line\n\ttab\u0000"])(
    "decodes %j to what was encoded",
    (text) => {
      expect(toBase64(text)).toBe(Buffer.from(text, "utf8").toString("base64"));
      expect(fromBase64(toBase64(text))).toBe(text);
    },
  );

  test("decodes a long text to what was encoded", () => {
    const long = "é🚀x".repeat(50_000);
    expect(fromBase64(toBase64(long))).toBe(long);
  });

  test.each(["*", "abc def*", "/w=="])("reads %j as no base64 text", (encoded) => {
    expect(fromBase64(encoded)).toBeUndefined();
  });
});

describe("start", () => {
  test("S7-079 puts the start line first, or -1 without one", () => {
    expect(startArgs(12)).toBe("12");
    expect(startArgs()).toBe("-1");
    expect(parseStartArgs("12")).toEqual({ line: 12, breakpoints: {} });
    expect(parseStartArgs("-1")).toEqual({ line: undefined, breakpoints: {} });
    expect(parseStartArgs()).toEqual({ line: undefined, breakpoints: {} });
  });

  test("S7-080 adds breakpoints after one space, and only when there are any", () => {
    const args = startArgs(undefined, { 41: [3, 9], 42: [] });
    const [line, encoded, ...rest] = args.split(" ");
    expect(line).toBe("-1");
    expect(rest).toEqual([]);
    expect(JSON.parse(Buffer.from(encoded ?? "", "base64").toString())).toEqual({ 41: [3, 9] });
    expect(parseStartArgs(args)).toEqual({ line: undefined, breakpoints: { 41: [3, 9] } });
    expect(startArgs(5, { 42: [] })).toBe("5");
  });

  test.each([
    "x",
    "-2",
    "1.5",
    " 1",
    "1 ",
    "1 *",
    `1 ${toBase64("[1]")}`,
    `1 ${toBase64('{"a":3}')}`,
    `1 ${toBase64('{"a":[0]}')}`,
    `1 ${toBase64("{}")} 2`,
  ])("refuses %j", (args) => {
    expect(parseStartArgs(args)).toBeUndefined();
  });
});

describe("continue", () => {
  test("S7-081 sends the breakpoints as base64", () => {
    const args = continueArgs([3, 9]);
    expect(JSON.parse(Buffer.from(args, "base64").toString())).toEqual({ breakpoints: [3, 9] });
    expect(parseContinueArgs(args)).toEqual({ breakpoints: [3, 9] });
    expect(parseContinueArgs()).toEqual({ breakpoints: [] });
  });

  test.each(["*", toBase64("{}"), toBase64("null"), toBase64('{"breakpoints":["1"]}')])("refuses %j", (args) => {
    expect(parseContinueArgs(args)).toBeUndefined();
  });
});

describe("compile", () => {
  const code = 'class Train(Node):\n    """Fits a \'line\' — é."""\n';
  const text = (args: string) => Buffer.from(args, "base64").toString();

  test("S7-082 writes a preamble and then the unchanged code", () => {
    const decoded = text(compileArgs({ nodeId: 42, attributes: [], code }));
    expect(decoded.endsWith(code)).toBe(true);
    expect(decoded.split("\n").slice(compilePreambleLines).join("\n")).toBe(code);
  });

  test("S3-034 S7-083 sets only the attributes that have values", () => {
    const attributes = [
      { name: "epochs", value: 10 },
      { name: "fast", value: false },
      { name: "note", value: "" },
      { name: "nothing", value: null },
      { name: "missing", value: undefined },
      { name: "absent" },
    ];
    const args = compileArgs({ nodeId: 42, attributes, code });
    expect(text(args)).toContain(`loads('{"epochs":10,"fast":false,"note":""}')`);
    expect(text(args)).not.toMatch(/nothing|missing|absent/);
  });

  test("S7-084 sets the id of the node", () => {
    expect(text(compileArgs({ nodeId: 42, attributes: [], code }))).toMatch(/^__miranda_node_id__ = 42\n/);
  });

  test("reads back what it built, with quotes and backslashes", () => {
    const built = {
      nodeId: 42,
      attributes: [
        { name: "it's", value: "a\\b 'c' \"d\"\n\u2028é🚀" },
        { name: "list", value: [1, { "\\'": null }] },
      ],
      code,
    };
    expect(parseCompileArgs(compileArgs(built))).toEqual(built);
  });

  test("refuses what is not base64, and accepts code without a preamble, which belongs to no node", () => {
    expect(parseCompileArgs("*")).toBeUndefined();
    expect(parseCompileArgs(toBase64("print(1)"))).toEqual({ nodeId: null, attributes: [], code: "print(1)" });
    expect(parseCompileArgs()).toEqual({ nodeId: null, attributes: [], code: "" });
  });
});

describe("commands beyond the specification", () => {
  test("run names the nodes to run", () => {
    const args = { mode: "one" as const, node: 7, breakpoints: { 7: [3] } };
    expect(parseRunArgs(runArgs(args))).toEqual(args);
    expect(parseRunArgs()).toEqual({ mode: "changed" });
  });

  test.each([
    "?",
    toBase64("[]"),
    toBase64('{"mode":"sideways"}'),
    toBase64('{"mode":"to"}'),
    toBase64('{"node":"x"}'),
  ])("refuses %j as arguments of run", (args) => {
    expect(parseRunArgs(args)).toBeUndefined();
  });

  test("sets breakpoints per node, and clears all of them when none are named", () => {
    expect(parseBreakpointArgs(breakpointArgs({ 4: [1, 2] }))).toEqual({ breakpoints: { 4: [1, 2] } });
    expect(parseBreakpointArgs()).toEqual({ breakpoints: undefined });
    for (const bad of ["?", toBase64("[]"), toBase64('{"4":[0]}')]) expect(parseBreakpointArgs(bad)).toBeUndefined();
  });

  test("accepts a condition and a log message on a breakpoint, and nothing else", () => {
    const lines = [3, { line: 4, condition: "n > 2" }, { line: 5, log: "{n}" }, { line: 6, condition: "n", log: "x" }];
    expect(parseBreakpointArgs(breakpointArgs({ 7: lines }))).toEqual({ breakpoints: { 7: lines } });
    expect(parseContinueArgs(continueArgs(lines))).toEqual({ breakpoints: lines });
    expect(parseStartArgs(startArgs(undefined, { 7: lines }))?.breakpoints).toEqual({ 7: lines });
    expect([carryCode([3, { line: 4 }]), carryCode(lines)]).toEqual([false, true]);
    for (const bad of [
      { line: 0 },
      { line: 1.5 },
      {},
      { line: 1, condition: "" },
      { line: 1, log: 5 },
      { line: 1, run: "x" },
    ])
      expect(parseBreakpointArgs(breakpointArgs({ 7: [bad as never] }))).toBeUndefined();
    expect(parseBreakpointArgs(breakpointArgs({ 7: [{ line: 1, condition: "x".repeat(2_001) }] }))).toBeUndefined();
    expect(parseBreakpointArgs(breakpointArgs({ 7: Array(1_001).fill(1) }))).toBeUndefined();
  });

  test("names the frame and the time limit of an evaluation", () => {
    const how = { frame: 2, seconds: 1.5, onlyOwn: true };
    expect(parseEvaluateArgs(evaluateArgs("x", how))).toEqual({ expression: "x", ...how });
    for (const bad of [{ frame: -1 }, { frame: 1.5 }, { seconds: 0 }, { seconds: 601 }, { onlyOwn: "yes" }])
      expect(parseEvaluateArgs(evaluateArgs("x", bad as never))).toBeUndefined();
    expect(parseEvaluateArgs(`${btoa("x")} ${btoa("{}")} more`)).toBeUndefined();
    expect(parseEvaluateArgs(evaluateArgs("x".repeat(20_001)))).toBeUndefined();
  });

  test("unfold, frame and exceptions accept their own arguments and nothing else", () => {
    expect(parseUnfoldArgs(unfoldArgs({ reference: 4, from: 100 }))).toEqual({ reference: 4, from: 100 });
    for (const bad of ["", btoa("[]"), btoa('{"reference":-1,"from":0}'), btoa('{"reference":1}')])
      expect(parseUnfoldArgs(bad)).toBeUndefined();
    expect([parseFrameArgs("3"), parseFrameArgs("-1"), parseFrameArgs()]).toEqual([{ frame: 3 }, undefined, undefined]);
    expect([parseExceptionArgs("all"), parseExceptionArgs("some")]).toEqual([{ mode: "all" }, undefined]);
    expect(parseRunArgs(runArgs({ mode: "all", exceptions: "uncaught" }))?.exceptions).toBe("uncaught");
    expect(parseRunArgs(runArgs({ mode: "all", exceptions: "some" as never }))).toBeUndefined();
  });

  test("keeps an expression unchanged and refuses an empty one", () => {
    expect(parseEvaluateArgs(evaluateArgs(" a + 'ü' "))).toEqual({ expression: " a + 'ü' ", frame: 0 });
    expect(parseEvaluateArgs(evaluateArgs("  "))).toBeUndefined();
    expect(parseEvaluateArgs()).toBeUndefined();
  });
});

test.each([
  ["", { forceAfter: undefined }],
  ["0", { forceAfter: 0 }],
  ["30", { forceAfter: 30 }],
  ["3600", { forceAfter: 3600 }],
  ["3601", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["soon", undefined],
])("an interrupt with the args %j: %j", (args, expected) => {
  expect(parseInterruptArgs(args)).toEqual(expected);
});

test.each([
  ["7", { node: 7 }],
  ["", undefined],
  ["0", undefined],
  ["-7", undefined],
  ["7 8", undefined],
  ["node", undefined],
])("a force-stop with the args %j: %j", (args, expected) => {
  expect(parseForceStopArgs(args)).toEqual(expected);
});
