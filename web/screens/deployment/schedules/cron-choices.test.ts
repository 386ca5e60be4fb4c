import { expect, it } from "vitest";

import { choiceOf, type CronChoice, firstChoice, timesOf } from "./cron-choices.ts";

const cronOf = (choice: Partial<CronChoice>) => timesOf({ ...firstChoice, ...choice });

it.each<[Partial<CronChoice>, string]>([
  [{ rhythm: "hourly", minute: "5" }, "5 * * * *"],
  [{ rhythm: "daily", time: "02:30" }, "30 2 * * *"],
  [{ rhythm: "weekdays", time: "09:00" }, "0 9 * * 1-5"],
  [{ rhythm: "weekly", time: "18:45", weekdays: [6, 0, 3] }, "45 18 * * 0,3,6"],
  [{ rhythm: "monthly", time: "00:00", day: "15" }, "0 0 15 * *"],
  [{ rhythm: "monthly", time: "00:00", day: "L" }, "0 0 L * *"],
  [{ rhythm: "cron", cron: "*/7 1-3 * * *" }, "*/7 1-3 * * *"],
])("%j is %s, and the other way round", (choice, cron) => {
  expect(cronOf(choice)).toEqual({ cron, every_minutes: null });
  const again = choiceOf({ cron, every_minutes: null });
  expect(again.rhythm).toBe(choice.rhythm);
  expect(timesOf(again)).toEqual({ cron, every_minutes: null });
});

it("counts minutes", () => {
  expect(cronOf({ rhythm: "minutes", minutes: "90" })).toEqual({ cron: null, every_minutes: 90 });
  expect(choiceOf({ cron: null, every_minutes: 90 })).toMatchObject({ rhythm: "minutes", minutes: "90" });
});

it.each<Partial<CronChoice>>([
  { rhythm: "minutes", minutes: "" },
  { rhythm: "minutes", minutes: "0" },
  { rhythm: "minutes", minutes: "1.5" },
  { rhythm: "hourly", minute: "" },
  { rhythm: "daily", time: "" },
  { rhythm: "weekly", weekdays: [] },
  { rhythm: "cron", cron: "  " },
])("knows that something is missing: %j", (choice) => {
  expect(cronOf(choice)).toBeUndefined();
});

it.each(["0 9 1 * 1", "0 9 * 6 *", "0 9,17 * * *", "0 9 * * MON", "*/5 * * * *", "0 * 1 * *"])(
  "shows %s as it was written",
  (cron) => {
    expect(choiceOf({ cron, every_minutes: null })).toMatchObject({ rhythm: "cron", cron });
  },
);
