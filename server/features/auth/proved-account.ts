import type { AccountRow } from "../../tables/tables.ts";

/** An account whose password was just proved. */
export type Proved = Pick<AccountRow, "id" | "password_hash"> & Partial<Pick<AccountRow, "has_second_factor">>;

/** Accounts that a provider made have none until somebody sets one. */
export function hasPassword(row: Pick<AccountRow, "password_hash" | "generated_password_hash">): boolean {
  return row.password_hash !== row.generated_password_hash;
}
