import {
  BookOpen,
  Compass,
  Cpu,
  ExternalLink,
  Gauge,
  LogOut,
  type LucideIcon,
  UserRound,
  Workflow,
} from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { Link, useLocation } from "react-router";
import { roundedCredits, wholeCredits } from "@miranda/contract/billing/credits.ts";

import { useMoneyShown } from "../../api/billing/money-shown.ts";
import { messageOf } from "../../message-of.ts";
import { toast } from "../../ui/overlay/toast.ts";

import { logOut } from "../../api/account/session.ts";
import { useSettings } from "../../api/settings.ts";
import { Badge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { SpinnerIcon } from "../../ui/layout/spinner.tsx";
import { type Section, sectionOf, sectionRoot } from "../section.ts";

interface MenuUser {
  firstName: string;
  lastName: string;
  email: string;
  credits: number;
}

interface AccountMenuProps {
  id: string;
  user: MenuUser | undefined;
  onNavigate: () => void;
}

export function AccountMenu({ id, user, onNavigate }: AccountMenuProps) {
  const { pathname } = useLocation();
  const section = sectionOf(pathname);
  const showsMoney = useMoneyShown();
  // A whole address: it opens in a new tab, wherever the documentation is.
  const documentation = useSettings()?.docs_url ?? new URL("/docs", location.origin).href;
  return (
    <div
      id={id}
      data-testid="account-menu"
      onKeyDown={moveByArrow}
      role="presentation"
      className="absolute top-full right-0 z-20 mt-2 w-68 max-w-[calc(100vw-1.5rem)] animate-appear rounded-xl bg-raised p-1.5 shadow-high"
    >
      <div className="min-h-12 px-2.5 pt-1.5 pb-2.5">
        <div className="truncate font-semibold" data-testid="menu-name">
          {user ? `${user.firstName} ${user.lastName}` : null}
        </div>
        {user?.email ? (
          <div className="truncate text-sm text-ink-muted" data-testid="menu-email">
            {user.email}
          </div>
        ) : null}
      </div>
      <nav aria-label="Account" className="flex flex-col">
        <div className="mb-1.5 grid grid-cols-2 gap-1 rounded-lg bg-sunken p-1">
          <SwitchLink own="designer" section={section} icon={Workflow} label="Designer" onClick={onNavigate} />
          <SwitchLink own="explorer" section={section} icon={Compass} label="Explorer" onClick={onNavigate} />
        </div>
        {showsMoney ? (
          <MenuLink to="/account/billing" icon={Gauge} label="Usage" onClick={onNavigate}>
            {user ? <Badge>{String(wholeCredits(roundedCredits(user.credits)))}</Badge> : null}
          </MenuLink>
        ) : null}
        <MenuLink to="/designer/processors" icon={Cpu} label="Your Processors" onClick={onNavigate} />
        <MenuLink to="/account" icon={UserRound} label="Account" onClick={onNavigate} />
        <a href={documentation} target="_blank" rel="noreferrer" className={row} onClick={onNavigate}>
          <RowContent icon={BookOpen} label="Documentation">
            <ExternalLink className="size-3.5 text-ink-faint" aria-hidden="true" />
          </RowContent>
        </a>
      </nav>
      <div className="mt-1.5 border-t border-line pt-1.5">
        <LogoutButton />
      </div>
    </div>
  );
}

const row =
  "flex h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-left transition-colors hover:bg-hover -outline-offset-2";

interface RowProps {
  icon: LucideIcon;
  label: string;
  children?: ReactNode;
}

function RowContent({ icon: Icon, label, children }: RowProps) {
  return (
    <>
      <Icon className="size-4 text-ink-muted" aria-hidden="true" />
      <span className="flex-1">{label}</span>
      {children}
    </>
  );
}

function MenuLink({ to, onClick, ...content }: RowProps & { to: string; onClick: () => void }) {
  return (
    <Link to={to} onClick={onClick} className={row}>
      <RowContent {...content} />
    </Link>
  );
}

interface SwitchLinkProps {
  own: Section;
  section: Section;
  icon: LucideIcon;
  label: string;
  onClick: () => void;
}

function SwitchLink({ own, section, icon: Icon, label, onClick }: SwitchLinkProps) {
  const current = own === section;
  return (
    <Link
      to={sectionRoot(own)}
      onClick={onClick}
      aria-current={current ? "true" : undefined}
      className={classes(
        "flex h-8 items-center justify-center gap-2 rounded-md transition-colors",
        current ? "bg-raised font-medium text-accent-text shadow-low" : "text-ink-muted hover:text-ink",
      )}
    >
      <Icon className="size-4" aria-hidden="true" />
      {label}
    </Link>
  );
}

function LogoutButton() {
  const [busy, setBusy] = useState(false);

  async function leave() {
    setBusy(true);
    try {
      await logOut();
    } catch (cause) {
      setBusy(false);
      toast.error(messageOf(cause));
    }
  }

  return (
    <button type="button" onClick={leave} disabled={busy} className={row}>
      {busy ? <SpinnerIcon /> : <LogOut className="size-4 text-ink-muted" aria-hidden="true" />}
      Logout
    </button>
  );
}

function moveByArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>("a, button")];
  const at = entries.findIndex((entry) => entry === document.activeElement);
  entries.at((at + step) % entries.length)?.focus();
}
