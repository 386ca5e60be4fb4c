import { useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, MessageSquare, X } from "lucide-react";
import { useState } from "react";

import type { CommentThread } from "@miranda/contract/schemas/comments/comments.ts";

import {
  type NewCommentTarget,
  refetchComments,
  sendThread,
  type ThreadFilter,
  useThreads,
} from "../../api/comments/comments.ts";
import { type Comments, useCommentsView } from "../../providers/comments/comments-provider.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { plainMarkdown } from "../../ui/markdown/plain-markdown.ts";
import { Byline } from "./comment-item.tsx";
import { CommentComposer } from "./comment-composer.tsx";
import { goneWords, type LineNow, repliesWords, targetKey, targetNow, targetWords } from "./comment-words.ts";
import { ThreadView } from "./thread-view.tsx";

interface CommentsPanelProps {
  comments: Comments;
  /** What is selected: a new comment would be about it. */
  here: NewCommentTarget | undefined;
  /** What to do first when nothing is selected. */
  hint: string;
  nodeName?: ((id: number) => string | undefined) | undefined;
  lineNow?: LineNow | undefined;
  /** Whether it covers what the threads are about. Then it closes when somebody goes there. */
  covers: boolean;
}

/** The comments of a workflow: a list, or one thread. */
export function CommentsPanel({ comments, here, hint, nodeName, lineNow, covers }: CommentsPanelProps) {
  const { store } = comments;
  const threadId = useCommentsView(comments, (state) => state.threadId);
  return (
    <>
      <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line pr-1.5 pl-4">
        {threadId === null ? null : (
          <IconButton icon={ArrowLeft} label="All comments" className="-ml-2.5" onClick={store.openList} />
        )}
        <h2 className="flex-1 truncate font-semibold">{threadId === null ? "Comments" : "Thread"}</h2>
        <IconButton icon={X} label="Close the comments" onClick={store.close} />
      </header>
      {threadId === null ? (
        <ThreadList comments={comments} here={here} hint={hint} nodeName={nodeName} lineNow={lineNow} />
      ) : (
        <ThreadView comments={comments} id={threadId} lineNow={lineNow} onLeave={() => covers && store.close()} />
      )}
    </>
  );
}

function ThreadList({ comments, here, hint, nodeName, lineNow }: Omit<CommentsPanelProps, "covers">) {
  const { graphId, store, mayComment } = comments;
  const filter = useCommentsView(comments, (state) => state.filter);
  const requested = useCommentsView(comments, (state) => state.requestedTarget);
  const list = useThreads(graphId, filter);
  const threads = list.data?.pages.flatMap((page) => page.threads) ?? [];
  const target = requested ?? here;
  return (
    <>
      <Filters filter={filter} onFilter={store.filter} nodeName={nodeName} />
      {mayComment ? (
        <div className="shrink-0 border-b border-line p-3">
          {target ? (
            <NewThread key={targetKey(target)} comments={comments} target={target} isRequested={requested !== null} />
          ) : (
            <p className="text-sm text-ink-muted">{hint}</p>
          )}
        </div>
      ) : null}
      <div className="min-h-0 flex-1 overflow-y-auto">
        {list.isPending ? <Spinner label="Loading the comments" showLabel className="p-4" /> : null}
        {list.error && !list.data ? (
          <div className="p-4">
            <LoadFailure
              title="The comments could not be loaded."
              message={list.error.message}
              onRetry={() => void list.refetch()}
            />
          </div>
        ) : null}
        {list.data && threads.length === 0 ? <NoThreads filter={filter} mayComment={mayComment} /> : null}
        <ul aria-label="Threads" className="divide-y divide-line empty:hidden">
          {threads.map((thread) => (
            <li key={thread.id}>
              <ThreadCard
                thread={{ ...thread, target: targetNow(thread.target, lineNow) }}
                gone={goneWords(thread.target, lineNow)}
                onOpen={() => store.openThread(thread.id)}
              />
            </li>
          ))}
        </ul>
        {list.hasNextPage ? (
          <div className="flex justify-center border-t border-line p-2">
            <Button size="sm" variant="ghost" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show more
            </Button>
          </div>
        ) : null}
      </div>
    </>
  );
}

interface FiltersProps {
  filter: ThreadFilter;
  onFilter: (changes: Partial<ThreadFilter>) => void;
  nodeName: CommentsPanelProps["nodeName"];
}

