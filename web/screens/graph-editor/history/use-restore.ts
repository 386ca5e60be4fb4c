import { useQueryClient } from "@tanstack/react-query";

import { refreshVersions } from "../../../api/versions.ts";
import { useSession } from "../../../providers/object-provider.tsx";
import { toast } from "../../../ui/overlay/toast.ts";

/** How long the notice with its Undo stays. */
const noticeFor = 10_000;

/** Restores a version, or some of its nodes, as one change that can be undone. Resolves to whether it was done. */
export function useRestore(): (version: string, done: string, nodes?: readonly string[]) => Promise<boolean> {
  const session = useSession();
  const client = useQueryClient();
  return async (version, done, nodes) => {
    const isDone = await session.run({ type: "restoreVersion", version, ...(nodes && { nodes }) });
    if (isDone) {
      refreshVersions(client, session.graphId);
      toast.success(done, {
        duration: noticeFor,
        action: { label: "Undo", onClick: () => void session.undo() },
      });
    }
    return isDone;
  };
}
