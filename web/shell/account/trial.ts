import { trial as limits } from "@miranda/contract/limits.ts";

export interface TrialBadge {
  days: number;
  text: string;
  /** On the last day the badge has another colour. */
  endsToday: boolean;
}

/** The badge in the top bar; undefined when the account is not on a trial or the trial has no end. */
export function trialBadge(
  trial: boolean | number,
  trialEnd: string | null | undefined,
  now: number = Date.now(),
): TrialBadge | undefined {
  if (!trial || !trialEnd) return undefined;
  const days = Math.floor((Date.parse(trialEnd) - now) / limits.dayLength);
  if (Number.isNaN(days)) return undefined;
  const endsToday = days <= limits.todayUpToDays;
  return { days, text: endsToday ? "Trial ends Today" : `Trial ends in ${days}d`, endsToday };
}
