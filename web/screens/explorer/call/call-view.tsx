import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useMemo } from "react";
import { Link } from "react-router";

import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import { callPath, callQuery, fetchFile } from "../../../api/apps/calls.ts";
import { useFollowedCall } from "../../../api/apps/follow-call.ts";
import { HttpError } from "../../../api/http.ts";
import { CallOutputs } from "../../../panels/app-outputs/call-outputs.tsx";
import type { OutputFiles } from "../../../panels/app-outputs/output-files.ts";
import { buttonClasses } from "../../../ui/button.tsx";
import { Card } from "../../../ui/layout/card.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import type { AppPage } from "../app/app-page.ts";
import { CallActions } from "./call-actions.tsx";
import { CallStatus } from "./call-status.tsx";
import { ResultsRemoved } from "./results-removed.tsx";

/** One call, live while it runs. */
export function CallView({ page, callId }: { page: AppPage; callId: string }) {
  const { door } = page;
  const { data: call, error, isFetching, refetch } = useQuery(callQuery(door, callId));
  useFollowedCall(door, call);
  const files = useMemo(
    (): OutputFiles => ({
      address: (part) => callPath(door, callId, part),
      ...("link" in door && { fetch: (address: string) => fetchFile(address, door) }),
    }),
    [door, callId],
  );
  if (call) return <ShownCall call={call} files={files} page={page} />;
  if (!error) return <LoadingArea label="Loading the result" />;
  if (error instanceof HttpError && (error.status === 404 || error.status === 400))
    return (
      <EmptyState
        icon={SearchX}
        title="There is no such result"
        action={
          <Link to={page.addressOf("")} className={buttonClasses()}>
            Back to the form
          </Link>
        }
      >
        It was removed, or it belongs to somebody else.
      </EmptyState>
    );
  return (
    <LoadFailure
      title="The result could not be loaded"
      message={error.message}
      busy={isFetching}
      onRetry={() => void refetch()}
    />
  );
}

function ShownCall({ call, files, page }: { call: Call; files: OutputFiles; page: AppPage }) {
  const showedNothing = call.state === "done" && call.outputs.length === 0 && !call.outputs_removed;
  return (
    <div className="flex min-w-0 flex-col gap-4" data-testid="call" data-state={call.state}>
      <Card className="flex min-w-0 flex-col gap-4 p-4 sm:p-5">
        <CallStatus call={call} />
        <CallActions call={call} page={page} />
      </Card>
      <CallOutputs outputs={call.outputs} files={files} />
      {call.outputs_removed ? <ResultsRemoved /> : null}
      {showedNothing ? <p className="px-1 text-ink-muted">The app showed no results this time.</p> : null}
    </div>
  );
}
