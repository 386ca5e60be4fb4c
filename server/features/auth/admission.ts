import type { Db } from "../../platform/database/database.ts";
import type { Visitor } from "../../platform/http/visitor.ts";

/** Whether an invitation to an address proves that whoever has its link reads the mails there. */
export type AddressProof = "proved" | "needed" | "not needed";

interface Invited {
  id: string;
  username: string;
  email: string;
}

/** Decides about invitations. */
export interface Admission {
  /** Before an account is made: refuses an invitation that would not let this address in. */
  check(token: string, email: string, visitor: Visitor): Promise<AddressProof>;
  /** In the transaction that makes the account. Returns what to do after it. */
  use(trx: Db, token: string, invitee: Invited, visitor: Visitor): Promise<() => Promise<void>>;
}
