import { ShieldCheck } from "lucide-react";
import { Suspense } from "react";
import { NavLink, useParams } from "react-router";

import { errors } from "@miranda/contract/errors.ts";

import { useAccount } from "../../api/account/session.ts";
import { AccountPage } from "../../shell/account/account-page.tsx";
import { NotFound } from "../../shell/failures/router-error.tsx";
import { classes } from "../../ui/classes.ts";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { useOpenTabInView } from "../../ui/layout/use-open-tab-in-view.ts";
import { adminTabs } from "./admin-tabs.ts";

export function AdminScreen() {
  const { is_admin } = useAccount();
  const { tab: path } = useParams();
  const tabs = useOpenTabInView();
  const tab = path === undefined ? adminTabs[0] : adminTabs.find((one) => one.path === path);
  if (is_admin === 1 && !tab) return <NotFound />;
  return (
    <AccountPage title="Administration" wide>
      {is_admin === 1 && tab ? (
        <div className="-mt-3 flex flex-col gap-6">
          <nav ref={tabs} aria-label="Administration" className="-mx-1 flex gap-1 overflow-x-auto p-1">
            {adminTabs.map((one) => (
              <NavLink
                key={one.path}
                to={`/account/admin/${one.path}`}
                aria-current={one === tab ? "page" : undefined}
                className={classes(
                  "flex h-8 shrink-0 items-center rounded-md px-3 text-sm font-medium whitespace-nowrap transition-colors",
                  one === tab ? "bg-accent-soft text-accent-text" : "text-ink-muted hover:bg-hover hover:text-ink",
                )}
              >
                {one.label}
              </NavLink>
            ))}
          </nav>
          <Suspense fallback={<LoadingArea />}>
            <tab.Part />
          </Suspense>
        </div>
      ) : (
        <EmptyState icon={ShieldCheck} title="For administrators">
          {errors.not_admin}
        </EmptyState>
      )}
    </AccountPage>
  );
}
