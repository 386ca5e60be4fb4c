// Every number that is locked in the database. Two locks with one number would wait for each other.

/** Two servers that start together migrate one after the other. */
export const migrationLock = 4_600_001;
/** Two first registrations at once make one administrator. */
export const firstAccountLock = 4_600_002;
/** Two administrators who delete their accounts at once leave one of them. */
export const adminLock = 4_600_003;
/** One backup of an installation at a time. */
export const backupLock = 4_600_004;
/** One server at a time takes sessions from the queue. */
export const queueLock = 4_600_010;
