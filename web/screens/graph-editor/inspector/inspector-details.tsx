import { node as limits } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { RelativeTime } from "../../../shell/relative-time.tsx";
import { ColourChoice } from "./colour-choice.tsx";
import { useEditor } from "../editor-context.tsx";
import { InspectorGit } from "./inspector-git.tsx";
import { DraftInput } from "./inspector-policy.tsx";
import { nodeColour } from "../cards/kind-colours.ts";
import { Labelled, panelInput, Row, Section } from "../panel.tsx";

/** Position, colour, git, template and times. */
export function InspectorDetails({ node, disabled }: { node: Node; disabled: boolean }) {
  const { session } = useEditor();
  const { metadata_id: id, position } = node;
  const move = (changes: Partial<typeof position>) => {
    const next = { ...position, ...changes };
    if (Number.isFinite(next.x) && Number.isFinite(next.y))
      void session.run({ type: "move", positions: { [id]: next } });
  };
  const patch = (changes: Parameters<typeof session.run>[0] & { type: "patch" }) => void session.run(changes);
  return (
    <>
      <Section title="Position and colour">
        <div className="grid grid-cols-2 gap-2.5">
          {(["x", "y"] as const).map((axis) => (
            <Labelled key={axis} label={axis.toUpperCase()}>
              <DraftInput
                type="number"
                value={String(Math.round(position[axis]))}
                min={-limits.positionMax}
                max={limits.positionMax}
                disabled={disabled}
                onCommit={(text) => move({ [axis]: Number(text) })}
              />
            </Labelled>
          ))}
        </div>
        <ColourChoice
          colour={node.colour}
          plain={nodeColour({ class: node.class, colour: null })}
          disabled={disabled}
          onChoose={(colour) => void session.run({ type: "change", changes: { [id]: { colour } } })}
        />
      </Section>
      {node.class === "Code_block" ? <InspectorGit node={node} disabled={disabled} /> : null}
      <Section title="About">
        {node.update_policy ? (
          <Row label="Template">
            <select
              aria-label="Template"
              value={node.update_policy}
              disabled={disabled}
              onChange={(event) =>
                patch({
                  type: "patch",
                  id,
                  changes: { update_policy: event.target.value === "detached" ? "detached" : "linked" },
                })
              }
              className={`${panelInput} h-7 w-auto text-xs`}
            >
              <option value="linked">Linked</option>
              <option value="detached">Detached</option>
            </select>
          </Row>
        ) : null}
        <Row label="Changed">
          <span className="text-sm">
            <RelativeTime time={node.last_updated} />
          </span>
        </Row>
        <Row label="Made">
          <span className="text-sm">
            <RelativeTime time={node.time_created} />
          </span>
        </Row>
        <Row label="Number">
          <span className="text-sm tabular-nums">{id}</span>
        </Row>
      </Section>
    </>
  );
}
