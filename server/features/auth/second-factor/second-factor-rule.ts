import type { Db } from "../../../platform/database/database.ts";
import type { Installation } from "../../../platform/installation/installation.ts";

export type SecondFactorRule = ReturnType<typeof createSecondFactorRule>;

/** Whom the administrators ask for a second factor. */
export function createSecondFactorRule(installation: Pick<Installation, "read" | "readNow">) {
  /** Inside a transaction, give it: another connection may not be free. */
  async function isRequiredOf(isAdmin: boolean, trx?: Db): Promise<boolean> {
    const { second_factor: rule } = await (trx ? installation.readNow(trx) : installation.read());
    return rule === "everybody" || (rule === "admins" && isAdmin);
  }

  return {
    isRequiredOf,

    /** Whether an account has to set one up before anything else. `hasTwoFactors`: a provider asked for two factors. */
    async isMissing(
      account: { is_admin: boolean; has_second_factor: boolean },
      hasTwoFactors: boolean,
    ): Promise<boolean> {
      return !hasTwoFactors && !account.has_second_factor && (await isRequiredOf(account.is_admin));
    },
  };
}
