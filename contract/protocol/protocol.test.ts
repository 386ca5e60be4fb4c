import { describe, expect, it } from "vitest";

import { RunnerEvent } from "./agent.ts";
import messages from "./messages.json" with { type: "json" };
import { deepestJson, frameMax, WorkerMessage } from "./worker.ts";

// The Python side reads the same file: runtime/tests/test_protocol.py.
describe("the worker's protocol", () => {
  it("has the limits of the fixture file", () => {
    expect({ ...frameMax, deepest: deepestJson }).toEqual(messages.limits);
  });

  it.each(messages.accepted.map((message) => [JSON.stringify(message).slice(0, 90), message]))(
    "accepts %s",
    (_title, message) => {
      expect(WorkerMessage.safeParse(message).error).toBeUndefined();
    },
  );

  it.each(messages.refused.map(({ why, message }) => [why, message]))(
    "refuses a message that is not in the list: %s",
    (_why, message) => {
      expect(WorkerMessage.safeParse(message).success).toBe(false);
    },
  );
});

/** What the agent answers itself, or asks the server for. */
const forAgent = new Set(["hello", "resumed", "secret", "file", "find_results", "load_result", "keep_result"]);

describe("the agent's protocol", () => {
  const relayed = messages.accepted.filter(({ kind }) => !forAgent.has(kind));

  it.each(relayed.map((message) => [JSON.stringify(message).slice(0, 90), message]))(
    "accepts %s from an agent",
    (_title, message) => {
      expect(RunnerEvent.safeParse(message).error).toBeUndefined();
    },
  );

  it.each([
    { kind: "usage", sample: 1, seconds: -2, cpu_seconds: 0, ram_gb: 0 },
    { kind: "usage", sample: 1, seconds: 2, cpu_seconds: -5, ram_gb: 0 },
    { kind: "state", state: "QUEUED", reason: null, command: 1 },
    { kind: "secret", question: 1, key: "token" },
    { kind: "file", question: 1, file: "a" },
    { kind: "find_results", question: 1, keys: [] },
    { kind: "charge", amount: 1 },
  ])("refuses %j from an agent", (message) => {
    expect(RunnerEvent.safeParse(message).success).toBe(false);
  });
});
