// The times that most people want, without cron.

export const rhythms = ["minutes", "hourly", "daily", "weekdays", "weekly", "monthly", "cron"] as const;
export type Rhythm = (typeof rhythms)[number];

/** What the form holds. Each rhythm uses a part of it, and the rest stays for when the person goes back. */
export interface CronChoice {
  rhythm: Rhythm;
  /** Between two calls, as it was typed. */
  minutes: string;
  /** Of the hour. */
  minute: string;
  /** As 02:30. */
  time: string;
  /** Of the week, Sunday is 0. */
  weekdays: readonly number[];
  /** Of the month, or its last. */
  day: string;
  cron: string;
}

export const lastDay = "L";

export const firstChoice: CronChoice = {
  rhythm: "daily",
  minutes: "15",
  minute: "0",
  time: "02:30",
  weekdays: [1],
  day: "1",
  cron: "30 2 * * *",
};

/** What the server is asked for. Undefined while something is missing. */
export function timesOf(choice: CronChoice): { cron: string | null; every_minutes: number | null } | undefined {
  if (choice.rhythm === "minutes") {
    const minutes = Number(choice.minutes);
    return Number.isInteger(minutes) && minutes >= 1 ? { cron: null, every_minutes: minutes } : undefined;
  }
  const cron = cronOf(choice);
  return cron === undefined ? undefined : { cron, every_minutes: null };
}

function cronOf({ rhythm, minute, time, weekdays, day, cron }: CronChoice): string | undefined {
  const at = clockOf(time);
  switch (rhythm) {
    case "minutes":
      return undefined;
    case "hourly":
      return /^\d{1,2}$/.test(minute) ? `${Number(minute)} * * * *` : undefined;
    case "daily":
      return at && `${at} * * *`;
    case "weekdays":
      return at && `${at} * * 1-5`;
    case "weekly":
      return at && weekdays.length > 0
        ? `${at} * * ${weekdays.toSorted((one, other) => one - other).join(",")}`
        : undefined;
    case "monthly":
      return at && `${at} ${day} * *`;
    case "cron":
      return cron.trim() === "" ? undefined : cron;
  }
}

/** Minute and hour of a cron expression. */
function clockOf(time: string): string | undefined {
  const [, hour, minute] = /^(\d\d):(\d\d)/.exec(time) ?? [];
  return hour === undefined || minute === undefined ? undefined : `${Number(minute)} ${Number(hour)}`;
}

/** The choice that stands for the times of a schedule. What no other rhythm can say is cron. */
export function choiceOf(schedule: { cron: string | null; every_minutes: number | null }): CronChoice {
  if (schedule.cron === null)
    return { ...firstChoice, rhythm: "minutes", minutes: String(schedule.every_minutes ?? firstChoice.minutes) };
  const { cron } = schedule;
  const own: CronChoice = { ...firstChoice, rhythm: "cron", cron };
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.split(/\s+/);
  const isNumber = (text: string): boolean => /^\d{1,2}$/.test(text);
  if (!isNumber(minute) || month !== "*") return own;
  if (hour === "*") return day === "*" && weekday === "*" ? { ...own, rhythm: "hourly", minute } : own;
  if (!isNumber(hour)) return own;
  const timed = { ...own, time: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}` };
  if (weekday === "*" && day === "*") return { ...timed, rhythm: "daily" };
  if (weekday === "*") return isNumber(day) || day === lastDay ? { ...timed, rhythm: "monthly", day } : own;
  if (day !== "*") return own;
  if (weekday === "1-5") return { ...timed, rhythm: "weekdays" };
  if (!/^[0-6](?:,[0-6])*$/.test(weekday)) return own;
  return { ...timed, rhythm: "weekly", weekdays: weekday.split(",").map(Number) };
}
