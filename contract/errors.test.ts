import { describe, expect, test } from "vitest";

import { errors } from "./errors.ts";
import { messages } from "./words/messages.ts";
import * as limits from "./limits.ts";

describe("messages", () => {
  test.each([
    [
      "S8-002",
      messages.noFallback,
      "No fallback provided, not authenticated, and on login page. This should never happen.",
    ],
    ["S5-007", messages.noProjectForNode, "No project currently loaded"],
    ["S5-008", messages.noProjectForTemplate, "No project is currently loaded"],
    ["S5-010", messages.prefabFailed, "Could not instantiate prefab"],
    ["S5-011", messages.noFile, "Please upload a file."],
    ["S5-012", messages.notGraphml, "Please upload a GraphML file."],
    ["S8-016", messages.failedCommand("start", "no"), 'Failed to call command "start" | no.'],
    ["S8-017", messages.noProcessorForCommand, "No processor to call command on"],
    ["S8-018", messages.failedCreation("no"), "Failed to create processor | no"],
    ["S8-019", messages.failedCreation(), "Failed to create processor"],
    ["S8-019", messages.failedCreation(""), "Failed to create processor"],
    ["S8-020", messages.creationTimedOut, "Processor creation timed out"],
    ["S8-021", messages.compileTimedOut, "Compile timed out"],
    ["S8-022", messages.gitPullTimedOut, "Timed out trying to git pull the repository."],
    ["S8-023", messages.gitPushTimedOut, "Timed out trying to git push to the repository."],
    ["S8-024", messages.runSetupTimedOut, "Timed out trying to run node setup routines."],
    ["S8-025", messages.noProcessorToRestart, "No processor to restart"],
    ["S8-026", messages.noProcessorForBreakpoint, "No processor to add breakpoint to"],
    ["S8-027", messages.noProcessorToStop, "No processor to stop"],
    ["S8-028", messages.failedStop("no"), "Failed to stop processor | no"],
    ["S8-029", messages.noProjectSelected, "No project selected"],
    ["S8-030", messages.notPaused, "Processor needs to be in RESUME_READY state to continue"],
    ["S8-032", messages.unknownError, "Unknown Error"],
    ["S8-034", messages.notImplemented, "Not implemented"],
    ["S8-035", messages.noCost, "No cost information available yet."],
    ["S8-036", messages.noPastSessions, "No previous sessions"],
    ["S9-015", messages.sessionCost("$1.20"), "This session has cost $1.20 in total."],
    ["S2-163", messages.exceptionIn("Train"), "An Error occured in Train"],
    ["S2-164", messages.exceptionAt("run", 3), "Exception in run() on line :3"],
    ["S8-012", errors.invalid_execution_token, "Invalid execution token"],
  ])("%s reads: %s", (_id, message, words) => {
    expect(message).toBe(words);
  });
});

describe("limits", () => {
  test.each([
    ["S7-087", limits.socket.transports, ["websocket", "polling"]],
    ["S7-088", limits.socket.reconnectionDelay, 1_000],
    ["S7-088", limits.socket.reconnectionDelayMax, 5_000],
    ["S7-089", limits.socket.reconnectionAttempts, Number.POSITIVE_INFINITY],
    ["S7-090", limits.socket.presenceRenewal, 15_000],
  ])("%s is %j", (_id, limit, value) => {
    expect(limit).toEqual(value);
  });
});
