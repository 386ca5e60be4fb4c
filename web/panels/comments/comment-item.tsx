import { Ellipsis } from "lucide-react";
import { useState } from "react";

import type { Comment } from "@miranda/contract/schemas/comments/comments.ts";

import { deleteComment, editComment } from "../../api/comments/comments.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Markdown } from "../../ui/markdown/markdown.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { Dropdown, DropdownItem } from "../../ui/overlay/dropdown.tsx";
import { CommentComposer } from "./comment-composer.tsx";
import { withMentions } from "./comment-words.ts";

interface CommentItemProps {
  graphId: string;
  comment: Comment;
  isMine: boolean;
  mayRemove: boolean;
  onChanged: () => void;
}

/** One comment of a thread. */
export function CommentItem({ graphId, comment, isMine, mayRemove, onChanged }: CommentItemProps) {
  const [edited, setEdited] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  if (comment.deleted)
    return (
      <li className="px-4 py-2 text-sm text-ink-faint italic" data-testid="comment">
        A comment was deleted.
      </li>
    );
  return (
    <li className="flex gap-2.5 px-4 py-2.5" data-testid="comment">
      <Avatar name={comment.author?.name ?? "?"} src={comment.author?.avatar} size="sm" />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex min-h-7 items-center gap-2">
          <Byline comment={comment} />
          <span className="flex-1" />
          {edited === null && (isMine || mayRemove) ? (
            <Dropdown trigger={<IconButton icon={Ellipsis} label="More" className="size-7 text-ink-faint" />}>
              {isMine ? <DropdownItem onSelect={() => setEdited(comment.body)}>Edit</DropdownItem> : null}
              <DropdownItem danger onSelect={() => setAsked(true)}>
                Delete…
              </DropdownItem>
            </Dropdown>
          ) : null}
        </div>
        {edited === null ? (
          <Markdown text={withMentions(comment.body, comment.mentions)} />
        ) : (
          <CommentComposer
            graphId={graphId}
            label="Edit the comment"
            action="Save"
            text={edited}
            onText={setEdited}
            takesFocus
            send={(body) => editComment(comment.id, body)}
            onSent={() => {
              setEdited(null);
              onChanged();
            }}
            onCancel={() => setEdited(null)}
          />
        )}
      </div>
      {isAsked ? (
        <ConfirmDialog
          title="Delete this comment?"
          text="Its text cannot be restored."
          action="Delete"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await deleteComment(comment.id);
            setAsked(false);
            onChanged();
          }}
        />
      ) : null}
    </li>
  );
}

/** Who wrote it, and when. */
export function Byline({ comment: { author, time_created, time_edited } }: { comment: Comment }) {
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <span dir="auto" className="truncate font-medium" title={author?.username}>
        {author?.name ?? "Deleted account"}
      </span>
      <span className="shrink-0 text-xs text-ink-faint">
        <RelativeTime time={time_created} />
        {time_edited === null ? null : ", edited"}
      </span>
    </span>
  );
}
