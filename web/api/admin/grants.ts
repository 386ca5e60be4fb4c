import type { Grant } from "@miranda/contract/schemas/billing/grants.ts";

import { call } from "../http.ts";

/** The key is made once for a form, so that a grant that is sent twice counts once. */
export interface Given {
  amount: string;
  note: string;
  key: string;
}

/** Gives credits to an account, or to a project. */
export const sendGrant = (to: { account: string } | { project_id: string }, given: Given): Promise<Grant> =>
  call<Grant>("/api/v3/admin/grants", { method: "POST", fields: { ...given, ...to } });
