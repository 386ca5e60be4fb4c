import type { Version, VersionReason } from "@miranda/contract/schemas/versions.ts";

/** A line of the timeline. */
export type TimelineRow =
  | { type: "day"; key: string; label: string }
  | { type: "version"; key: string; version: Version; isInside: boolean }
  | { type: "fold"; key: string; versions: readonly Version[]; isOpen: boolean };

/** What an automatic version is called. */
const reasonWords: Record<VersionReason, string> = {
  named: "Version",
  run: "Before a run",
  restore: "Before a restore",
  merge: "Before a merge",
  hour: "While working",
  clone: "Before a clone",
  export: "Exported",
};

export function versionTitle({ name, reason }: Pick<Version, "name" | "reason">): string {
  return name || reasonWords[reason];
}

/** In place of an author. The server keeps a version of each hour of work for everybody who worked. */
export function nobodyWords({ reason }: Pick<Version, "reason">): string {
  return reason === "hour" ? "Automatic" : "Deleted account";
}

/**
 * The rows of the timeline: a heading for each day, and consecutive automatic versions of a day in one row, so that named
 * ones stand out. A fold is open when one of its versions is in `unfolded` or is the chosen one.
 */
export function timelineRows(
  versions: readonly Version[],
  unfolded: ReadonlySet<string>,
  chosen: string | undefined,
  now: Date,
): TimelineRow[] {
  const rows: TimelineRow[] = [];
  let day = "";
  let automatic: Version[] = [];

  function endFold(): void {
    const [first, ...more] = automatic;
    if (!first) return;
    const isOpen = automatic.some(({ id }) => unfolded.has(id) || id === chosen);
    if (more.length > 0) rows.push({ type: "fold", key: `fold ${first.id}`, versions: automatic, isOpen });
    if (more.length === 0 || isOpen)
      for (const version of automatic)
        rows.push({ type: "version", key: version.id, version, isInside: more.length > 0 });
    automatic = [];
  }

  for (const version of versions) {
    const label = dayLabel(new Date(version.time_created), now);
    if (label !== day) {
      endFold();
      day = label;
      rows.push({ type: "day", key: `day ${label}`, label });
    }
    if (version.reason === "named") {
      endFold();
      rows.push({ type: "version", key: version.id, version, isInside: false });
    } else automatic.push(version);
  }
  endFold();
  return rows;
}

/** "Today", "Yesterday", or the date. The year only when it is another one. */
export function dayLabel(date: Date, now: Date, locale?: string): string {
  if (isSameDay(date, now)) return "Today";
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (isSameDay(date, yesterday)) return "Yesterday";
  return date.toLocaleDateString(locale, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(date.getFullYear() !== now.getFullYear() && { year: "numeric" }),
  });
}

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}
