import { useLastChange } from "../api/comments/comments.ts";
import { RelativeTime } from "../shell/relative-time.tsx";

/** Who changed a node last, and when. Asked when it is shown. */
export function LastChange({ node }: { node: number }) {
  const { data, error } = useLastChange(node);
  if (error) return <span>Could not load who changed it last.</span>;
  if (!data) return <span>Last changed by …</span>;
  if (!data.last) return <span>Not changed yet</span>;
  return (
    <span data-testid="last-change">
      Last changed by {data.last.name}, <RelativeTime time={data.last.time} />
    </span>
  );
}
