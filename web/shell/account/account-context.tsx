import { createContext, type ReactNode, useContext, useMemo } from "react";

import { ShownAccount, useSession } from "../../api/account/session.ts";

export interface AccountContextValue {
  authenticated: boolean;
  username: string | undefined;
  avatar: string | null;
  trial: boolean;
  trialEnd: string | null;
}

const AccountContext = createContext<AccountContextValue>({
  authenticated: false,
  username: undefined,
  avatar: null,
  trial: false,
  trialEnd: null,
});

export function AccountProvider({ children }: { children: ReactNode }) {
  const { state, account } = useSession();
  const value = useMemo(
    () => ({
      authenticated: state === "authenticated",
      username: account?.username,
      avatar: account?.avatar ?? null,
      trial: account?.trial === 1,
      trialEnd: account?.trial_end ?? null,
    }),
    [state, account],
  );
  return (
    <ShownAccount value={account}>
      <AccountContext value={value}>{children}</AccountContext>
    </ShownAccount>
  );
}

export function useAccountContext(): AccountContextValue {
  return useContext(AccountContext);
}
