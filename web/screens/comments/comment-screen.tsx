import { MessageSquareOff } from "lucide-react";
import { Link, Navigate, useParams } from "react-router";

import { threadAddress, useThread } from "../../api/comments/comments.ts";
import { HttpError } from "../../api/http.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Page } from "../../ui/layout/page.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";

/** The address of a thread, wherever its node or run is now. */
export function CommentScreen() {
  const { threadId = "" } = useParams();
  const { data: thread, error, refetch } = useThread(threadId);
  if (thread) return <Navigate replace to={threadAddress(thread)} />;
  if (!error) return <LoadingArea label="Loading the comments" />;
  const isMissing = error instanceof HttpError && (error.status === 404 || error.status === 400);
  return (
    <Page title="Comment">
      {isMissing ? (
        <EmptyState
          icon={MessageSquareOff}
          title="Comment not found"
          action={
            <Link to="/designer/" className={buttonClasses()}>
              Your projects
            </Link>
          }
        >
          It was deleted, or you may not read its workflow.
        </EmptyState>
      ) : (
        <LoadFailure title="The comment could not be loaded." message={error.message} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}
