import { noteSize } from "@miranda/contract/graph/layout/card-layout.ts";
import { note as limits } from "@miranda/contract/limits.ts";
import { numberProblem } from "@miranda/contract/number-rule.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useEditor } from "../editor-context.tsx";
import { DraftInput } from "../inspector/inspector-policy.tsx";
import { Labelled, Section } from "../panel.tsx";

/** The size of a note, for people who cannot drag its corner. */
export function NoteSize({ node, disabled }: { node: Node; disabled: boolean }) {
  const { session } = useEditor();
  const size = noteSize(node.body);
  return (
    <Section title="Size">
      <div className="grid grid-cols-2 gap-2.5">
        {(["width", "height"] as const).map((side) => {
          const label = side === "width" ? "Width" : "Height";
          return (
            <Labelled key={side} label={label}>
              <DraftInput
                type="number"
                value={String(size[side])}
                min={limits[side].min}
                max={limits[side].max}
                step={1}
                disabled={disabled}
                problem={(text) => numberProblem(label, limits[side], "whole", text)}
                onCommit={(text) =>
                  void session.run({
                    type: "patch",
                    id: node.metadata_id,
                    changes: { body: { ...size, [side]: Number(text) } },
                  })
                }
              />
            </Labelled>
          );
        })}
      </div>
    </Section>
  );
}
