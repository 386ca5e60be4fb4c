// What the clock on the wall of a time zone shows. A wall time is a `Date` whose UTC fields are those of the wall.

const formats = new Map<string, Intl.DateTimeFormat>();
// There are some 600 names, but each can be written in many ways: eUrOpE/bErLiN.
const formatsMax = 1_000;
const day = 86_400_000;
const second = 1_000;

/** Whether it is a name of the IANA database. Node also takes offsets such as +02:00, which know no daylight saving. */
export function isZone(timezone: string): boolean {
  if (!/^[A-Za-z]/.test(timezone)) return false;
  try {
    formatOf(timezone);
    return true;
  } catch {
    return false;
  }
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: timezone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  if (formats.size >= formatsMax) formats.clear();
  formats.set(timezone, made);
  return made;
}

/** Without milliseconds. */
export function wallOf(timezone: string, moment: Date): Date {
  const at = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of formatOf(timezone).formatToParts(moment))
    if (type in at) Object.assign(at, { [type]: Number(value) });
  return new Date(Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second));
}

/**
 * When the wall shows this time. Of a time that comes twice: the first. For a time that is left out when the clocks go
 * forward: the first moment after the gap.
 */
export function instantOf(timezone: string, wall: Date): Date {
  const offset = (moment: number): number => wallOf(timezone, new Date(moment)).getTime() - moment;
  const time = Math.floor(wall.getTime() / second) * second;
  const before = offset(time - day);
  const after = offset(time + day);
  const fitting = [time - before, time - after].filter((moment) => moment + offset(moment) === time);
  if (fitting.length > 0) return new Date(Math.min(...fitting));
  // Inside the gap: the offset changes between these two moments.
  let [low, high] = [time - after, time - before];
  while (high - low > second) {
    const middle = Math.floor((low + high) / 2 / second) * second;
    if (offset(middle) === before) low = middle;
    else high = middle;
  }
  return new Date(high);
}
