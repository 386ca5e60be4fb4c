import { useComments } from "../../../providers/comments/comments-provider.tsx";
import { Tooltip } from "../../../ui/overlay/tooltip.tsx";

/** How many open threads these nodes have. Opens them, or all of the workflow when several nodes have some. */
export function CommentMark({ ids }: { ids: readonly number[] }) {
  const comments = useComments();
  const openAt = (id: number) => comments?.openAt.get(id) ?? 0;
  const [first, ...others] = ids.filter((id) => openAt(id) > 0);
  if (!comments || first === undefined) return null;
  const open = others.reduce((sum, id) => sum + openAt(id), openAt(first));
  const label = open === 1 ? "1 open comment thread" : `${open} open comment threads`;
  return (
    <Tooltip text={label}>
      <button
        type="button"
        className="nodrag flex h-4 min-w-4 items-center justify-center rounded-full rounded-bl-xs bg-accent px-1 text-2xs font-semibold text-accent-ink tabular-nums"
        aria-label={label}
        data-testid="comment-mark"
        onClick={(event) => {
          event.stopPropagation();
          if (others.length === 0) comments.store.openNode(first);
          else comments.store.openAll();
        }}
      >
        {open > 99 ? "99+" : open}
      </button>
    </Tooltip>
  );
}
