import { describe, expect, it } from "vitest";

import { planTicks } from "./plan-ticks.ts";

type Given = Omit<Parameters<typeof planTicks>[0], "next_at" | "now">;

const hourly: Given = {
  ...{ id: "one", cron: "0 * * * *", every_minutes: null, timezone: "UTC", waiting: 0 },
  overlap: "skip",
  missed: "latest",
};

const at = (time: string): Date => new Date(`2026-05-01T${time}Z`);

function planned(given: Partial<Given>, from: string, now: string) {
  const { ticks, next_at } = planTicks({ ...hourly, ...given, next_at: at(from), now: at(now) });
  return {
    ticks: ticks.map(
      (tick) => `${tick.at.toISOString().slice(11, 16)} ${tick.outcome}${tick.made_up ? " made up" : ""}`,
    ),
    next: next_at?.toISOString().slice(11, 16),
  };
}

describe("a time that comes while the server runs", () => {
  it("is called, whatever the rule for missed times", () => {
    for (const missed of ["skip", "latest", "all"] as const)
      expect(planned({ missed }, "10:00", "10:00:01")).toEqual({ ticks: ["10:00 due"], next: "11:00" });
  });

  it("is called after a restart that took less than a minute", () => {
    expect(planned({ missed: "skip" }, "10:00", "10:00:59").ticks).toEqual(["10:00 due"]);
  });

  it("is skipped while an earlier one has not been called yet", () => {
    expect(planned({ waiting: 1 }, "10:00", "10:00:01").ticks).toEqual(["10:00 skipped"]);
  });

  it("waits with at most 100 others", () => {
    expect(planned({ overlap: "queue", waiting: 99 }, "10:00", "10:00:01").ticks).toEqual(["10:00 due"]);
    expect(planned({ overlap: "queue", waiting: 100 }, "10:00", "10:00:01").ticks).toEqual(["10:00 skipped"]);
  });

  it("replaces those that wait when the older call is cancelled", () => {
    const schedule = { ...hourly, overlap: "cancel", waiting: 1, next_at: at("10:00"), now: at("10:00:01") } as const;
    expect(planTicks(schedule)).toMatchObject({ replaces: true, ticks: [{ outcome: "due" }] });
  });

  it("counts minutes from the time before, not from when it was called", () => {
    const every = { cron: null, every_minutes: 7 };
    expect(planned(every, "10:00", "10:00:03")).toEqual({ ticks: ["10:00 due"], next: "10:07" });
    expect(planned(every, "10:00", "10:20")).toEqual({
      ticks: ["10:00 missed", "10:07 missed", "10:14 due made up"],
      next: "10:21",
    });
  });
});

describe("times that the server missed", () => {
  it("are skipped, if the rule says so", () => {
    const { ticks, next } = planned({ missed: "skip" }, "08:00", "10:30");
    expect(ticks).toEqual(["08:00 missed", "09:00 missed", "10:00 missed"]);
    expect(next).toBe("11:00");
  });

  it("are made up for by the latest", () => {
    expect(planned({}, "08:00", "10:30").ticks).toEqual(["08:00 missed", "09:00 missed", "10:00 due made up"]);
    // The one that comes in time is the latest.
    expect(planned({}, "08:00", "10:00:01").ticks).toEqual(["08:00 missed", "09:00 missed", "10:00 due"]);
  });

  it("are all made up for", () => {
    expect(planned({ missed: "all" }, "08:00", "10:30").ticks).toEqual([
      ...["08:00 due made up", "09:00 due made up", "10:00 due made up"],
    ]);
  });

  it("skip the one that comes in time: it would run beside them", () => {
    expect(planned({ missed: "all" }, "09:00", "10:00:01").ticks).toEqual(["09:00 due made up", "10:00 skipped"]);
    expect(planned({ missed: "all", overlap: "queue" }, "09:00", "10:00:01").ticks.at(-1)).toBe("10:00 due");
  });

  it("are at most 100, the newest, and the first says that there were more", () => {
    const minutely = { ...hourly, cron: "* * * * *", missed: "all", now: at("10:00:30") } as const;
    const { ticks } = planTicks({ ...minutely, next_at: new Date("2024-01-01T00:00Z") });
    expect(ticks).toHaveLength(100);
    expect(ticks.map((tick) => tick.outcome)).toEqual([...Array.from({ length: 99 }, () => "due"), "skipped"]);
    const skipped = planTicks({ ...minutely, missed: "skip", next_at: new Date("2024-01-01T00:00Z") }).ticks;
    expect(skipped[0]?.reason).toBe("The server was down at this time. Earlier times are not listed.");
  });
});
