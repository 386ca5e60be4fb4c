import { Code2, PanelRight, PanelRightOpen, RotateCcw, Split, Trash2, Upload, X } from "lucide-react";
import { createContext, use, useEffect, useRef, useState } from "react";

import { debounce } from "../../../limits.ts";
import { formText } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { useMedia } from "../../../ui/layout/use-media.ts";
import { areaText, startOf } from "../../../ui/text/drawable-text.ts";
import { useDraft } from "../../../ui/form/use-draft.ts";
import { usePast } from "../canvas/past-view.ts";
import { Switch } from "../cards/attribute-control.tsx";
import { useEditor, useUi, useView, useViewOnly } from "../editor-context.tsx";
import { isImported } from "../from-files/is-imported.ts";
import { InspectorAttributes } from "./inspector-attributes.tsx";
import { InspectorDetails } from "./inspector-details.tsx";
import { NoteSize } from "../notes/note-size.tsx";
import { InspectorPolicy } from "./inspector-policy.tsx";
import { InspectorRun } from "./inspector-run.tsx";
import { InspectorSelection } from "./inspector-selection.tsx";
import { InspectorTags } from "./inspector-tags.tsx";
import { secondClick } from "../canvas/when-idle.ts";
import { panelInput, Row, Section } from "../panel.tsx";
import { statusLook } from "../cards/status.ts";

/** Over the canvas while something is selected, unless it is docked. */
export function Inspector() {
  return useDocked() ? null : <InspectorPanel />;
}

/** Beside the canvas, also while nothing is selected: a selection never moves the view. */
export function DockedInspector() {
  const isOpen = useUi((state) => state.inspector);
  const isEmpty = useUi((state) => state.selected.size === 0);
  if (!useDocked() || !isOpen) return null;
  return (
    <div className="flex w-80 shrink-0 flex-col border-l border-line bg-surface" data-testid="docked-inspector">
      {isEmpty ? (
        <Panel title="Inspector">
          <p className="px-4 py-3 text-sm text-ink-muted">Select a node to see its values and settings.</p>
        </Panel>
      ) : (
        <InspectorPanel />
      )}
    </div>
  );
}

/** A small screen has no space beside the canvas. */
function useDocked(): boolean {
  const isWide = useMedia("(min-width: 64rem)");
  return useUi((state) => state.docked) && isWide;
}

/** The panel of the selection: one node in full, or the actions for several. */
function InspectorPanel() {
  const isOpen = useUi((state) => state.inspector);
  const selected = useUi((state) => state.selected);
  const [only] = selected;
  const node = useView((view) => (selected.size === 1 ? view.resolved.nodes[only ?? -1] : undefined));
  const isShown = isOpen && selected.size > 0;
  const isSettled = useSettled(isShown);
  if (!isShown) return null;
  const panel =
    selected.size > 1 ? (
      <Panel title={`${selected.size} nodes`}>{<InspectorSelection />}</Panel>
    ) : node ? (
      <NodeInspector key={node.metadata_id} node={node} />
    ) : null;
  return <SettledContext value={isSettled}>{panel}</SettledContext>;
}

const SettledContext = createContext(true);

/** A panel that opens below the pointer lets the second click of a double click through to the node. */
function useSettled(isShown: boolean): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isShown) return undefined;
    const timer = setTimeout(() => setSettled(true), secondClick);
    return () => {
      clearTimeout(timer);
      setSettled(false);
    };
  }, [isShown]);
  return isSettled;
}

function Panel({ title, children }: { title: string; children: React.ReactNode }) {
  const { ui, actions } = useEditor();
  const isSettled = use(SettledContext);
  const docked = useDocked();
  const close = () => {
    ui.set({ inspector: false });
    actions.focusSelected();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- key events of its children bubble to it
    <aside
      aria-label="Inspector"
      data-testid="inspector"
      data-covers={docked ? undefined : "selection"}
      onKeyDown={(event) => {
        // Back to the card; Escape there clears the selection.
        if (event.key !== "Escape" || event.target instanceof HTMLInputElement) return;
        event.stopPropagation();
        actions.focusSelected();
      }}
      className={classes(
        "flex max-h-full flex-col overflow-hidden bg-surface",
        docked
          ? "min-h-0 flex-1"
          : "w-80 max-w-full rounded-xl border border-line shadow-high max-sm:max-h-[45dvh] max-sm:w-full",
        isSettled ? "pointer-events-auto" : null,
      )}
    >
      <header className="flex shrink-0 items-center justify-between border-b border-line py-1.5 pr-2 pl-4">
        <h2 className="text-sm font-semibold text-ink-muted">{title}</h2>
        <span className="flex items-center gap-0.5">
          <IconButton
            icon={docked ? PanelRightOpen : PanelRight}
            label={docked ? "Show over the canvas" : "Dock beside the canvas"}
            className="max-lg:hidden"
            onClick={() => ui.set({ docked: !docked })}
          />
          <IconButton icon={X} label="Close (I)" onClick={close} />
        </span>
      </header>
      <div className="min-h-0 overflow-y-auto">{children}</div>
    </aside>
  );
}

const titles: Readonly<Record<Node["class"], string>> = {
  Code_block: "Code block",
  compute_policy: "Compute policy",
  storage_policy: "Storage policy",
  note: "Note",
  ghost: "",
};

