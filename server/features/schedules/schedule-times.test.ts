import { describe, expect, it } from "vitest";

import { checkTiming, lastTimes, nextTimes, sentenceOf, type Timing } from "./schedule-times.ts";
import { wallOf } from "./zone-clock.ts";

const cron = (expression: string, timezone = "UTC"): Timing => ({ cron: expression, every_minutes: null, timezone });
const every = (minutes: number): Timing => ({ cron: null, every_minutes: minutes, timezone: "UTC" });

const next = (timing: Timing, after: string, count: number): string[] =>
  nextTimes(timing, new Date(after), count).map((time) => time.toISOString().slice(0, 16));

/** As the clock on the wall shows them. */
const walls = (timing: Timing, after: string, count: number): string[] =>
  nextTimes(timing, new Date(after), count).map((time) =>
    wallOf(timing.timezone, time).toISOString().slice(5, 16).replace("T", " "),
  );

const refusal = (timing: Timing): string => {
  try {
    checkTiming(timing);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("the day the clocks go forward", () => {
  it.each([
    ["Europe/Berlin", "30 2 * * *", "2026-03-28T12:00Z", ["03-29 03:00", "03-30 02:30"]],
    ["America/New_York", "30 2 * * *", "2026-03-07T12:00Z", ["03-08 03:00", "03-09 02:30"]],
    ["Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00Z", ["10-04 02:30", "10-05 02:15"]],
  ])("runs at the first moment after the gap in %s", (timezone, expression, after, times) => {
    expect(walls(cron(expression, timezone), after, 2)).toEqual(times);
  });

  it("runs once for several times in the gap", () => {
    expect(walls(cron("0,20,40 2,3 * * *", "Europe/Berlin"), "2026-03-28T12:00Z", 4)).toEqual([
      ...["03-29 03:00", "03-29 03:20", "03-29 03:40", "03-30 02:00"],
    ]);
  });

  it("keeps the other times of a list in their place", () => {
    expect(walls(cron("30 2,14 * * *", "America/New_York"), "2026-03-07T20:00Z", 3)).toEqual([
      ...["03-08 03:00", "03-08 14:30", "03-09 02:30"],
    ]);
  });

  it("follows real time for an expression of every hour", () => {
    expect(walls(cron("*/30 * * * *", "Europe/Berlin"), "2026-03-29T00:15Z", 4)).toEqual([
      ...["03-29 01:30", "03-29 03:00", "03-29 03:30", "03-29 04:00"],
    ]);
  });
});

describe("the day the clocks go back", () => {
  it.each([
    ["Europe/Berlin", "30 2 * * *", "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
    ["America/New_York", "30 1 * * *", "2026-10-31T12:00Z", ["2026-11-01T05:30", "2026-11-02T06:30"]],
    ["Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00Z", ["2026-04-04T14:45", "2026-04-05T15:15"]],
  ])("runs once, the first time that the clock shows it, in %s", (timezone, expression, after, times) => {
    expect(next(cron(expression, timezone), after, 2)).toEqual(times);
  });

  it("does not run again in the second of the two hours", () => {
    expect(next(cron("30 2 * * *", "Europe/Berlin"), "2026-10-25T01:10Z", 1)).toEqual(["2026-10-26T01:30"]);
  });

  it("runs the times of a list once each", () => {
    expect(next(cron("30 1-3 * * *", "Europe/Berlin"), "2026-10-24T12:00Z", 4)).toEqual([
      ...["2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T02:30", "2026-10-26T00:30"],
    ]);
  });

  it.each([
    ["Europe/Berlin", "0 * * * *", "2026-10-24T23:30Z", ["02:00", "02:00", "03:00"]],
    ["America/New_York", "0 0-23 * * *", "2026-11-01T04:30Z", ["01:00", "01:00", "02:00"]],
    ["Australia/Lord_Howe", "*/30 * * * *", "2026-04-04T14:15Z", ["01:30", "01:30", "02:00"]],
  ])("runs in both hours for an expression of every hour, in %s", (timezone, expression, after, times) => {
    expect(walls(cron(expression, timezone), after, 3).map((wall) => wall.slice(6))).toEqual(times);
  });
});

it("counts real minutes over a change of the clocks", () => {
  expect(next({ ...every(90), timezone: "Europe/Berlin" }, "2026-10-25T00:00Z", 3)).toEqual([
    ...["2026-10-25T01:30", "2026-10-25T03:00", "2026-10-25T04:30"],
  ]);
});

describe("times that have passed", () => {
  const passed = (timing: Timing, first: string, upTo: string, most: number): string[] =>
    lastTimes(timing, new Date(first), new Date(upTo), most).map((time) => time.toISOString().slice(0, 16));

  it("are those up to a moment, both ends included", () => {
    const hours = ["2026-05-01T00:00", "2026-05-01T01:00", "2026-05-01T02:00"];
    expect(passed(cron("0 * * * *"), "2026-05-01T00:00Z", "2026-05-01T02:00Z", 10)).toEqual(hours);
    expect(passed(every(60), "2026-05-01T00:00Z", "2026-05-01T02:59Z", 10)).toEqual(hours);
    expect(passed(cron("30 2 * * *", "Europe/Berlin"), "2026-10-24T00:30Z", "2026-10-26T01:30Z", 10)).toEqual([
      ...["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"],
    ]);
  });

  it("are none before the first", () => {
    expect(passed(cron("0 * * * *"), "2026-05-01T03:00Z", "2026-05-01T02:00Z", 10)).toEqual([]);
  });

  it("are the newest of very many", () => {
    const newest = ["2026-05-01T11:58", "2026-05-01T11:59", "2026-05-01T12:00"];
    expect(passed(cron("* * * * *"), "2016-05-01T00:00Z", "2026-05-01T12:00:30Z", 3)).toEqual(newest);
    expect(passed(every(1), "2016-05-01T00:00Z", "2026-05-01T12:00:30Z", 3)).toEqual(newest);
    expect(passed(cron("30 2 * * *", "Europe/Berlin"), "2016-05-01T00:30Z", "2026-03-30T12:00Z", 2)).toEqual([
      ...["2026-03-29T01:00", "2026-03-30T00:30"],
    ]);
  });

  it.each(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"])(
    "are the same as the next ones were, over a year in %s",
    (timezone) => {
      for (const expression of ["30 2 * * *", "*/20 1-3 * * *", "15 * * * *"]) {
        const timing = cron(expression, timezone);
        const forward = nextTimes(timing, new Date("2026-01-01T00:00Z"), 4_000);
        const [first, last] = [forward[0], forward.at(-1)];
        if (!first || !last) throw new Error("no times");
        expect(lastTimes(timing, first, last, 4_000)).toEqual(forward);
      }
    },
  );
});

it.each([
  [cron("30 2 * * *", "Europe/Berlin"), "At 02:30 every day (Europe/Berlin)"],
  [cron("0 9 * * MON-FRI"), "At 09:00, Monday through Friday (UTC)"],
  [cron("0 0 1 * *"), "At 00:00, on day 1 of the month (UTC)"],
  [every(1), "Every minute"],
  [every(15), "Every 15 minutes"],
  [every(60), "Every hour"],
  [every(180), "Every 3 hours"],
])("says the times in a sentence", (timing, sentence) => {
  expect(sentenceOf(timing)).toBe(sentence);
});

describe("refuses", () => {
  it.each(["Mars/Olympus", "+02:00", "", "Europe/Berlin; drop table", "../etc"])("the time zone %j", (timezone) => {
    expect(refusal(cron("0 * * * *", timezone))).toMatch(/^There is no time zone/);
  });

  it.each(["", "0 * * *", "0 0 * * * *", "@daily", "2026-01-01T00:00:00", "0 0 ? * *", "a;b * * * *"])(
    "an expression without five fields: %j",
    (expression) => expect(refusal(cron(expression))).toMatch(/^A cron expression has five fields/),
  );

  it.each(["60 * * * *", "* 24 * * *", "*/0 * * * *", "5-1 * * * *", "x * * * *", "* * 32 * *", "* * * * 9"])(
    "a value that does not exist: %j",
    (expression) => expect(refusal(cron(expression))).toMatch(/^This cron expression cannot be understood\. ./),
  );

  it("a day that never comes", () => {
    expect(refusal(cron("0 0 30 2 *"))).toBe("This cron expression names a day that never comes.");
  });

  it("both an expression and minutes, and neither", () => {
    const words = "Give either a cron expression or a number of minutes.";
    expect(refusal({ cron: "0 * * * *", every_minutes: 5, timezone: "UTC" })).toBe(words);
    expect(refusal({ cron: null, every_minutes: null, timezone: "UTC" })).toBe(words);
  });
});
