import { node as limits } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { RelativeTime } from "../../shell/relative-time.tsx";
import { useEditor } from "./editor-context.tsx";
import { DraftInput } from "./inspector-policy.tsx";
import { nodeColour } from "./kind-colours.ts";
import { Labelled, panelInput, Row, Section } from "./panel.tsx";

const palette = ["#0e7c86", "#2f6fdb", "#7c4dd8", "#b8438f", "#c2452d", "#b7791f", "#4d8b31", "#64748b"] as const;

/** Place, colour, git, template and times. */
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
      <Section title="On the canvas">
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
        <fieldset className="flex flex-wrap items-center gap-1.5" aria-label="Colour">
          {[null, ...palette].map((colour) => (
            <button
              key={colour ?? "none"}
              type="button"
              disabled={disabled}
              aria-label={colour ?? "The colour of its class"}
              aria-pressed={node.colour === colour}
              onClick={() => patch({ type: "patch", id, changes: { colour } })}
              style={{ background: colour ?? nodeColour({ class: node.class, colour: null }) }}
              className="size-5 rounded-full border-2 border-surface ring-1 ring-line aria-pressed:ring-2 aria-pressed:ring-ink disabled:opacity-60"
            />
          ))}
        </fieldset>
      </Section>
      {node.class === "Code_block" ? (
        <Section title="Git">
          <Labelled label="Repository">
            <DraftInput
              value={node.git ?? ""}
              placeholder="https://…/repository.git#path/in/repo.py"
              maxLength={limits.gitMax}
              disabled={disabled}
              onCommit={(git) => patch({ type: "patch", id, changes: { git: git.trim() || null } })}
            />
          </Labelled>
          <Labelled label="Branch">
            <DraftInput
              value={node.git_branch ?? ""}
              placeholder="main"
              maxLength={limits.gitBranchMax}
              disabled={disabled}
              onCommit={(branch) => patch({ type: "patch", id, changes: { git_branch: branch.trim() || null } })}
            />
          </Labelled>
        </Section>
      ) : null}
      <Section title="About">
        {node.update_policy ? (
          <Row label="Template">
            <select
              aria-label="Template"
              value={node.update_policy}
              disabled={disabled}
              onChange={(event) =>
                patch({ type: "patch", id, changes: { update_policy: event.target.value as "linked" | "detached" } })
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
