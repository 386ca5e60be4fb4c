/** Mails that wait for the mail server. */
export const mails = {
  every: 5_000,
  atOnce: 5,
  timeout: 20_000,
  // A server that was killed with a mail leaves it for another one.
  lease: 180_000,
  // The pauses after tries that failed. A link in a mail is of no use much later.
  pauses: [10_000, 60_000, 300_000, 900_000, 1_800_000],
  // To one address in an hour. Each purpose has its own, so that no invitation keeps a password link away.
  perAddress: { password: 20, confirmation: 20, invitation: 5 },
} as const;
