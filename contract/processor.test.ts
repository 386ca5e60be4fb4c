import { describe, expect, test } from "vitest";

import {
  canContinue,
  canCreate,
  canTransition,
  commands,
  creationOutcome,
  isAlive,
  optimisticState,
  stateIcons,
  statesBefore,
  stateWhileStopping,
  stopDecision,
  workflowStates,
  type Command,
  type WorkflowState,
} from "./processor.ts";

describe("states", () => {
  test("S4-032 are ten", () => {
    expect(workflowStates).toEqual([
      "UNINITIALIZED",
      "QUEUED",
      "STARTING",
      "READY",
      "RUNNING",
      "RESUMEREADY",
      "KILLING",
      "RESTARTING",
      "ERROR",
      "EXITED",
    ]);
  });

  test.each(workflowStates)("S4-033 %s is alive unless it is a final state", (state) => {
    expect(isAlive(state)).toBe(!["ERROR", "EXITED"].includes(state));
  });

  test.each(["ERROR", "EXITED"] as const)("never leaves %s", (state) => {
    expect(workflowStates.filter((to) => canTransition(state, to))).toEqual([]);
  });

  test("every living state can become EXITED and ERROR, and no state becomes itself", () => {
    for (const state of workflowStates) {
      expect(canTransition(state, state)).toBe(false);
      expect(canTransition(state, "EXITED")).toBe(isAlive(state));
      expect(canTransition(state, "ERROR")).toBe(isAlive(state));
    }
  });

  test("every state but the first can be reached", () => {
    expect(workflowStates.filter((state) => statesBefore(state).length === 0)).toEqual(["UNINITIALIZED"]);
  });

  test.each([
    ["UNINITIALIZED", "QUEUED", true],
    ["QUEUED", "STARTING", true],
    ["STARTING", "READY", true],
    ["READY", "RUNNING", true],
    ["RUNNING", "RESUMEREADY", true],
    ["RESUMEREADY", "RUNNING", true],
    ["RUNNING", "READY", true],
    ["RUNNING", "RESTARTING", true],
    ["RESTARTING", "READY", true],
    ["KILLING", "EXITED", true],
    ["KILLING", "RUNNING", false],
    ["KILLING", "READY", false],
    ["QUEUED", "RUNNING", false],
    ["READY", "QUEUED", false],
    ["READY", "RESUMEREADY", false],
  ] as const)("%s to %s: %s", (from, to, expected) => {
    expect(canTransition(from, to)).toBe(expected);
  });
});

describe("commands", () => {
  const expected: Record<Command, WorkflowState | undefined> = {
    start: "RUNNING",
    compile: "RUNNING",
    continue: "RUNNING",
    clear: "RUNNING",
    break: "RUNNING",
    info: "RUNNING",
    "git-soft-pull": "RUNNING",
    "git-pull": "RUNNING",
    "git-push": "RUNNING",
    stop: "KILLING",
    restart: "RESTARTING",
    "run-setup": undefined,
    run: "RUNNING",
    "step-over": "RUNNING",
    "step-in": "RUNNING",
    "step-out": "RUNNING",
    plan: undefined,
    pause: undefined,
    interrupt: undefined,
    "force-stop": undefined,
    evaluate: undefined,
    "cancel-evaluate": undefined,
    unfold: undefined,
    frame: undefined,
    exceptions: undefined,
    sample: undefined,
  };

  test.each(Object.entries(expected))("S4-053 to S4-063 %s shows %s at once", (command, state) => {
    expect(commands).toContain(command);
    expect(optimisticState(command as Command)).toBe(state);
  });
});

describe("the icon of a state", () => {
  test.each([
    ["UNINITIALIZED", "grey", true],
    ["QUEUED", "grey", true],
    ["STARTING", "yellow", false],
    ["RESTARTING", "yellow", false],
    ["RESUMEREADY", "yellow", false],
    ["READY", "green", false],
    ["RUNNING", "blue", true],
    ["KILLING", "red", true],
    ["ERROR", "red", false],
    ["EXITED", "grey", false],
  ] as const)("S4-046 to S4-052 the icon of %s is %s, pulsing %s", (state, colour, pulse) => {
    expect(stateIcons[state]).toMatchObject({ colour, pulse });
  });

  test("S4-044 S4-045 shows how past sessions ended by their icons", () => {
    expect(stateIcons.EXITED.text).toBe("Ran to completion");
    expect(stateIcons.ERROR.text).toBe("Exited with errors");
  });
});

describe("decisions", () => {
  test.each(workflowStates)("S4-069 a processor is created over %s only when it has ended", (state) => {
    expect(canCreate(state)).toBe(state === "EXITED" || state === "ERROR");
    expect(canCreate(undefined)).toBe(true);
  });

  test.each([
    [7, "READY", "ready"],
    [8, "READY", "waiting"],
    [7, "STARTING", "waiting"],
    [7, "QUEUED", "waiting"],
    [7, "ERROR", "failed"],
    [8, "ERROR", "waiting"],
  ] as const)("S4-068 an update with tag %d and state %s means %s while waiting for tag 7", (tag, state, outcome) => {
    expect(creationOutcome(7, { tag, workflow_state: state })).toBe(outcome);
  });

  test.each(["READY", "RESUMEREADY"] as const)("S4-070 %s is stopped by the command", (state) => {
    expect(stopDecision(state)).toEqual({ by: "command" });
  });

  test.each(["UNINITIALIZED", "QUEUED", "STARTING", "RUNNING", "KILLING", "RESTARTING"] as const)(
    "S4-071 %s is cancelled",
    (state) => expect(stopDecision(state)).toEqual({ by: "cancel" }),
  );

  test.each(["EXITED", "ERROR", undefined] as const)("S4-072 S8-027 %s cannot be stopped", (state) => {
    expect(stopDecision(state)).toEqual({ by: "refusal", message: "No processor to stop" });
  });

  test.each(workflowStates)("S8-030 %s can continue only when paused", (state) => {
    expect(canContinue(state)).toBe(state === "RESUMEREADY");
  });

  test.each([
    ["RUNNING", "KILLING"],
    ["KILLING", "KILLING"],
    ["EXITED", "EXITED"],
    ["ERROR", "ERROR"],
  ] as const)("S4-065 shows a session that is being stopped and was fetched as %s as %s", (state, shown) => {
    expect(stateWhileStopping(state)).toBe(shown);
  });
});
