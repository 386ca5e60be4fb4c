export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A moment as the clock on the wall of a time zone shows it. */
export function timeIn(timezone: string, time: string): string {
  return new Date(time).toLocaleString(undefined, {
    ...{ timeZone: timezone, weekday: "short", day: "numeric", month: "short" },
    ...{ hour: "2-digit", minute: "2-digit" },
  });
}

/** The same moment on the reader's own clock. Undefined where both clocks show the same. */
export function ownTime(timezone: string, time: string): string | undefined {
  const own = timeIn(ownZone(), time);
  return own === timeIn(timezone, time) ? undefined : own;
}

/** Every time zone that the browser knows, UTC first. */
export function allZones(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
}

/** The zones whose name has all of the words, however they are written: "new york" finds America/New_York. */
export function findZones(zones: readonly string[], text: string): string[] {
  const words = text
    .toLowerCase()
    .split(/[\s/_]+/)
    .filter(Boolean);
  return zones.filter((zone) => words.every((word) => zone.toLowerCase().includes(word)));
}
