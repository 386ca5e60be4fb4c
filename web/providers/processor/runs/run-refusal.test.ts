import { describe, expect, it } from "vitest";

import { parseRunArgs } from "@miranda/contract/command-args.ts";

import { HttpError } from "../../../api/http.ts";
import { failureOf, jobIn, rig } from "../testing.ts";

const wrong = () =>
  Promise.reject(
    new HttpError(409, "Train, line 9: invalid syntax", { code: "code_does_not_parse", place: { node: 4, line: 9 } }),
  );

describe("a run that is refused because of its code", () => {
  it("is shown where Run is, takes its state back, and is forgotten by the next run", async () => {
    let isWrong = true;
    const { actions, refusal, store } = rig({
      job: jobIn("READY"),
      calls: { command: () => (isWrong ? wrong() : Promise.resolve({})) },
    });
    refusal.watch(() => undefined);
    await actions.run({ mode: "changed" });
    expect(refusal.get()).toEqual({ node: 4, line: 9, words: "Train, line 9: invalid syntax" });
    expect(store.get().shown).toBe("READY");
    isWrong = false;
    await actions.run({ mode: "changed" });
    expect(refusal.get()).toBeUndefined();
  });

  it("is an ordinary error on screens that do not show it", async () => {
    const { actions } = rig({ job: jobIn("READY"), calls: { command: wrong } });
    expect(await failureOf(actions.run({ mode: "changed" }))).toBe(
      'Failed to call command "run" | Train, line 9: invalid syntax.',
    );
  });

  it("starts no processor", async () => {
    const { actions, refusal, made } = rig({ calls: { checkRun: wrong } });
    refusal.watch(() => undefined);
    await actions.run({ mode: "changed" });
    expect(refusal.get()).toMatchObject({ line: 9 });
    expect(made).toEqual([]);
  });
});

it("a run lists the nodes whose unsaved code by others it includes", async () => {
  const { actions, unsaved, commands } = rig({ job: jobIn("READY") });
  const authors = [{ username: "bea", first_name: "Bea" }];
  unsaved.put({ metadata_id: 4, unsaved: true, by: "bea", authors, time: "2026-01-01T00:00:00.000Z", outdated: false });
  unsaved.include([4], true);
  await actions.run({ mode: "all" });
  expect(parseRunArgs(commands()[0]?.split(" ")[3])).toMatchObject({ mode: "all", include: [4] });
});

it("a run waits until the server has what was typed, and does not start without it", async () => {
  const { actions, unsaved, commands } = rig({ job: jobIn("READY") });
  const typed = Promise.withResolvers<boolean>();
  unsaved.offer(() => typed.promise);
  const running = failureOf(actions.run({ mode: "changed" }));
  await Promise.resolve();
  expect(commands()).toEqual([]);
  typed.resolve(false);
  expect(await running).toContain("Nothing was run.");
  expect(commands()).toEqual([]);
});

it("uses the plan with the number that its call returned, even if it arrives before the answer", async () => {
  const plan = (number: number, reason: string) => ({
    job_id: "job-1",
    error: null,
    number,
    mode: "changed",
    target: null,
    plan: [{ wob_key: 1, run: true, reason }],
  });
  const { actions, emit } = rig({
    job: jobIn("READY"),
    calls: {
      command: async () => {
        emit("plan", plan(6, "somebody else's"));
        emit("plan", plan(7, "mine"));
        return { number: 7 };
      },
    },
  });
  expect((await actions.plan({ mode: "changed" })).plan[0]?.reason).toBe("mine");
});
