// Limits of what administrators see and decide. Without zod, like limits.ts.

/** What administrators may charge. */
export const prices = {
  /** Credits per hour. */
  max: 10_000,
  noteMax: 500,
  /** Seconds between setting a price and its start. */
  leadSeconds: 60,
  /** Seconds before the start until which it can be withdrawn. */
  withdrawSeconds: 5,
  aheadDays: 730,
} as const;

/** What administrators see of the installation. */
export const adminLists = {
  page: 50,
  pageMax: 200,
  queryMax: 200,
  reasonMax: 500,
  waiting: 200,
  machineIdMax: 300,
  /** In days: results and logs that are older are offered first. */
  freeDays: 30,
} as const;

/** What administrators decide. `linkHours`: how long their links to set a password can be used. */
export const administration = {
  /** The longest trial, and the most credits of one. */
  trialDaysMax: 3_650,
  trialCreditsMax: 1_000_000,
  limitMax: 10_000_000,
  domainsMax: 100,
  domainLength: 253,
  announcementMax: 500,
  linkHours: 24,
  mailLinkHours: 1,
  peoplePage: 50,
} as const;
