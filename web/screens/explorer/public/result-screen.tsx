import { useQuery } from "@tanstack/react-query";
import { Link2Off } from "lucide-react";
import { useMemo } from "react";
import { Link, useParams } from "react-router";

import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import { useSession } from "../../../api/account/session.ts";
import { appAddress } from "../../../api/apps/apps.ts";
import { sharedPath, sharedQuery } from "../../../api/apps/calls.ts";
import { HttpError } from "../../../api/http.ts";
import { CallOutputs } from "../../../panels/app-outputs/call-outputs.tsx";
import type { OutputFiles } from "../../../panels/app-outputs/output-files.ts";
import { useTopBar } from "../../../shell/top-bar-context.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { Card } from "../../../ui/layout/card.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { CallStatus } from "../call/call-status.tsx";
import { ResultsRemoved } from "../call/results-removed.tsx";

/** A result that somebody shared. It can be read without an account. */
export function ResultScreen() {
  const { share = "" } = useParams();
  const { data: call, error, isFetching, refetch } = useQuery(sharedQuery(share));
  useTopBar({ graph: call?.app.title });
  if (call) return <SharedResult call={call} share={share} />;
  if (!error) return <LoadingArea label="Loading the result" />;
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-8 sm:px-6">
      {error instanceof HttpError && error.status < 500 && error.status !== 429 ? (
        <EmptyState icon={Link2Off} title="This result is not shared any more">
          Ask the person who sent you the link for a new one.
        </EmptyState>
      ) : (
        <LoadFailure
          title="The result could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      )}
    </div>
  );
}

function SharedResult({ call, share }: { call: Call; share: string }) {
  const { account } = useSession();
  const files = useMemo((): OutputFiles => ({ address: (part) => sharedPath(share, part) }), [share]);
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-6 px-4 py-5 sm:px-6 sm:py-8">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="text-sm text-ink-muted">Shared result</p>
          <h1 dir="auto" className="text-2xl font-semibold wrap-anywhere">
            {call.app.title}
          </h1>
        </div>
        {account ? (
          <Link to={appAddress(call.app.name)} className={buttonClasses({}, "max-sm:h-11")}>
            Open the app
          </Link>
        ) : null}
      </header>
      <Card className="p-4 sm:p-5">
        <CallStatus call={call} />
      </Card>
      <CallOutputs outputs={call.outputs} files={files} />
      {call.outputs_removed ? <ResultsRemoved /> : null}
    </div>
  );
}
