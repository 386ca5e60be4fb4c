import { useEffect } from "react";
import { useNavigate } from "react-router";

import { useSession } from "../../api/account/session.ts";
import { graphAddress } from "../../api/graphs.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { useRealtime } from "../realtime-provider.tsx";

const words = {
  restore: (by: string) => `${by} restored an earlier version of this workflow.`,
  merge: (by: string, from?: string) =>
    from === undefined
      ? `${by} imported a folder into this workflow.`
      : `${by} merged changes of ${from} into this workflow.`,
} as const;

/** Tells a person when somebody else changed the whole workflow. */
export function ChangeNotices({ projectId, graphId }: { projectId: string; graphId: string }): null {
  const realtime = useRealtime();
  const navigate = useNavigate();
  const username = useSession().account?.username;
  useEffect(
    () =>
      realtime.on("update[GRAPH]", ({ graph_id, by, because, merged_from }) => {
        if (graph_id !== graphId || because === undefined || by === username) return;
        toast.message(words[because](by, merged_from), {
          action: { label: "History", onClick: () => void navigate(`${graphAddress(projectId, graphId)}/history`) },
        });
      }),
    [realtime, navigate, username, projectId, graphId],
  );
  return null;
}
