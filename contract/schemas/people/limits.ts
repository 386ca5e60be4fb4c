/** Invitations to a project or to the installation. */
export const invitation = {
  days: 7,
  /** Room for more than a token, so that a longer text is refused as an unknown invitation. */
  tokenMax: 200,
  /** Open ones of a project, or of the installation. */
  openMax: 200,
  /** New ones of one person. */
  perHour: 60,
  /** Unknown tokens from one address. */
  missesPerQuarter: 30,
  /** How long ended ones are listed. */
  keptDays: 90,
  listed: 200,
} as const;

export const team = {
  /** That one account owns. */
  ownedMax: 50,
  peopleMax: 500,
  projectsMax: 1_000,
  /** In one project. */
  perProject: 50,
} as const;

/** How long a new owner has to accept a project. */
export const transfer = { days: 14, listed: 100 } as const;
