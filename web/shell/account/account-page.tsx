import type { ReactNode } from "react";
import { NavLink } from "react-router";

import { useAccount } from "../../api/account/session.ts";
import { classes } from "../../ui/classes.ts";
import { Page } from "../../ui/layout/page.tsx";
import { useOpenTabInView } from "../../ui/layout/use-open-tab-in-view.ts";

/** The frame of the pages under /account. */
export function AccountPage({ title, wide = false, children }: { title: string; wide?: boolean; children: ReactNode }) {
  const { is_admin } = useAccount();
  const tabs = useOpenTabInView();
  return (
    <Page title={title} wide={wide}>
      <nav
        ref={tabs}
        aria-label="Account pages"
        className="-mt-3 flex gap-5 overflow-x-auto shadow-[inset_0_-1px_0_var(--line)]"
      >
        <Tab to="/account" exact>
          Settings
        </Tab>
        <Tab to="/account/billing">Usage and billing</Tab>
        <Tab to="/account/teams">Teams</Tab>
        {is_admin === 1 ? <Tab to="/account/admin">Administration</Tab> : null}
      </nav>
      {children}
    </Page>
  );
}

function Tab({ to, exact = false, children }: { to: string; exact?: boolean; children: ReactNode }) {
  return (
    <NavLink
      to={to}
      end={exact}
      className={({ isActive }) =>
        classes(
          "flex h-10 shrink-0 items-center border-b-2 font-medium whitespace-nowrap transition-colors -outline-offset-2",
          isActive ? "border-accent text-ink" : "border-transparent text-ink-muted hover:text-ink",
        )
      }
    >
      {children}
    </NavLink>
  );
}
