import type { AccountRow } from "../../migrations/tables.ts";

/** An account whose password was just proved. */
export type Proved = Pick<AccountRow, "id" | "password_hash">;
