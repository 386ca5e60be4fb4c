import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Draft } from "@miranda/contract/schemas/code.ts";

import { draftsQuery } from "../../api/code.ts";
import { useRealtime } from "../../providers/realtime-provider.tsx";

const none: readonly Draft[] = [];

/** Which nodes have code that nobody has committed: asked once, then told. */
export function useDrafts(graphId: string): readonly Draft[] {
  const client = useQueryClient();
  const realtime = useRealtime();
  const { data } = useQuery(draftsQuery(graphId));
  useEffect(() => {
    const query = draftsQuery(graphId);
    const stops = [
      realtime.on("code_draft", ({ graph_id, ...draft }) => {
        if (graph_id !== graphId) return;
        client.setQueryData(query.queryKey, (known: Draft[] = []) => [
          ...known.filter((one) => one.metadata_id !== draft.metadata_id),
          ...(draft.unsaved ? [draft] : []),
        ]);
      }),
      // After a break something may have been missed.
      realtime.on("project_members", () => void client.invalidateQueries(query)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, realtime, graphId]);
  return data ?? none;
}
