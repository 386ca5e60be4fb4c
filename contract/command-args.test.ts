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
  parseFrameArgs,
  parseRunArgs,
  parseStartArgs,
  parseUnfoldArgs,
  runArgs,
  startArgs,
  unfoldArgs,
} from "./command-args.ts";

describe("base64", () => {
  test.each(["", "a", "naïve", "日本語", "🚀 e\u0301", "\uFEFFwith mark", "line\n\ttab\u0000"])("keeps %j", (text) => {
    expect(toBase64(text)).toBe(Buffer.from(text, "utf8").toString("base64"));
    expect(fromBase64(toBase64(text))).toBe(text);
  });

  test("keeps a long text", () => {
    const long = "é🚀x".repeat(50_000);
    expect(fromBase64(toBase64(long))).toBe(long);
  });

  test.each(["*", "abc def*", "/w=="])("%j is no text in base64", (encoded) => {
    expect(fromBase64(encoded)).toBeUndefined();
  });
});

describe("start", () => {
  test("S7-079 the start line, or -1", () => {
    expect(startArgs(12)).toBe("12");
    expect(startArgs()).toBe("-1");
    expect(parseStartArgs("12")).toEqual({ line: 12, breakpoints: {} });
    expect(parseStartArgs("-1")).toEqual({ line: undefined, breakpoints: {} });
    expect(parseStartArgs()).toEqual({ line: undefined, breakpoints: {} });
  });

  test("S7-080 breakpoints follow after one space, only when any exist", () => {
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
  ])("%j is refused", (args) => {
    expect(parseStartArgs(args)).toBeUndefined();
  });
});

describe("continue", () => {
  test("S7-081 base64 of the breakpoints", () => {
    const args = continueArgs([3, 9]);
    expect(JSON.parse(Buffer.from(args, "base64").toString())).toEqual({ breakpoints: [3, 9] });
    expect(parseContinueArgs(args)).toEqual({ breakpoints: [3, 9] });
    expect(parseContinueArgs()).toEqual({ breakpoints: [] });
  });

  test.each(["*", toBase64("{}"), toBase64("null"), toBase64('{"breakpoints":["1"]}')])("%j is refused", (args) => {
    expect(parseContinueArgs(args)).toBeUndefined();
  });
});

describe("compile", () => {
  const code = 'class Train(Node):\n    """Fits a \'line\' — é."""\n';
  const text = (args: string) => Buffer.from(args, "base64").toString();

  test("S7-082 a preamble, then the code to the letter", () => {
    const decoded = text(compileArgs({ nodeId: 42, attributes: [], code }));
    expect(decoded.endsWith(code)).toBe(true);
    expect(decoded.split("\n").slice(compilePreambleLines).join("\n")).toBe(code);
  });

  test("S3-034 S7-083 the attributes are set, only those with values", () => {
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

  test("S7-084 the node's id is set", () => {
    expect(text(compileArgs({ nodeId: 42, attributes: [], code }))).toMatch(/^__miranda_node_id__ = 42\n/);
  });

  test("what was built is read back, quotes and backslashes included", () => {
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

  test.each(["", "*", toBase64("print(1)")])("%j is refused", (args) => {
    expect(parseCompileArgs(args)).toBeUndefined();
  });
});

describe("beyond the specification", () => {
  test("run names what to run", () => {
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
  ])("%j is nothing to run", (args) => {
    expect(parseRunArgs(args)).toBeUndefined();
  });

  test("breakpoints are set by node, and all of them cleared by nothing", () => {
    expect(parseBreakpointArgs(breakpointArgs({ 4: [1, 2] }))).toEqual({ breakpoints: { 4: [1, 2] } });
    expect(parseBreakpointArgs()).toEqual({ breakpoints: undefined });
    for (const bad of ["?", toBase64("[]"), toBase64('{"4":[0]}')]) expect(parseBreakpointArgs(bad)).toBeUndefined();
  });

  test("a breakpoint may carry a condition and a log message, and nothing else", () => {
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

  test("an evaluation names its frame and how long it may take", () => {
    const how = { frame: 2, seconds: 1.5, onlyOwn: true };
    expect(parseEvaluateArgs(evaluateArgs("x", how))).toEqual({ expression: "x", ...how });
    for (const bad of [{ frame: -1 }, { frame: 1.5 }, { seconds: 0 }, { seconds: 601 }, { onlyOwn: "yes" }])
      expect(parseEvaluateArgs(evaluateArgs("x", bad as never))).toBeUndefined();
    expect(parseEvaluateArgs(`${btoa("x")} ${btoa("{}")} more`)).toBeUndefined();
    expect(parseEvaluateArgs(evaluateArgs("x".repeat(20_001)))).toBeUndefined();
  });

  test("unfold, frame and exceptions take what they name and nothing else", () => {
    expect(parseUnfoldArgs(unfoldArgs({ reference: 4, from: 100 }))).toEqual({ reference: 4, from: 100 });
    for (const bad of ["", btoa("[]"), btoa('{"reference":-1,"from":0}'), btoa('{"reference":1}')])
      expect(parseUnfoldArgs(bad)).toBeUndefined();
    expect([parseFrameArgs("3"), parseFrameArgs("-1"), parseFrameArgs()]).toEqual([{ frame: 3 }, undefined, undefined]);
    expect([parseExceptionArgs("all"), parseExceptionArgs("some")]).toEqual([{ mode: "all" }, undefined]);
    expect(parseRunArgs(runArgs({ mode: "all", exceptions: "uncaught" }))?.exceptions).toBe("uncaught");
    expect(parseRunArgs(runArgs({ mode: "all", exceptions: "some" as never }))).toBeUndefined();
  });

  test("an expression is kept to the letter, and must not be empty", () => {
    expect(parseEvaluateArgs(evaluateArgs(" a + 'ü' "))).toEqual({ expression: " a + 'ü' ", frame: 0 });
    expect(parseEvaluateArgs(evaluateArgs("  "))).toBeUndefined();
    expect(parseEvaluateArgs()).toBeUndefined();
  });
});
