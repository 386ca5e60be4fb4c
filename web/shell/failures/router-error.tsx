import { isRouteErrorResponse, Link, useRouteError } from "react-router";

import { messages } from "@miranda/contract/errors.ts";

import { Button, buttonClasses } from "../../ui/button.tsx";

/** The router's default screen: a screen failed to load, or the address does not exist. */
export function RouterError() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  return <UnexpectedError message={error instanceof Error ? error.message : "The page could not be loaded."} />;
}

export function NotFound() {
  return <UnexpectedError message="404: there is no page at this address." />;
}

function UnexpectedError({ message }: { message: string }) {
  return (
    <div className="mx-auto w-full max-w-xl px-4 py-16 sm:py-24" role="alert" data-testid="router-error">
      <h1 className="text-2xl font-semibold">{messages.routerFailure}</h1>
      <p className="mt-2 font-mono text-sm break-words text-ink-muted">{message}</p>
      <div className="mt-6 flex flex-wrap gap-2">
        <Link to="/designer" reloadDocument className={buttonClasses({ variant: "primary" })}>
          Go to the Designer
        </Link>
        <Button onClick={() => location.reload()}>Reload page</Button>
      </div>
    </div>
  );
}
