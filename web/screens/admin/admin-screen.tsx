import { ShieldCheck } from "lucide-react";

import { errors } from "@miranda/contract/errors.ts";

import { useAccount } from "../../api/account/session.ts";
import { AccountPage } from "../../shell/account/account-page.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";

export function AdminScreen() {
  const { is_admin } = useAccount();
  return (
    <AccountPage title="Administration">
      {is_admin === 1 ? (
        <EmptyState icon={ShieldCheck} title="Not built yet">
          Accounts, credits, prices and running processors will be managed here.
        </EmptyState>
      ) : (
        <EmptyState icon={ShieldCheck} title="For administrators">
          {errors.not_admin}
        </EmptyState>
      )}
    </AccountPage>
  );
}
