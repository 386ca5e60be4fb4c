import type { AccountRow } from "../../migrations/tables.ts";

/** An account and the password that somebody has just proved to know. */
export type Proved = Pick<AccountRow, "id" | "password_hash">;
