import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, RotateCcw } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import type { CommentThread } from "@miranda/contract/schemas/comments/comments.ts";

import { useAccount } from "../../api/account/session.ts";
import {
  refetchComments,
  resolveThread,
  sendReply,
  threadAddress,
  useThread,
  useThreadComments,
} from "../../api/comments/comments.ts";
import type { Comments } from "../../providers/comments/comments-provider.tsx";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Button } from "../../ui/button.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { CommentComposer } from "./comment-composer.tsx";
import { CommentItem } from "./comment-item.tsx";
import { goneWords, type LineNow, targetNow, targetWords } from "./comment-words.ts";

interface ThreadViewProps {
  comments: Comments;
  id: string;
  lineNow: LineNow | undefined;
  onLeave: () => void;
}

/** One thread: what it is about, its comments, and the field for a reply. */
export function ThreadView({ id, ...props }: ThreadViewProps) {
  const { data: thread, error, refetch } = useThread(id);
  if (thread) return <OpenThread key={id} {...props} thread={thread} />;
  if (!error) return <Spinner label="Loading the comments" showLabel className="p-4" />;
  return (
    <div className="p-4">
      <LoadFailure title="This thread could not be opened." message={error.message} onRetry={() => void refetch()} />
    </div>
  );
}

type OpenThreadProps = Omit<ThreadViewProps, "id"> & { thread: CommentThread };

function OpenThread({ comments, thread, lineNow, onLeave }: OpenThreadProps) {
  const { store, graphId } = comments;
  const { id, resolved, may_comment } = thread;
  const { id: me } = useAccount();
  const client = useQueryClient();
  const list = useThreadComments(id);
  const gone = goneWords(thread.target, lineNow);
  const [draft, setDraft] = useState(() => store.draft(id));
  const [isResolving, setResolving] = useState(false);
  const refetch = () => refetchComments(client, graphId, id);
  const all = list.data?.pages.flatMap((page) => page.comments) ?? [];
  const keep = (text: string) => {
    const next = { ...draft, text };
    store.keepDraft(id, next);
    setDraft(next);
  };
  async function resolve(): Promise<void> {
    setResolving(true);
    try {
      await resolveThread(id, resolved === null);
      refetch();
    } finally {
      setResolving(false);
    }
  }
  return (
    <>
      <div className="flex shrink-0 items-center gap-2 border-b border-line px-4 py-2">
        <TargetLink thread={{ ...thread, target: targetNow(thread.target, lineNow) }} gone={gone} onLeave={onLeave} />
        <span className="flex-1" />
        {may_comment ? (
          <Button size="sm" busy={isResolving} onClick={() => toastFailure(resolve())}>
            {resolved ? (
              <RotateCcw className="size-3.5" aria-hidden="true" />
            ) : (
              <CircleCheck className="size-3.5" aria-hidden="true" />
            )}
            {resolved ? "Reopen" : "Resolve"}
          </Button>
        ) : null}
      </div>
      {resolved ? (
        <p className="shrink-0 bg-success-soft px-4 py-1.5 text-sm text-success-text" data-testid="thread-resolved">
          Resolved by {resolved.by ?? "a deleted account"}, <RelativeTime time={resolved.time} />
        </p>
      ) : null}
      <TargetText thread={thread} gone={gone} />
      <ul aria-label="Comments of this thread" className="min-h-0 flex-1 overflow-y-auto py-1">
        {all.map((comment) => (
          <CommentItem
            key={comment.id}
            graphId={graphId}
            comment={comment}
            isMine={may_comment && comment.author?.id === me}
            mayRemove={thread.may_remove}
            onChanged={refetch}
          />
        ))}
        {list.hasNextPage ? (
          <li className="flex justify-center p-2">
            <Button size="sm" variant="ghost" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show more
            </Button>
          </li>
        ) : null}
      </ul>
      {may_comment ? (
        <div className="shrink-0 border-t border-line p-3">
          <CommentComposer
            graphId={graphId}
            label="Reply"
            action="Reply"
            text={draft.text}
            onText={keep}
            send={(body) => sendReply(id, { body, key: draft.key })}
            onSent={() => {
              store.keepDraft(id, { ...draft, text: "" });
              setDraft(store.draft(id));
              refetch();
            }}
          />
        </div>
      ) : null}
    </>
  );
}

interface TargetProps {
  thread: CommentThread;
  gone: string | undefined;
}

/** What the thread is about. Links to it while it exists. */
function TargetLink({ thread, gone, onLeave }: TargetProps & { onLeave: () => void }) {
  const words = targetWords(thread.target);
  if (gone !== undefined)
    return (
      <span dir="auto" className="min-w-0 truncate font-medium line-through" data-testid="thread-target">
        {words}
      </span>
    );
  return (
    <Link
      to={threadAddress(thread)}
      onClick={onLeave}
      dir="auto"
      data-testid="thread-target"
      className="min-w-0 truncate font-medium text-accent-text hover:underline"
    >
      {words}
    </Link>
  );
}

/** The line as it was, and what became of the node or the run. */
function TargetText({ thread: { target }, gone }: TargetProps) {
  if (gone === undefined && target.kind !== "line") return null;
  return (
    <div className="flex shrink-0 flex-col gap-1 border-b border-line bg-sunken px-4 py-2 text-sm">
      {gone === undefined ? null : (
        <span className="text-warning-text" data-testid="thread-gone">
          {gone}
        </span>
      )}
      {target.kind === "line" ? (
        <code className="truncate text-xs text-ink-muted" title="The line when the comment was written">
          {target.line_text.trim() || "(an empty line)"}
        </code>
      ) : null}
    </div>
  );
}
