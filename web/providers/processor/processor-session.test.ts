import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { parseContinueArgs, parseStartArgs } from "@miranda/contract/command-args.ts";
import { type Command, isAlive, workflowStates } from "@miranda/contract/processor.ts";

import { failureOf, jobIn, rig } from "./testing.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => undefined);
const refused = (words: string) => () => Promise.reject(new Error(words));

describe("the state shown ahead of the server's answer", () => {
  const asked = {
    start: (actions) => actions.start(),
    compile: (actions) => actions.compile({ nodeId: 1, attributes: [], code: "" }),
    clear: (actions) => actions.clearBreakpoints(),
    info: (actions) => actions.info(),
    "git-soft-pull": (actions) => actions.gitSoftPull(),
    "git-pull": (actions) => actions.gitPull(),
    "git-push": (actions) => actions.gitPush(),
  } as const satisfies Partial<Record<Command, (actions: ReturnType<typeof rig>["actions"]) => Promise<unknown>>>;
  const ids = {
    start: "S4-053",
    compile: "S4-054",
    clear: "S4-056",
    info: "S4-058",
    "git-soft-pull": "S4-059",
    "git-pull": "S4-060",
    "git-push": "S4-061",
  } as const;

  for (const name of Object.keys(asked) as (keyof typeof asked)[]) {
    it(`${ids[name]} ${name} sets RUNNING`, async () => {
      const { store, actions, commands } = rig({ job: jobIn("READY"), calls: { command: never } });
      void asked[name](actions);
      await vi.advanceTimersByTimeAsync(0);
      expect(commands()[0]).toContain(`command graph ${name}`);
      expect(store.get().shown).toBe("RUNNING");
    });
  }

  it("S4-055 continue sets RUNNING", async () => {
    const { store, actions } = rig({ job: jobIn("RESUMEREADY"), calls: { command: never } });
    void actions.resume();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.get().shown).toBe("RUNNING");
  });

  it("S4-057 break sets RUNNING", async () => {
    const { store, actions, commands } = rig({ job: jobIn("RESUMEREADY"), calls: { command: never } });
    void actions.addBreakpoint(5, 3);
    await vi.advanceTimersByTimeAsync(0);
    expect(commands()[0]).toContain("command graph break");
    expect(store.get().shown).toBe("RUNNING");
  });

  it("S4-062 stop sets KILLING", async () => {
    const { store, actions } = rig({ job: jobIn("READY"), calls: { command: never } });
    void actions.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.get().shown).toBe("KILLING");
  });

  it("S4-063 restart sets RESTARTING", async () => {
    const { store, actions } = rig({ job: jobIn("ERROR"), calls: { command: never } });
    void actions.restart();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.get().shown).toBe("RESTARTING");
  });

  it("is taken back when the command is refused", async () => {
    const { store, actions } = rig({ job: jobIn("READY"), calls: { command: refused("no") } });
    await expect(actions.start()).rejects.toThrow("no");
    expect(store.get().shown).toBe("READY");
  });

  it("is not taken back by an update that was already on its way, but by the next state", async () => {
    const { store, actions } = rig({ job: jobIn("RESUMEREADY") });
    await actions.resume();
    store.observe(jobIn("RESUMEREADY", { cpu_seconds: 1 }));
    expect(store.get().shown).toBe("RUNNING");
    store.observe(jobIn("READY"));
    expect(store.get().shown).toBe("READY");
  });

  it("does not stay for ever when the server's event never comes", async () => {
    const { store, actions } = rig({ job: jobIn("READY") });
    await actions.start();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(store.get().shown).toBe("READY");
  });

  it("does not stay after a command that leaves the state as it is", async () => {
    const { store, actions } = rig({ job: jobIn("READY") });
    await actions.info();
    await vi.advanceTimersByTimeAsync(1);
    expect(store.get().shown).toBe("READY");
  });
});

