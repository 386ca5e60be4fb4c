import type { Version } from "@miranda/contract/schemas/versions.ts";
import { describe, expect, it } from "vitest";

import { dayLabel, timelineRows } from "./timeline-rows.ts";

const now = new Date("2026-03-10T15:00:00");
const nothing: ReadonlySet<string> = new Set();

function version(id: string, time: string, name = ""): Version {
  return {
    id,
    graph_id: "g",
    number: name ? 1 : null,
    reason: name ? "named" : "run",
    name,
    message: "",
    author: null,
    revision: 1,
    nodes: 1,
    edges: 0,
    runs: 0,
    time_last_run: null,
    time_created: time,
    time_published: null,
  };
}

function read(rows: ReturnType<typeof timelineRows>): string[] {
  return rows.map((row) => {
    if (row.type === "day") return row.label;
    if (row.type === "fold") return `${row.versions.length} automatic`;
    return row.isInside ? `  ${row.version.id}` : row.version.id;
  });
}

describe("the rows of a timeline", () => {
  const versions = [
    version("a", "2026-03-10T14:00:00"),
    version("b", "2026-03-10T13:00:00"),
    version("first", "2026-03-10T12:00:00", "First"),
    version("c", "2026-03-10T11:00:00"),
    version("d", "2026-03-09T11:00:00"),
    version("e", "2026-03-09T10:00:00"),
  ];

  it("folds automatic versions between named ones and between days", () => {
    expect(read(timelineRows(versions, nothing, undefined, now))).toEqual([
      "Today",
      "2 automatic",
      "first",
      "c",
      "Yesterday",
      "2 automatic",
    ]);
  });

  it("opens the fold that was unfolded, and the one with the chosen version", () => {
    expect(read(timelineRows(versions, new Set(["b"]), "e", now))).toEqual([
      "Today",
      "2 automatic",
      "  a",
      "  b",
      "first",
      "c",
      "Yesterday",
      "2 automatic",
      "  d",
      "  e",
    ]);
  });

  it("keeps a fold open when a newer automatic version joins it", () => {
    const more = [version("new", "2026-03-10T14:30:00"), ...versions];
    expect(read(timelineRows(more, new Set(["a"]), undefined, now)).slice(0, 5)).toEqual([
      "Today",
      "3 automatic",
      "  new",
      "  a",
      "  b",
    ]);
  });

  it("gives each row a key of its own", () => {
    const keys = timelineRows(versions, new Set(["a", "d"]), undefined, now).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("names the year of a day in another year", () => {
    expect(dayLabel(new Date("2026-01-05T10:00:00"), now, "en-GB")).toBe("Monday 5 January");
    expect(dayLabel(new Date("2025-12-31T10:00:00"), now, "en-GB")).toContain("2025");
  });
});
