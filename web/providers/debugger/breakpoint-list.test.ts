import { describe, expect, test } from "vitest";

import {
  addBreakpoint,
  afterUpdate,
  breakpointLines,
  changeBreakpoint,
  clearTriggered,
  exceptionInfo,
  hitBreakpoint,
  noDebugging,
  removeBreakpoint,
  triggeredBreakpoint,
  type Debugging,
} from "./breakpoint-list.ts";
import { workflowStates } from "@miranda/contract/processor.ts";

const two = addBreakpoint(addBreakpoint({}, 42, 3), 42, 9);
const hit = hitBreakpoint(two, { wob_key: 42, line_number: 9, locals: { x: 1 } });

describe("breakpoints", () => {
  test("S3-032 are held by node id and line", () => {
    expect(two).toEqual({
      42: { 3: { line: 3, wobId: 42, triggered: false }, 9: { line: 9, wobId: 42, triggered: false } },
    });
    expect(addBreakpoint(two, 42, 9)).toBe(two);
  });

  test("S3-032 have locals only while hit, one at a time", () => {
    expect(triggeredBreakpoint(hit)).toEqual({ line: 9, wobId: 42, triggered: true, locals: { x: 1 } });
    const next = hitBreakpoint(hit, { wob_key: 43, line_number: 1, locals: {} });
    expect(next["42"]).toEqual(two["42"]);
    expect(triggeredBreakpoint(next)?.wobId).toBe(43);
  });

  test("can be removed, the last of a node with its node", () => {
    const one = removeBreakpoint(two, 42, 3);
    expect(breakpointLines(one)).toEqual({ 42: [9] });
    expect(removeBreakpoint(one, 42, 9)).toEqual({});
    expect(removeBreakpoint(one, 7, 7)).toBe(one);
  });
});

test("a breakpoint keeps its condition and log message through a hit, and both go with it in every command", () => {
  const set = changeBreakpoint(changeBreakpoint({}, 42, 3, { condition: "n > 2" }), 42, 9, { log: "{n}" });
  const passed = clearTriggered(hitBreakpoint(set, { wob_key: 42, line_number: 3, locals: { n: 3 } }));
  expect(passed).toEqual(set);
  const lines = {
    42: [
      { line: 3, condition: "n > 2" },
      { line: 9, log: "{n}" },
    ],
  };
  expect(breakpointLines(passed)).toEqual(lines);
  expect(breakpointLines(changeBreakpoint(set, 42, 3, {}))).toEqual({ 42: [3, lines[42][1]] });
});

test("S3-033 an exception is read from the wire's names", () => {
  expect(exceptionInfo({ wob_key: 42, line_number: 3, funcname: "run", traceback: "Traceback…" })).toEqual({
    wobId: 42,
    line: 3,
    function: "run",
    traceback: "Traceback…",
  });
});

describe("a processor's update", () => {
  const busy: Debugging = {
    breakpoints: hit,
    stop: { wob_key: 42, line_number: 3, locals: {} },
    exception: { wobId: 42, line: 3, function: "run", traceback: "" },
    runningNode: 42,
  };

  test.each(workflowStates)("S4-073 S4-074 to %s clears the triggered breakpoint after EXITED and READY", (state) => {
    const { breakpoints } = afterUpdate(busy, "RESUMEREADY", state);
    expect(triggeredBreakpoint(breakpoints) === undefined).toBe(state === "EXITED" || state === "READY");
    expect(breakpointLines(breakpoints)).toEqual({ 42: [3, 9] });
  });

  test.each(workflowStates)("S4-075 S4-076 to %s clears the exception after EXITED and RUNNING", (state) => {
    const { exception } = afterUpdate(busy, "READY", state);
    expect(exception === undefined).toBe(state === "EXITED" || state === "RUNNING");
  });

  test("S4-077 resets the running node's mark when the state changes, and only then", () => {
    expect(afterUpdate(busy, "RUNNING", "READY").runningNode).toBeUndefined();
    expect(afterUpdate(busy, "RUNNING", "RUNNING").runningNode).toBe(42);
    expect(afterUpdate(noDebugging, undefined, "READY")).toEqual(noDebugging);
  });
});
