import { describe, expect, test } from "vitest";

import { recentSessions, sessionGroupOf, sessionGroups } from "@miranda/contract/sessions.ts";
import { floorTo2, sessionFigures, usageBarOf } from "./usage.ts";

describe("figures", () => {
  test.each([
    [1.239, 1.23],
    [99.996, 99.99],
    [1.5, 1.5],
    [0, 0],
    [2, 2],
    [0.29, 0.29],
    [1.15, 1.15],
    [4.35, 4.35],
    [0.009, 0],
    [0.1 + 0.2, 0.3],
    [1e300, 1e300],
  ])("S9-014 %d is shown as %d", (value, shown) => {
    expect(floorTo2(value)).toBe(shown);
  });

  test("S9-014 keeps every value that has two decimals", () => {
    const all = Array.from({ length: 100_001 }, (_, hundredths) => hundredths / 100);
    expect(all.filter((value) => floorTo2(value) !== value)).toEqual([]);
  });

  test.each([
    [0, 10, 0, "green"],
    [6.9, 10, 69, "green"],
    [7, 10, 70, "green"],
    [7.1, 10, 71, "orange"],
    [9, 10, 90, "orange"],
    [9.1, 10, 91, "red"],
    [15, 10, 100, "red"],
    [1, 0, 0, "green"],
    [Number.NaN, 10, 0, "green"],
  ] as const)("S9-010 to S9-013 %d of %d fills %d percent in %s", (used, capacity, percent, colour) => {
    const bar = usageBarOf(used, capacity);
    expect(bar.percent).toBeCloseTo(percent);
    expect(bar.colour).toBe(colour);
  });

  test("S2-171 to S2-174 S9-017 computes the figures of the session list", () => {
    const use = { cpu_seconds: 7200, ram_gb_seconds: 5400, net_rx_gb: 1, net_tx_gb: 2 };
    expect(sessionFigures(use)).toEqual({ coreHours: 2, ramGbHours: 1.5, networkGb: 3 });
  });
});

describe("sessions", () => {
  const session = (id: string, time: string, kind = "Docker_job") => ({ id, class: kind, time_created: time });
  const all = [
    session("old", "2026-01-01T00:00:00Z"),
    session("new", "2026-01-03T00:00:00Z"),
    session("current", "2026-01-04T00:00:00Z"),
    session("other", "2026-01-02T00:00:00Z", "Other_job"),
    session("middle", "2026-01-02T00:00:00+01:00"),
  ];

  test("S9-018 S9-019 S9-020 lists recent sessions newest first, without the current one, only Docker_job", () => {
    expect(recentSessions(all, "current").map(({ id }) => id)).toEqual(["new", "middle", "old"]);
    expect(recentSessions(all, undefined)[0]?.id).toBe("current");
  });

  test("S2-169 groups sessions in the order queued, running, errored, exited", () => {
    expect(sessionGroups).toEqual(["queued", "running", "errored", "exited"]);
    expect((["QUEUED", "KILLING", "ERROR", "EXITED"] as const).map(sessionGroupOf)).toEqual([...sessionGroups]);
  });
});