function NodeInspector({ node }: { node: Node }) {
  const viewOnly = useViewOnly();
  const { ui, actions, session } = useEditor();
  const fixed = viewOnly || node.locked;
  const id = node.metadata_id;
  const status = statusLook(node.status);
  const past = usePast();
  return (
    <Panel title={titles[node.class]}>
      <Section>
        {past?.restore ? (
          <Button size="sm" onClick={() => past.restore?.([id])}>
            <RotateCcw className="size-3.5" aria-hidden="true" />
            Restore this node
          </Button>
        ) : null}
        {node.class === "Code_block" ? (
          <Button size="sm" onClick={() => actions.openCode(id)} aria-keyshortcuts="Enter">
            <Code2 className="size-3.5" aria-hidden="true" />
            Open code
          </Button>
        ) : null}
        <NameField key={node.name} node={node} disabled={fixed} />
        <DescriptionField node={node} disabled={fixed} />
        <InspectorTags nodes={[node]} disabled={fixed} />
        {node.class === "note" ? null : (
          <Row label="Enabled">
            <Switch
              label="Enabled"
              checked={!node.api.disabled}
              disabled={fixed}
              onChange={(enabled) => void session.run({ type: "change", changes: { [id]: { disabled: !enabled } } })}
            />
          </Row>
        )}
        <Row label="Locked">
          <Switch
            label="Locked"
            checked={node.locked}
            disabled={viewOnly}
            onChange={(locked) => void session.run({ type: "change", changes: { [id]: { locked } } })}
          />
        </Row>
        {status.tone === "none" ? null : (
          <Row label="Status">
            <span data-testid="node-status" className="text-sm">
              {status.label}
            </span>
          </Row>
        )}
        {node.class === "Code_block" && !past ? <InspectorRun node={node} /> : null}
        {node.api.error ? (
          <p className="rounded-md bg-danger-soft px-2.5 py-2 font-mono text-xs whitespace-pre-wrap text-danger-text">
            {startOf(node.api.error, 2_000)}
          </p>
        ) : null}
        {node.update && !viewOnly ? (
          <div className="flex items-center justify-between gap-2 rounded-md bg-info-soft px-2.5 py-2 text-sm text-info-text">
            The template has newer code.
            <Button size="sm" onClick={() => ui.set({ dialog: { type: "update", id } })}>
              See it
            </Button>
          </div>
        ) : null}
        {isImported(node) && !viewOnly && !node.locked ? (
          <Button size="sm" onClick={() => ui.set({ dialog: { type: "split", id } })}>
            <Split className="size-3.5" aria-hidden="true" />
            Split into nodes
          </Button>
        ) : null}
      </Section>
      {node.class === "note" ? <NoteSize node={node} disabled={fixed} /> : null}
      {node.class === "Code_block" || node.class === "note" ? null : <InspectorPolicy node={node} disabled={fixed} />}
      {node.class === "note" ? null : <InspectorAttributes node={node} disabled={fixed} />}
      <InspectorDetails node={node} disabled={fixed} />
      <Section>
        <div className="flex flex-wrap gap-2">
          {viewOnly ? null : (
            <>
              <Button size="sm" onClick={() => ui.set({ dialog: { type: "publish", ids: [id] } })}>
                <Upload className="size-3.5" aria-hidden="true" />
                Publish
              </Button>
              <Button size="sm" disabled={node.locked} onClick={() => actions.remove()}>
                <Trash2 className="size-3.5" aria-hidden="true" />
                Delete
              </Button>
            </>
          )}
        </div>
      </Section>
    </Panel>
  );
}

function NameField({ node, disabled }: { node: Node; disabled: boolean }) {
  const { actions } = useEditor();
  return (
    <input
      dir="auto"
      aria-label="Name"
      defaultValue={node.name}
      disabled={disabled}
      maxLength={formText.nameMax}
      onBlur={(event) => {
        if (event.target.value === node.name) return;
        actions.rename(node.metadata_id, event.target.value);
        if (event.target.value.trim() === "") event.target.value = node.name;
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") {
          event.currentTarget.value = node.name;
          event.currentTarget.blur();
        }
      }}
      className={`${panelInput} h-9 text-base font-semibold`}
    />
  );
}

function DescriptionField({ node, disabled }: { node: Node; disabled: boolean }) {
  const { actions } = useEditor();
  // The stored text when the person began to type: what others write meanwhile is merged with it.
  const base = useRef<string>(undefined);
  function store(text: string): void {
    void actions.describe(node, text.trim(), base.current ?? node.description);
    base.current = undefined;
  }
  const draft = useDraft(node.description, store, debounce.default);
  return (
    <textarea
      aria-label="Description"
      placeholder={disabled ? "No description" : node.class === "note" ? "Markdown" : "What does it do?"}
      {...areaText(draft.value)}
      disabled={disabled}
      rows={2}
      maxLength={formText.descriptionMax}
      onChange={(event) => {
        base.current ??= node.description;
        draft.change(event.target.value);
      }}
      onBlur={draft.flush}
      className={`${panelInput} field-sizing-content max-h-40 min-h-14 resize-none py-1.5 text-sm`}
    />
  );
}
