import { MessageSquare } from "lucide-react";

import { useComments, useCommentsView, type Comments } from "../../providers/comments/comments-provider.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

/** Opens the comments. Shows how many threads are open. */
export function CommentsButton({ hasCount = true }: { hasCount?: boolean }) {
  const comments = useComments();
  return comments ? <Toggle comments={comments} open={hasCount ? comments.open : 0} /> : null;
}

function Toggle({ comments, open }: { comments: Comments; open: number }) {
  const isOpen = useCommentsView(comments, (state) => state.isOpen);
  const { store } = comments;
  return (
    <span className="relative inline-flex">
      <IconButton
        icon={MessageSquare}
        label={open === 0 ? "Comments" : `Comments (${open} open)`}
        aria-pressed={isOpen}
        className={isOpen ? "bg-accent-soft text-accent-text" : ""}
        onClick={store.toggle}
      />
      {open === 0 ? null : (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute -top-0.5 -right-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-2xs leading-4 font-semibold text-accent-ink tabular-nums"
        >
          {open > 99 ? "99+" : open}
        </span>
      )}
    </span>
  );
}
