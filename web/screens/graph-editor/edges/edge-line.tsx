import { type EdgeProps, useStore } from "@xyflow/react";
import { memo, type PointerEvent, useState } from "react";

import type { Edge, Position } from "@miranda/contract/schemas/nodes.ts";

import { endsOf } from "@miranda/contract/graph/content.ts";
import { classes } from "../../../ui/classes.ts";
import { fittingLabel } from "./edge-label.ts";
import { edgePath } from "./edge-path.ts";
import { useEditor, useViewOnly } from "../editor-context.tsx";
import type { LineEdge } from "../canvas/flow-model.ts";
import { markLooks, usePast } from "../canvas/past-view.ts";
import { detail } from "../canvas/level-of-detail.ts";

/** An edge, in the colour of its kind, with its label. */
export const EdgeLine = memo(function EdgeLine(props: EdgeProps<LineEdge>) {
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, selected } = props;
  const isPlain = useStore((flow) => flow.transform[2] < detail.plainBelow);
  const [bends, setBends] = useState<readonly Position[] | null>(null);
  const mark = usePast()?.edges.get(props.id);
  if (!data) return null;
  const { edge, broken, colour } = data;
  const from = { x: sourceX, y: sourceY, side: sourcePosition };
  const to = { x: targetX, y: targetY, side: targetPosition };
  const corners = bends ?? edge.segments;
  const { path, middle } = edgePath(from, to, corners);
  const whole = edge.label || [edge.edge_text.transmitter, edge.edge_text.reciever].filter(Boolean).join(" → ");
  const text = fittingLabel(whole, from, to, corners.length > 0);
  return (
    <g
      className={classes(
        "edge-line",
        edge.is_field === 1 ? "edge-field" : null,
        edge.implied ? "edge-implied" : null,
        broken ? "edge-broken" : null,
      )}
      data-testid={edge.implied ? "implied-edge" : "edge"}
      data-selected={selected || undefined}
      data-broken={broken || undefined}
      data-mark={mark}
      style={{ "--kind": colour }}
    >
      <path d={path} className="edge-stroke" />
      {edge.implied || isPlain ? null : <path d={path} className="react-flow__edge-interaction edge-touch" />}
      {broken && !isPlain ? <title>The code no longer declares one end of this edge.</title> : null}
      {!broken && !isPlain && text !== whole ? <title>{whole}</title> : null}
      {text && !isPlain ? (
        <text x={middle.x} y={middle.y - 6} className="edge-text">
          {text}
        </text>
      ) : null}
      {mark && !isPlain ? (
        <text x={middle.x} y={middle.y + 16} className="edge-text edge-mark">
          {markLooks[mark].sign} {markLooks[mark].word}
        </text>
      ) : null}
      {selected && !edge.implied ? <Bends edge={edge} bends={bends ?? edge.segments} onDrag={setBends} /> : null}
    </g>
  );
});

interface BendsProps {
  edge: Edge;
  bends: readonly Position[];
  onDrag: (bends: readonly Position[] | null) => void;
}

/** The bends of a selected edge, which can be dragged. */
function Bends({ edge, bends, onDrag }: BendsProps) {
  const { actions, session } = useEditor();
  const viewOnly = useViewOnly();
  if (viewOnly) return null;

  function moved(event: PointerEvent, index: number): Position[] {
    return bends.with(index, actions.toCanvas({ x: event.clientX, y: event.clientY }));
  }

  return bends.map((bend, index) => (
    <circle
      // oxlint-disable-next-line react/no-array-index-key -- a bend is identified by its index
      key={index}
      cx={bend.x}
      cy={bend.y}
      r={6}
      className="edge-bend nopan"
      data-testid="edge-bend"
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onDrag(moved(event, index));
      }}
      onPointerUp={(event) => {
        const segments = moved(event, index);
        void session.run({ type: "draw", ends: endsOf(edge), drawing: { segments } });
        onDrag(null);
      }}
    />
  ));
}