describe("creating a processor", () => {
  it("S4-067 sets the state to STARTING, and the tag is waited on", async () => {
    const { store, actions, made } = rig();
    void actions.create().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(store.get().shown).toBe("STARTING");
    const tag = Number(made.find((call) => call.startsWith("create"))?.split(" ")[2]);
    expect(store.get().waitingOnTag).toBe(tag);
    expect(made).toContain(`broadcast setWaitingOnTag {"tag":${tag}}`);
  });

  it("S4-066 uses another tag each time", async () => {
    const tags = await Promise.all(
      [1, 2].map(async () => {
        const { store, actions } = rig();
        void actions.create().catch(() => undefined);
        await vi.advanceTimersByTimeAsync(0);
        return store.get().waitingOnTag;
      }),
    );
    expect(tags[0]).not.toBe(tags[1]);
  });

  it("S4-068 waits for READY with the same tag", async () => {
    const { store, actions } = rig();
    let done = false;
    const created = actions.create().then(() => (done = true));
    await vi.advanceTimersByTimeAsync(0);
    const tag = store.get().waitingOnTag ?? 0;
    store.observe(jobIn("READY", { id: "other", tag: tag + 1 }));
    await vi.advanceTimersByTimeAsync(10);
    expect(done).toBe(false);
    store.observe(jobIn("STARTING", { tag, time_created: "2026-01-02T00:00:00Z" }));
    expect(store.get().waitingOnTag).toBeNull();
    await vi.advanceTimersByTimeAsync(10);
    expect(done).toBe(false);
    store.observe(jobIn("READY", { tag, time_created: "2026-01-02T00:00:00Z" }));
    await created;
    expect(store.get().shown).toBe("READY");
  });

  it("S4-069 happens only when there is none, or the one there has ended", async () => {
    for (const state of workflowStates) {
      const { actions, made } = rig({ job: jobIn(state) });
      void actions.create().catch(() => undefined);
      await vi.advanceTimersByTimeAsync(0);
      expect([state, made.some((call) => call.startsWith("create"))]).toEqual([state, !isAlive(state)]);
    }
  });

  it("S8-018 reports why it failed", async () => {
    const { store, actions } = rig({ calls: { create: refused("You are out of credits.") } });
    await expect(actions.create()).rejects.toThrow("Failed to create processor | You are out of credits.");
    expect(store.get()).toMatchObject({ shown: undefined, waitingOnTag: null });
  });

  it("S8-019 reports only that it failed when there is no reason", async () => {
    const { actions } = rig({ calls: { create: () => Promise.resolve({}) } });
    await expect(actions.create()).rejects.toThrow(/^Failed to create processor$/);
  });

  it("S8-020 gives up after 60 s", async () => {
    const { store, actions } = rig();
    const outcome = failureOf(actions.create());
    await vi.advanceTimersByTimeAsync(59_900);
    expect(store.get().waitingOnTag).not.toBeNull();
    await vi.advanceTimersByTimeAsync(200);
    expect(await outcome).toBe("Processor creation timed out");
    expect(store.get().waitingOnTag).toBeNull();
  });
});

describe("stopping", () => {
  it("S4-070 sends the stop command from READY and RESUMEREADY", async () => {
    for (const state of ["READY", "RESUMEREADY"] as const) {
      const { actions, made } = rig({ job: jobIn(state) });
      await actions.stop();
      expect(made).toEqual(["command graph stop "]);
    }
  });

  it("S4-071 cancels the job from any other state it is alive in", async () => {
    for (const state of workflowStates) {
      if (!isAlive(state) || state === "READY" || state === "RESUMEREADY") continue;
      const { store, actions, made } = rig({ job: jobIn(state) });
      await actions.stop();
      expect(made).toEqual(["cancel job-1"]);
      expect(store.get().shown).toBe("KILLING");
    }
  });

  it("S4-072 S8-027 is refused when there is none, or it has ended", async () => {
    for (const job of [undefined, jobIn("EXITED"), jobIn("ERROR")]) {
      const { actions, made } = rig(job && { job });
      await expect(actions.stop()).rejects.toThrow("No processor to stop");
      expect(made).toEqual([]);
    }
  });

  it("S8-028 reports why it failed", async () => {
    const { store, actions } = rig({ job: jobIn("RUNNING"), calls: { cancel: refused("gone") } });
    await expect(actions.stop()).rejects.toThrow("Failed to stop processor | gone");
    expect(store.get().shown).toBe("RUNNING");
  });
});