function Filters({ filter, onFilter, nodeName }: FiltersProps) {
  const { state, of, node } = filter;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
      <PlainSelect
        label="State"
        value={state}
        onChange={(next) => onFilter({ state: next === "resolved" ? "resolved" : "open" })}
      >
        <option value="open">Open</option>
        <option value="resolved">Resolved</option>
      </PlainSelect>
      <PlainSelect
        label="Whose"
        value={of}
        onChange={(next) => onFilter({ of: next === "mine" || next === "mentions" ? next : "all" })}
      >
        <option value="all">Everybody’s</option>
        <option value="mine">Mine</option>
        <option value="mentions">Mentions of me</option>
      </PlainSelect>
      {node === null ? null : (
        <button
          type="button"
          onClick={() => onFilter({ node: null })}
          className="flex h-7 max-w-full min-w-0 items-center gap-1.5 rounded-full bg-accent-soft px-2.5 text-sm text-accent-text"
          aria-label={`Only ${nodeName?.(node) ?? "one node"}. Show all nodes.`}
        >
          <span dir="auto" className="truncate">
            {nodeName?.(node) ?? "One node"}
          </span>
          <X className="size-3.5 shrink-0" aria-hidden="true" />
        </button>
      )}
    </div>
  );
}

function NewThread({
  comments,
  target,
  isRequested,
}: {
  comments: Comments;
  target: NewCommentTarget;
  isRequested: boolean;
}) {
  const { store, graphId } = comments;
  const client = useQueryClient();
  const key = targetKey(target);
  const [draft, setDraft] = useState(() => store.draft(key));
  // A person who asks for another line means that one. A moved cursor does not.
  const about = isRequested || draft.text === "" ? target : (draft.target ?? target);
  return (
    <CommentComposer
      graphId={graphId}
      label={`Comment on ${targetWords(about)}`}
      showsLabel={draft.text !== ""}
      text={draft.text}
      onText={(text) => {
        const next = { ...draft, text, target: about };
        store.keepDraft(key, next);
        setDraft(next);
      }}
      takesFocus={isRequested}
      send={(body) => sendThread(graphId, about, { body, key: draft.key })}
      onSent={() => {
        store.keepDraft(key, { ...draft, text: "" });
        setDraft(store.draft(key));
        store.cancelComment();
        refetchComments(client, graphId);
      }}
      onCancel={isRequested ? store.cancelComment : undefined}
    />
  );
}

function NoThreads({ filter, mayComment }: { filter: ThreadFilter; mayComment: boolean }) {
  const isAll = filter.state === "open" && filter.of === "all";
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center text-ink-muted" data-testid="no-threads">
      <MessageSquare className="size-5 text-ink-faint" aria-hidden="true" />
      <p>{isAll ? "No open comments." : "No such comments."}</p>
      {mayComment ? null : <p className="text-sm">Members of the project can comment.</p>}
    </div>
  );
}

interface ThreadCardProps {
  thread: CommentThread;
  gone: string | undefined;
  onOpen: () => void;
}

function ThreadCard({ thread, gone, onOpen }: ThreadCardProps) {
  const { first, target, comments, resolved } = thread;
  const replies = repliesWords(comments);
  return (
    <button
      type="button"
      onClick={onOpen}
      data-testid="thread"
      className="flex w-full gap-2.5 px-4 py-3 text-left -outline-offset-2 transition-colors hover:bg-hover"
    >
      <Avatar name={first.author?.name ?? "?"} src={first.author?.avatar} size="sm" />
      <span className="flex min-w-0 flex-1 flex-col gap-0.5">
        <Byline comment={first} />
        <span dir="auto" className={classes("line-clamp-3 wrap-anywhere", first.deleted && "text-ink-faint italic")}>
          {first.deleted ? "A comment was deleted." : plainMarkdown(first.body)}
        </span>
        <span className="flex min-w-0 gap-2 text-xs text-ink-faint">
          <span dir="auto" className={classes("truncate", gone && "line-through")} title={gone}>
            {targetWords(target)}
          </span>
          {gone ? <span className="shrink-0 text-warning-text">gone</span> : null}
          {replies ? <span className="shrink-0">{replies}</span> : null}
          {resolved ? <span className="shrink-0 text-success-text">resolved</span> : null}
        </span>
      </span>
    </button>
  );
}
