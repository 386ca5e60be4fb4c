import { type ReactNode, Suspense } from "react";
import { Navigate, useLocation } from "react-router";

import { messages } from "@miranda/contract/words/messages.ts";
import { accessTo, isOpen } from "../../api/account/session-cache.ts";

import { useSession } from "../../api/account/session.ts";
import { lazyPart } from "../../load-part.ts";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { ErrorScreen } from "../failures/error-screen.tsx";
import { nextPath } from "./next-address.ts";

const SetUpSecondFactor = lazyPart(() =>
  import("../../screens/second-factor/set-up-screen.tsx").then((module) => ({ default: module.SetUpScreen })),
);

interface AuthGuardProps {
  children: ReactNode;
  /** What signed-out people see on the login and register pages. */
  fallback?: ReactNode;
}

export function AuthGuard({ children, fallback }: AuthGuardProps) {
  const { state, needsOnboarding, needsSecondFactor, error, retry } = useSession();
  const { pathname, search } = useLocation();
  const isEntrance = /^\/(?:login|register)\/?$/.test(pathname);

  if (state === "unknown" && error) return <ErrorScreen error={error} onRetry={retry} />;
  if (needsSecondFactor && !isOpen(pathname))
    return (
      <Suspense fallback={<LoadingArea label="Loading" />}>
        <SetUpSecondFactor />
      </Suspense>
    );
  if (state === "authenticated" && isEntrance) {
    return <Navigate to={nextPath(new URLSearchParams(search).get("next"), location.origin)} replace />;
  }

  const access = accessTo({ state, needsOnboarding, path: pathname, address: location.href });
  if ("redirect" in access) {
    // The interrupted address is kept in the history state, which no link can set.
    return <Navigate to={access.redirect} replace state={{ from: pathname + search }} />;
  }
  if (access.show === "spinner") return <LoadingArea label="Loading" />;
  if (state === "unauthenticated") {
    if (fallback === undefined) throw new Error(messages.noFallback);
    return fallback;
  }
  return children;
}
