import * as Sheet from "radix-ui/dialog";
import { Suspense } from "react";

import type { NewCommentTarget } from "../../api/comments/comments.ts";
import { lazyPart } from "../../load-part.ts";
import { useComments, useCommentsView, type Comments } from "../../providers/comments/comments-provider.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import type { LineNow } from "./comment-words.ts";

const CommentsPanel = lazyPart(() => import("./comments-panel.tsx").then((m) => ({ default: m.CommentsPanel })));

interface CommentsDockProps {
  here: NewCommentTarget | undefined;
  hint: string;
  nodeName?: (id: number) => string | undefined;
  lineNow?: LineNow;
}

/** The comments beside the canvas or the code. On a small screen they are a sheet over it. */
export function CommentsDock(props: CommentsDockProps) {
  const comments = useComments();
  return comments ? <Dock {...props} comments={comments} /> : null;
}

function Dock({ comments, ...props }: CommentsDockProps & { comments: Comments }) {
  const isOpen = useCommentsView(comments, (state) => state.isOpen);
  const isWide = useMedia("(min-width: 64rem)");
  if (!isOpen) return null;
  const panel = (
    <Suspense fallback={<LoadingArea label="Loading the comments" />}>
      <CommentsPanel {...props} comments={comments} covers={!isWide} />
    </Suspense>
  );
  if (isWide)
    return (
      <aside
        aria-label="Comments"
        data-testid="comments"
        className="flex min-h-0 w-88 shrink-0 flex-col border-l border-line bg-surface"
      >
        {panel}
      </aside>
    );
  return (
    <Sheet.Root open onOpenChange={comments.store.close}>
      <Sheet.Portal>
        <Sheet.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <Sheet.Content
          aria-describedby={undefined}
          data-testid="comments"
          className="fixed inset-x-0 bottom-0 z-50 flex h-[80dvh] animate-fade flex-col rounded-t-xl bg-surface shadow-high focus-visible:outline-none"
        >
          <Sheet.Title className="sr-only">Comments</Sheet.Title>
          {panel}
        </Sheet.Content>
      </Sheet.Portal>
    </Sheet.Root>
  );
}
