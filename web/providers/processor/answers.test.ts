import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { failureOf, jobIn, rig } from "./testing.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Actions = ReturnType<typeof rig>["actions"];

const awaited = [
  [
    "S8-021 S7-120",
    "compile",
    (actions: Actions) => actions.compile({ nodeId: 4, attributes: [], code: "" }),
    "Compile timed out",
  ],
  [
    "S8-022 S7-121",
    "git-pull",
    (actions: Actions) => actions.gitPull(),
    "Timed out trying to git pull the repository.",
  ],
  [
    "S9-005 S7-122",
    "git-soft-pull",
    (actions: Actions) => actions.gitSoftPull(),
    "Timed out trying to git pull the repository.",
  ],
  [
    "S8-023 S7-123",
    "git-push",
    (actions: Actions) => actions.gitPush(),
    "Timed out trying to git push to the repository.",
  ],
  ["S8-024", "run-setup", (actions: Actions) => actions.runSetup(), "Timed out trying to run node setup routines."],
] as const;

describe.each(awaited)("%s %s", (_id, name, act, late) => {
  it("gives up after 60 s", async () => {
    const { actions } = rig({ job: jobIn("READY") });
    let settled = false;
    const outcome = failureOf(act(actions).finally(() => (settled = true)));
    await vi.advanceTimersByTimeAsync(59_900);
    expect(settled).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await outcome).toBe(late);
  });

  it("is completed by its event, not by another job's", async () => {
    const { actions, emit } = rig({ job: jobIn("READY") });
    const answer = act(actions);
    await vi.advanceTimersByTimeAsync(0);
    const event = { job_id: "job-1", error: null, wob_key: 4, api: null };
    emit(name, { ...event, job_id: "another", error: "not ours" });
    emit(name, event);
    await expect(answer).resolves.toEqual(event);
  });

  it("S8-031 rejects with the error its event carries", async () => {
    const { actions, emit } = rig({ job: jobIn("READY") });
    const outcome = failureOf(act(actions));
    await vi.advanceTimersByTimeAsync(0);
    emit(name, { job_id: "job-1", error: "The node has commits of its own.", wob_key: 4, api: null });
    expect(await outcome).toBe("The node has commits of its own.");
  });
});
