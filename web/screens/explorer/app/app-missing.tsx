import { Lock, LogIn } from "lucide-react";
import { Link } from "react-router";

import { HttpError } from "../../../api/http.ts";
import { buttonClasses } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";

interface AppMissingProps {
  error: Error;
  busy: boolean;
  onRetry: () => void;
  isMember: boolean;
}

/** Why an app cannot be shown, and what to do about it. */
export function AppMissing({ error, busy, onRetry, isMember }: AppMissingProps) {
  const status = error instanceof HttpError ? error.status : 0;
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-8 sm:px-6">
      {status === 401 ? (
        <EmptyState
          icon={LogIn}
          title="Sign in to use this app"
          action={
            <a href="/login" target="_blank" rel="noreferrer" className={buttonClasses({ variant: "primary" })}>
              Sign in
            </a>
          }
        >
          When you have signed in, load this page again.
        </EmptyState>
      ) : status === 403 || status === 404 ? (
        <EmptyState
          icon={Lock}
          title="You cannot use this app"
          action={
            isMember ? (
              <Link to="/explorer/" className={buttonClasses()}>
                See all apps
              </Link>
            ) : null
          }
        >
          It was removed, or it is not shared with you. Ask the person who sent you here.
        </EmptyState>
      ) : (
        <LoadFailure title="The app could not be loaded" message={error.message} busy={busy} onRetry={onRetry} />
      )}
    </div>
  );
}
