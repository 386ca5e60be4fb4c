import { RotateCcw } from "lucide-react";
import { useEffect, useRef } from "react";

import { problemsOf } from "@miranda/contract/graph/attributes/field-problem.ts";
import { shownAttributes } from "@miranda/contract/graph/attributes/shown-when.ts";
import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { Edge, Node } from "@miranda/contract/schemas/nodes.ts";

import { endsOf } from "@miranda/contract/graph/content.ts";
import { idOf } from "@miranda/contract/graph/resolution/resolve-content.ts";
import { AttributeControl } from "../cards/attribute-control.tsx";
import { useEditor, useUi, useView } from "../editor-context.tsx";
import { kindColour } from "../cards/kind-colours.ts";
import { isReceiver } from "@miranda/contract/graph/layout/card-layout.ts";
import { Section } from "../panel.tsx";

/** Every attribute of a node: its value, where it comes from, and its connections. */
export function InspectorAttributes({ node, disabled }: { node: Node; disabled: boolean }) {
  const edges = useView((view) => view.resolved.edges);
  const key = node.metadata_id;
  const own = edges.filter((edge) => edge.source_wob_key === key || edge.destination_wob_key === key);
  if (node.api.attributes.length === 0) return null;
  const shown = new Set(shownAttributes(node.api.attributes));
  const wrong = new Set(problemsOf(node).map(({ field }) => field));
  return (
    <Section title="Attributes">
      <ul className="flex flex-col gap-3">
        {/* A hidden field that keeps the node from running can be found here only. */}
        {node.api.attributes
          .filter((one) => shown.has(one) || wrong.has(one.name))
          .map((attribute) => (
            <AttributeItem
              key={`${attribute.direction} ${attribute.name}`}
              node={node}
              attribute={attribute}
              disabled={disabled}
              edges={own.filter((edge) =>
                isReceiver(attribute)
                  ? edge.destination_wob_key === key && edge.destination_receiver_key === attribute.name
                  : edge.source_wob_key === key && edge.source_transmitter_key === attribute.name,
              )}
            />
          ))}
      </ul>
    </Section>
  );
}

interface AttributeItemProps {
  node: Node;
  attribute: Attribute;
  edges: readonly Edge[];
  disabled: boolean;
}

function AttributeItem({ node, attribute, edges, disabled }: AttributeItemProps) {
  const { session, ui } = useEditor();
  const { metadata_id: id } = node;
  const item = useRef<HTMLLIElement>(null);
  const isWanted = useUi(({ field }) => field?.id === id && field.name === attribute.name);
  useEffect(() => {
    if (!isWanted) return;
    const control = item.current?.querySelector<HTMLElement>(
      ":is(input, textarea, select):not([hidden]), [role=switch]",
    );
    (control ?? item.current?.querySelector("button"))?.focus();
    item.current?.scrollIntoView({ block: "nearest" });
    ui.set({ field: null });
  }, [isWanted, ui]);
  const isOverridden = "default" in attribute && attribute.control?.type !== "secret";
  return (
    <li ref={item} className="flex flex-col gap-1">
      <div className="flex items-center gap-2 text-sm">
        <span className="size-2 shrink-0 rounded-full" style={{ background: kindColour(attribute.kind) }} />
        <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
          {attribute.name}
        </span>
        <span className="shrink-0 text-xs text-ink-faint">
          {attribute.kind || "any"} {isReceiver(attribute) ? "in" : "out"}
        </span>
        {isOverridden && !disabled ? (
          <button
            type="button"
            aria-label={`Reset ${attribute.name} to its default`}
            title={`Reset to ${JSON.stringify(attribute.default)}`}
            onClick={() => void session.run({ type: "unset", id, name: attribute.name })}
            className="grid size-5 place-items-center rounded-sm text-ink-faint hover:bg-hover hover:text-ink"
          >
            <RotateCcw className="size-3" aria-hidden="true" />
          </button>
        ) : null}
      </div>
      {attribute.control ? (
        <AttributeControl
          nodeId={node.metadata_id}
          attribute={attribute}
          disabled={disabled}
          label={`${attribute.name} in the inspector`}
          onCommit={(value) => void session.run({ type: "set", id, name: attribute.name, value })}
        />
      ) : null}
      {edges.map((edge) => (
        <Joined key={idOf(edge)} edge={edge} isIncoming={isReceiver(attribute)} disabled={disabled} />
      ))}
    </li>
  );
}

function Joined({ edge, isIncoming, disabled }: { edge: Edge; isIncoming: boolean; disabled: boolean }) {
  const { actions, session } = useEditor();
  const other = isIncoming ? edge.source_wob_key : edge.destination_wob_key;
  const port = isIncoming ? edge.source_transmitter_key : edge.destination_receiver_key;
  const name = useView((view) => view.resolved.nodes[other]?.name ?? "?");
  return (
    <div className="flex items-center gap-1 pl-4 text-xs text-ink-muted">
      <span aria-hidden="true">{isIncoming ? "←" : "→"}</span>
      <button type="button" className="min-w-0 truncate hover:underline" onClick={() => actions.show(other)}>
        {name} · {port}
      </button>
      {edge.implied ? <span className="shrink-0 text-ink-faint">implied</span> : null}
      {edge.implied || disabled ? null : (
        <button
          type="button"
          aria-label={`Disconnect ${name}`}
          onClick={() => void session.run({ type: "disconnect", ends: endsOf(edge) })}
          className="ml-auto shrink-0 rounded-sm px-1 text-ink-faint hover:bg-hover hover:text-ink"
        >
          Disconnect
        </button>
      )}
    </div>
  );
}
