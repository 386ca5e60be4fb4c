import { ArrowLeft, ChevronRight } from "lucide-react";
import { Suspense, useEffect } from "react";
import { Link, useLocation } from "react-router";

import { lazyPart } from "../load-part.ts";
import { useSession } from "../api/account/session.ts";
import { classes } from "../ui/classes.ts";
import { AccountButton } from "./account/account-button.tsx";
import { useAccountContext } from "./account/account-context.tsx";
import { ProductLink } from "./brand.tsx";
import { NotificationBell } from "./notifications/notification-bell.tsx";
import { SearchSlot } from "./search/search.tsx";
import { SectionsNav } from "./sections-nav.tsx";
import { barTitle, documentTitle } from "./section.ts";
import { useTopBarContent } from "./top-bar-context.tsx";
import { TrialBadge } from "./account/trial-badge.tsx";

const Members = lazyPart(() => import("./project/members.tsx").then((module) => ({ default: module.Members })));

export function TopBar() {
  const { authenticated } = useAccountContext();
  const { state } = useSession();
  const { pathname } = useLocation();
  const { back, project, graph, members, following, onFollow } = useTopBarContent();
  const title = barTitle(pathname);
  const crumbs = project !== undefined && graph !== undefined ? { project, graph } : null;
  // Beside a back link a phone has room for one letter of the title.
  const hasRoom = crumbs === null && !back;

  useEffect(() => {
    document.title = documentTitle(graph, project, title);
  }, [graph, project, title]);

  return (
    <header
      data-testid="top-bar"
      className="sticky top-0 z-30 flex h-12 shrink-0 items-center gap-3 border-b border-line bg-surface px-3 sm:px-4"
    >
      <div className="flex min-w-0 flex-1 items-center gap-2 sm:gap-2.5">
        <ProductLink />
        <span
          aria-hidden="true"
          className={classes("h-4 w-px shrink-0 rotate-12 bg-line-strong/60", !hasRoom && "max-sm:hidden")}
        />
        <span
          data-testid="bar-title"
          className={classes("truncate text-ink-muted sm:shrink-0", !hasRoom && "max-sm:sr-only")}
        >
          {title}
        </span>
        {back ? (
          <Link
            to={back}
            aria-label="Back"
            data-testid="back-link"
            className="grid size-7 shrink-0 place-items-center rounded-md text-ink-muted transition-colors hover:bg-hover hover:text-ink"
          >
            <ArrowLeft className="size-4" aria-hidden="true" />
          </Link>
        ) : null}
        {crumbs ? <Crumbs {...crumbs} /> : null}
        {authenticated ? <SectionsNav compact={crumbs !== null} /> : null}
      </div>
      <div className="flex shrink-0 items-center gap-1 sm:gap-3">
        {members && members.length > 0 ? (
          <Suspense fallback={null}>
            <Members members={members} following={following} onFollow={onFollow} />
          </Suspense>
        ) : null}
        {authenticated ? <SearchSlot compact={crumbs !== null} /> : null}
        <TrialBadge className={crumbs ? "max-sm:hidden" : null} />
        <BellSlot />
        {state === "unauthenticated" ? <SignInLink /> : <AccountButton />}
      </div>
    </header>
  );
}

/** On pages that need no account. */
function SignInLink() {
  return (
    <a
      href={`/login?next=${encodeURIComponent(location.href)}`}
      className="inline-flex h-8 items-center rounded-md px-2.5 text-sm font-medium text-accent-text hover:bg-hover"
    >
      Sign in
    </a>
  );
}

/** People who are still being asked who they are have nothing to be told. */
function BellSlot() {
  const { account, needsOnboarding } = useSession();
  return account && !needsOnboarding ? <NotificationBell key={account.id} accountId={account.id} /> : null;
}

function Crumbs({ project, graph }: { project: string; graph: string }) {
  return (
    <div data-testid="crumbs" className="flex min-w-0 items-center gap-1.5">
      <span className="truncate text-ink-muted max-sm:hidden" title={project}>
        {project}
      </span>
      <ChevronRight className="size-3.5 shrink-0 text-ink-faint" aria-hidden="true" />
      <span className="truncate font-medium" title={graph}>
        {graph}
      </span>
    </div>
  );
}

/** Reserves the bar's space while the first screen loads. */
export function TopBarPlaceholder() {
  return <div className="h-12 shrink-0 border-b border-line bg-surface" />;
}
