import { workflowStates } from "@miranda/contract/processor.ts";
import { describe, expect, test } from "vitest";

import { processorPanel } from "./panel-words.ts";

describe("the panel", () => {
  test.each([
    [undefined, "Not Connected", ["Start"]],
    ["QUEUED", "Queued", []],
    ["UNINITIALIZED", "Starting", []],
    ["STARTING", "Starting", []],
    ["READY", "Ready", ["Run Node Setup", "Force Stop"]],
    ["RUNNING", "Running", ["Force Stop"]],
    ["RESUMEREADY", "Paused", ["Force Stop"]],
    ["KILLING", "Stopping", []],
    ["RESTARTING", "Restarting", []],
    ["ERROR", "Error", ["Restart"]],
    ["EXITED", "Exited", ["Start"]],
  ] as const)("S4-034 to S4-043 %s reads %s and offers %j", (state, label, actions) => {
    expect(processorPanel(state)).toEqual({ label, actions });
  });

  test.each([undefined, ...workflowStates])(
    "S4-035 reads Queued while waiting on a tag, whatever the state was: %s",
    (state) => {
      expect(processorPanel(state, true)).toEqual({ label: "Queued", actions: [] });
    },
  );
});
