import type { Connection } from "@xyflow/react";

import type { EdgeEnds, Position } from "@miranda/contract/schemas/nodes.ts";

import { endsOf } from "@miranda/contract/graph/content.ts";
import type { GraphSession } from "../../../providers/graph/graph-session.ts";
import type { LineEdge } from "../canvas/flow-model.ts";

/** Drags the end of an existing edge: dropped on another port it moves there, dropped on nothing it is removed. */
export function createReconnecting(session: Pick<GraphSession, "run">) {
  let isPulling = false;
  let isDone = false;
  return {
    isPulling: () => isPulling,
    start(): void {
      isPulling = true;
      isDone = false;
    },
    drop(old: LineEdge, connection: Connection): void {
      isDone = true;
      const ends = connectionEnds(connection);
      const before = old.data && endsOf(old.data.edge);
      if (!ends || !before || JSON.stringify(ends) === JSON.stringify(before)) return;
      void session.run({
        type: "several",
        commands: [
          { type: "disconnect", ends: before },
          { type: "connect", ends },
        ],
      });
    },
    end(old: LineEdge, { x, y }: Position): void {
      const isOutside = document.elementFromPoint(x, y)?.closest(".react-flow__pane");
      if (isPulling && !isDone && isOutside && old.data)
        void session.run({ type: "disconnect", ends: endsOf(old.data.edge) });
      isPulling = false;
    },
  };
}

interface Ends extends Pick<Connection, "source" | "target"> {
  sourceHandle?: string | null;
  targetHandle?: string | null;
}

/** The edge that xyflow's connection stands for. */
export function connectionEnds({ source, target, sourceHandle, targetHandle }: Ends): EdgeEnds | undefined {
  if (!sourceHandle?.startsWith("t:") || !targetHandle?.startsWith("r:")) return undefined;
  return {
    source_wob_key: Number(source),
    source_transmitter_key: sourceHandle.slice(2),
    destination_wob_key: Number(target),
    destination_receiver_key: targetHandle.slice(2),
  };
}
