import { AppError } from "../../../platform/errors/app-error.ts";

const knownMax = 1_000;

export type Zones = ReturnType<typeof createZones>;

/** Time zones that both this program and the database know. */
export function createZones(isInDatabase: (zone: string) => Promise<boolean>) {
  const known = new Set<string>();

  return {
    async check(zone: string): Promise<void> {
      if (known.has(zone)) return;
      // The database would also accept offsets, which have no daylight saving.
      if (!/^[A-Za-z]/.test(zone) || !isKnownHere(zone) || !(await isInDatabase(zone)))
        throw new AppError("budget_zone");
      if (known.size >= knownMax) known.clear();
      known.add(zone);
    },

    /** Today's date in this time zone. */
    today: (zone: string): string => new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(),
  };
}

function isKnownHere(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).format() !== "";
  } catch {
    return false;
  }
}
