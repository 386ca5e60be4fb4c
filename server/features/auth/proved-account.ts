import type { AccountRow } from "../../tables/tables.ts";

/** An account whose password was just proved. */
export type Proved = Pick<AccountRow, "id" | "password_hash">;
