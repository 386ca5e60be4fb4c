import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useRef } from "react";
import { Outlet, ScrollRestoration, useLocation } from "react-router";

import { lazyPart } from "../load-part.ts";
import { isSessionQuery, useSession } from "../api/account/session.ts";
import { LoadingArea } from "../ui/layout/spinner.tsx";
import { AccountProvider } from "./account/account-context.tsx";
import { AuthGuard } from "./account/auth-guard.tsx";
import { ErrorBoundary } from "./failures/error-boundary.tsx";
import { useNoStrayDrops } from "./no-stray-drops.ts";
import { hasTopBar } from "./section.ts";
import { TopBarProvider } from "./top-bar-context.tsx";
import { TopBar, TopBarPlaceholder } from "./top-bar.tsx";

/** Around every page: the session, the top bar, the guard, and the error screen. */
export function Root() {
  const { pathname } = useLocation();
  const { needsSecondFactor } = useSession();
  const client = useQueryClient();
  useFocusOnNewPage(pathname);
  useNoStrayDrops();
  // Cached data would fail the same way again, so it is removed before the next try.
  const forgetAll = () => client.removeQueries();
  const forgetAllButSession = () => client.removeQueries({ predicate: (query) => !isSessionQuery(query) });
  return (
    <ErrorBoundary resetKey={pathname} onRetry={forgetAll}>
      <AccountProvider>
        <TopBarProvider>
          <div className="flex min-h-dvh flex-col">
            <a
              href="#content"
              className="fixed top-2 left-2 z-60 -translate-y-20 rounded-md bg-raised px-3 py-2 font-medium focus-visible:translate-y-0 focus-visible:shadow-high"
            >
              Skip to content
            </a>
            {hasTopBar(pathname) && !needsSecondFactor ? <TopBar /> : null}
            {needsSecondFactor ? null : <OwnBanners />}
            <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col">
              <ErrorBoundary resetKey={pathname} onRetry={forgetAllButSession}>
                <AuthGuard fallback={<Outlet />}>
                  <Outlet />
                </AuthGuard>
              </ErrorBoundary>
            </main>
          </div>
          <ScrollRestoration />
        </TopBarProvider>
      </AccountProvider>
    </ErrorBoundary>
  );
}

const Banners = lazyPart(() => import("./banners.tsx").then((module) => ({ default: module.Banners })));

/** What people are told above every page. */
function OwnBanners() {
  const { account, needsOnboarding } = useSession();
  if (!account || needsOnboarding) return null;
  return (
    <Suspense fallback={null}>
      <Banners />
    </Suspense>
  );
}

/** After following a link by keyboard, the focus goes to the new page: the link is gone with the old one. */
function useFocusOnNewPage(pathname: string): void {
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current !== pathname && document.activeElement === document.body)
      document.querySelector("main")?.focus({ preventScroll: true });
    shown.current = pathname;
  }, [pathname]);
}

/** Shown while the code of the first screen loads. */
export function RootFallback() {
  const { pathname } = useLocation();
  return (
    <div className="flex min-h-dvh flex-col">
      {hasTopBar(pathname) ? <TopBarPlaceholder /> : null}
      <LoadingArea />
    </div>
  );
}
