/** Backups that the server makes. Times are in milliseconds. */
export const backups = {
  // How often the schedule is looked at, and the pause after a backup that failed.
  lookEvery: 60_000,
  retryAfter: 15 * 60_000,
  listed: 20,
  // Administrators are warned when the last one is older, and than twice the time of the schedule.
  oldAfter: 7 * 86_400_000,
} as const;