describe("refusals", () => {
  it("S8-016 a failed command names itself and the reason", async () => {
    const { actions } = rig({ job: jobIn("READY"), calls: { command: refused("it rains") } });
    await expect(actions.runSetup()).rejects.toThrow('Failed to call command "run-setup" | it rains.');
  });

  it("S8-017 a command needs a processor", async () => {
    await expect(rig().actions.pause()).rejects.toThrow("No processor to call command on");
    await expect(rig({ job: jobIn("EXITED") }).actions.info()).rejects.toThrow("No processor to call command on");
  });

  it("S8-025 restart needs a processor", async () => {
    await expect(rig().actions.restart()).rejects.toThrow("No processor to restart");
  });

  it("S8-026 a breakpoint is added to a processor", async () => {
    await expect(rig().actions.addBreakpoint(1, 2)).rejects.toThrow("No processor to add breakpoint to");
  });

  it("S8-029 nothing is done without a project", async () => {
    const { actions } = rig({ projectId: "", job: jobIn("READY") });
    for (const action of [actions.create, actions.start, actions.stop, actions.restart, actions.runSetup])
      await expect(action()).rejects.toThrow("No project selected");
  });

  it("S8-030 continue is allowed only while paused", async () => {
    for (const state of workflowStates) {
      const { actions, commands } = rig({ job: jobIn(state) });
      if (state === "RESUMEREADY") {
        await actions.resume();
        expect(commands()).toHaveLength(1);
      } else {
        await expect(actions.resume()).rejects.toThrow("Processor needs to be in RESUME_READY state to continue");
        expect(commands()).toEqual([]);
      }
    }
  });
});

describe("arguments", () => {
  it("start brings the breakpoints that were set, not the place a step has come to", async () => {
    const { store, actions, commands } = rig({ job: jobIn("READY") });
    store.setBreakpoint(4, 10);
    store.hit({ job_id: "job-1", wob_key: 4, line_number: 12, locals: {} });
    await actions.start();
    const args = commands()[0]?.split(" ").slice(3).join(" ");
    expect(parseStartArgs(args)).toEqual({ line: undefined, breakpoints: { 4: [10] } });
  });

  it("continue brings the lines of the node it is paused in", async () => {
    const { store, actions, commands } = rig({ job: jobIn("RESUMEREADY") });
    store.setBreakpoint(4, 10);
    store.setBreakpoint(5, 1);
    store.hit({ job_id: "job-1", wob_key: 4, line_number: 10, locals: {} });
    await actions.resume();
    expect(parseContinueArgs(commands()[0]?.split(" ")[3])).toEqual({ breakpoints: [10] });
    expect(store.get().debugging.breakpoints[4]?.[10]).toEqual({ line: 10, wobId: 4, triggered: false });
  });

  it("a step whose stop is published before its call is answered stays at that stop", async () => {
    const { store, actions } = rig({
      job: jobIn("RESUMEREADY"),
      calls: {
        command: async () => {
          store.hit({ job_id: "job-1", wob_key: 4, line_number: 11, locals: {} });
          return {};
        },
      },
    });
    store.hit({ job_id: "job-1", wob_key: 4, line_number: 10, locals: {} });
    await actions.step("step-over");
    expect(store.get().debugging.breakpoints).toMatchObject({ 4: { 11: { triggered: true } } });
  });

  it("start creates the processor first when there is none", async () => {
    const { store, actions, made } = rig();
    const started = actions.start();
    await vi.advanceTimersByTimeAsync(0);
    store.observe(jobIn("READY", { tag: store.get().waitingOnTag ?? 0 }));
    await started;
    expect(made.map((call) => call.split(" ")[0])).toEqual(["broadcast", "create", "command"]);
  });
});
