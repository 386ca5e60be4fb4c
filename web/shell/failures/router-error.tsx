import type { ReactNode } from "react";
import { isRouteErrorResponse, Link, useRouteError } from "react-router";

import { messages } from "@miranda/contract/words/messages.ts";

import { PartNotLoaded } from "../../load-part.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";

/** The router's default screen: a screen failed to load, or the address does not exist. */
export function RouterError() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  if (error instanceof PartNotLoaded) return <MissingPart />;
  return <UnexpectedError message={error instanceof Error ? error.message : "The page could not be loaded."} />;
}

/** The screen itself was not loaded. Another address would need parts that may be gone too, so reloading comes first. */
function MissingPart() {
  return (
    <Failure
      text={<p className="mt-2 text-ink-muted text-pretty">{messages.partNotLoaded}</p>}
      actions={
        <>
          <Button variant="primary" onClick={() => location.reload()}>
            Reload page
          </Button>
          <Link to="/designer" reloadDocument className={buttonClasses()}>
            Go to the Designer
          </Link>
        </>
      }
    />
  );
}

export function NotFound() {
  return <UnexpectedError message="404: there is no page at this address." />;
}

function UnexpectedError({ message }: { message: string }) {
  return (
    <Failure
      text={<p className="mt-2 font-mono text-sm break-words text-ink-muted">{message}</p>}
      actions={
        <>
          <Link to="/designer" reloadDocument className={buttonClasses({ variant: "primary" })}>
            Go to the Designer
          </Link>
          <Button onClick={() => location.reload()}>Reload page</Button>
          <Link to="/docs" reloadDocument className={buttonClasses({ variant: "ghost" })}>
            Open the handbook
          </Link>
        </>
      }
    />
  );
}

function Failure({ text, actions }: { text: ReactNode; actions: ReactNode }) {
  return (
    <div className="mx-auto w-full max-w-xl px-4 py-16 sm:py-24" role="alert" data-testid="router-error">
      <h1 className="text-2xl font-semibold">{messages.routerFailure}</h1>
      {text}
      <div className="mt-6 flex flex-wrap gap-2">{actions}</div>
    </div>
  );
}
