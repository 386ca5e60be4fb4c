import { use } from "react";

import { ShownAccount } from "../account/session.ts";
import { useSettings } from "../settings.ts";

/** Whether this person is shown costs, credits, prices and trials: where running is free, only administrators are. */
export function useMoneyShown(): boolean {
  const account = use(ShownAccount);
  return useSettings()?.payment !== "free" || account?.is_admin === 1;
}
