import { useEffect } from "react";

import type { Draft } from "@miranda/contract/schemas/code.ts";

import { readDrafts } from "../../api/code.ts";
import { logWarning } from "../../log.ts";
import { useRealtime } from "../realtime-provider.tsx";
import type { UnsavedCode } from "./unsaved-code.ts";

/** Keeps the list of a graph's unsaved code: fetched once, then updated by events. */
export function useFollowedUnsavedCode(graphId: string, unsaved: UnsavedCode): void {
  const realtime = useRealtime();
  useEffect(() => {
    let isOver = false;
    let asked = 0;
    /** Events since the request: its answer may be older. */
    let meanwhile: Draft[] = [];
    const ask = () => {
      asked += 1;
      const mine = asked;
      meanwhile = [];
      readDrafts(graphId).then(
        (drafts) => {
          if (isOver || mine !== asked) return;
          unsaved.load(drafts);
          for (const draft of meanwhile) unsaved.put(draft);
        },
        (cause: unknown) => logWarning("Which code is unsaved could not be read.", cause),
      );
    };
    if (realtime.isConnected()) ask();
    const stops = [
      realtime.on("code_draft", ({ graph_id, ...draft }) => {
        if (graph_id !== graphId) return;
        meanwhile.push(draft);
        unsaved.put(draft);
      }),
      // Whether a draft is outdated changes with the code below it. Nobody may have the draft open, so no event says so.
      realtime.on("update[GRAPH]", ({ graph_id, nodes = [], reload = false }) => {
        const isBelow = ({ metadata_id, source_code }: { metadata_id: number; source_code?: string | undefined }) =>
          source_code !== undefined && unsaved.of(metadata_id) !== undefined;
        if (graph_id === graphId && (reload || nodes.some(isBelow))) ask();
      }),
      // `project_members` comes after every enter, also after a reconnect: events may have been missed before.
      realtime.on("project_members", ask),
    ];
    return () => {
      isOver = true;
      for (const stop of stops) stop();
    };
  }, [graphId, realtime, unsaved]);
}
