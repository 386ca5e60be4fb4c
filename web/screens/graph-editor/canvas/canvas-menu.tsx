import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

import type { Edge, Position } from "@miranda/contract/schemas/nodes.ts";

import { useComments } from "../../../providers/comments/comments-provider.tsx";
import { classes } from "../../../ui/classes.ts";
import { useReturnedFocus } from "../../../ui/overlay/use-returned-focus.ts";
import { endsOf } from "@miranda/contract/graph/content.ts";
import { idOf } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { Alignment } from "../actions/arrange.ts";
import { useEditor, useUi, useViewOnly } from "../editor-context.tsx";
import { usePast } from "./past-view.ts";
import { withBend } from "../edges/edge-path.ts";
import type { Menu } from "../editor-state.ts";
import { useRunEntries } from "../cards/run-entries.ts";
import { keyNames } from "../actions/shortcuts.ts";

export function CanvasMenu() {
  const menu = useUi((state) => state.menu);
  return menu ? <OpenMenu menu={menu} key={`${menu.x} ${menu.y}`} /> : null;
}

interface Item {
  does: string;
  keys?: string;
  run: () => void;
  danger?: boolean;
}

const line = "line" as const;
type Entry = Item | typeof line;

const alignments: readonly (readonly [Alignment, string])[] = [
  ["left", "Align left"],
  ["centre", "Align centres"],
  ["right", "Align right"],
  ["top", "Align top"],
  ["middle", "Align middles"],
  ["bottom", "Align bottom"],
];

function OpenMenu({ menu }: { menu: Menu }) {
  const { ui } = useEditor();
  const panel = useRef<HTMLDivElement>(null);
  const entries = useEntries(menu);
  const close = () => ui.set({ menu: null });
  useReturnedFocus(panel);

  useLayoutEffect(() => {
    const element = panel.current;
    if (!element) return;
    // Measured, so that a menu near the lower edge opens upwards.
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(8, Math.min(menu.x, innerWidth - width - 8))}px`;
    element.style.top = `${Math.max(8, Math.min(menu.y, innerHeight - height - 8))}px`;
    element.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [menu]);

  useEffect(() => {
    const onDown = (event: PointerEvent) => {
      if (!(event.target instanceof Node && panel.current?.contains(event.target))) ui.set({ menu: null });
    };
    addEventListener("pointerdown", onDown, true);
    return () => removeEventListener("pointerdown", onDown, true);
  }, [ui]);

  function move(to: (at: number) => number): void {
    const items = [...(panel.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    items.at(to(items.findIndex((item) => item === document.activeElement)) % items.length)?.focus();
  }

  return (
    <div
      ref={panel}
      role="menu"
      tabIndex={-1}
      aria-label="Actions"
      data-testid="canvas-menu"
      className="fixed z-40 max-h-[80dvh] min-w-52 animate-fade overflow-y-auto rounded-lg bg-raised p-1 shadow-high"
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape" || event.key === "Tab") close();
        else if (event.key === "ArrowDown") move((at) => at + 1);
        else if (event.key === "ArrowUp") move((at) => at - 1);
        else if (event.key === "Home") move(() => 0);
        else if (event.key === "End") move(() => -1);
        else return;
        event.preventDefault();
      }}
    >
      {entries.map((entry, index) =>
        entry === line ? (
          // oxlint-disable-next-line react/no-array-index-key -- there is no other key
          <Divider key={`line-${index}`} />
        ) : (
          <MenuItem
            key={entry.does}
            {...entry}
            run={() => {
              close();
              entry.run();
            }}
          />
        ),
      )}
    </div>
  );
}

function Divider(): ReactNode {
  return <hr className="-mx-1 my-1 border-line" />;
}

function MenuItem({ does, keys, run, danger = false }: Item) {
  return (
    <button
      type="button"
      role="menuitem"
      onClick={run}
      className={classes(
        "flex h-8 w-full items-center justify-between gap-6 rounded-sm px-2 text-left text-sm -outline-offset-2 hover:bg-hover focus-visible:bg-hover",
        danger ? "text-danger-text" : null,
      )}
    >
      {does}
      {keys ? <kbd className="font-sans text-xs text-ink-faint">{keys}</kbd> : null}
    </button>
  );
}

function useEntries(menu: Menu): Entry[] {
  const viewOnly = useViewOnly();
  const { ui, actions, session } = useEditor();
  const past = usePast();
  const comments = useComments();
  const runs = useRunEntries(menu.on === "node" && !viewOnly ? menu.id : undefined);
  const at = () => actions.toCanvas(menu);
  const bent = (edge: Edge, bend: Position) => {
    const [from, to] = [actions.nodes()[edge.source_wob_key], actions.nodes()[edge.destination_wob_key]];
    return from && to ? withBend(from.position, edge.segments, to.position, bend) : [...edge.segments];
  };
  const viewEntries: Entry[] = [
    { does: "Select all", run: () => actions.selectAll() },
    { does: "Fit everything", keys: "1", run: () => actions.fit() },
    { does: "Find a node…", keys: keyNames.find, run: () => ui.set({ finding: true }) },
  ];
  switch (menu.on) {
    case "pane":
      if (viewOnly) return viewEntries;
      return [
        { does: "Add node…", keys: "A", run: () => actions.openPalette(menu) },
        { does: "Add a note here", keys: "N", run: () => void actions.addNote(at()) },
        { does: "Paste here", run: () => void actions.paste(at()) },
        { does: "Open the library", keys: "L", run: () => ui.set({ library: true }) },
        line,
        { does: "Arrange everything", keys: keyNames.arrange, run: () => actions.arrange() },
        ...viewEntries,
      ];
    case "group": {
      const group = session.store.content().groups[menu.id];
      if (viewOnly || !group) return viewEntries;
      const withMembers = (does: () => Promise<void>) => {
        ui.select(group.metadata_ids);
        void does();
      };
      return [
        { does: group.collapsed ? "Expand" : "Collapse", run: () => actions.toggleCollapsed(menu.id) },
        { does: "Select its nodes", run: () => ui.select(group.metadata_ids) },
        line,
        { does: "Copy", keys: "Ctrl+C", run: () => withMembers(() => actions.copy()) },
        { does: "Cut", keys: "Ctrl+X", run: () => withMembers(() => actions.cut()) },
        { does: "Duplicate", keys: "Ctrl+D", run: () => withMembers(() => actions.duplicate()) },
        line,
        { does: "Ungroup", run: () => void session.run({ type: "delete", ids: [], edges: [], groups: [menu.id] }) },
      ];
    }
    case "edge": {
      const edge = session.store.view().resolved.edges.find((one) => idOf(one) === menu.id);
      if (viewOnly || !edge) return viewEntries;
      return [
        { does: "Edit the label…", run: () => ui.set({ dialog: { type: "edge-label", id: menu.id } }) },
        {
          does: "Add a bend here",
          run: () =>
            void session.run({
              type: "draw",
              ends: endsOf(edge),
              drawing: { segments: bent(edge, at()) },
            }),
        },
        ...(edge.segments.length > 0
          ? [
              {
                does: "Remove its bends",
                run: () => void session.run({ type: "draw", ends: endsOf(edge), drawing: { segments: [] } }),
              },
            ]
          : []),
        line,
        { does: "Delete", keys: "Del", danger: true, run: () => actions.remove() },
      ];
    }
    case "node": {
      const node = actions.nodes()[menu.id];
      const chosen = ui.get().selected.size;
      const all = actions.selectedNodes();
      const code = () => actions.openCode(menu.id);
      const copy: Item = { does: "Copy", keys: "Ctrl+C", run: () => void actions.copy() };
      const link: Item = { does: "Copy a link to it", run: () => void actions.copyLink(menu.id) };
      const read: Entry[] = [
        ...(node?.class === "Code_block" ? [{ does: "Open the code", keys: "Enter", run: code }] : []),
        ...(chosen > 1 ? [] : [link]),
      ];
      if (comments?.mayComment && node && !past && chosen <= 1)
        read.push({
          does: "Comment…",
          run: () => comments.store.startComment({ kind: "node", metadata_id: menu.id, name: node.name }),
        });
      if (viewOnly || !node) {
        const { restore } = past ?? {};
        const does = chosen > 1 ? `Restore these ${chosen} nodes` : "Restore this node";
        const back: Entry[] = restore ? [{ does, run: () => restore([...ui.get().selected]) }] : [];
        return [...read, ...back, copy, line, ...viewEntries];
      }
      return [
        ...(chosen > 1
          ? []
          : [
              ...read,
              ...(node.class === "note"
                ? [{ does: "Edit the text", keys: "Enter", run: code }]
                : [
                    { does: "Rename", keys: "F2", run: () => ui.set({ renaming: menu.id }) },
                    { does: "Connect to…", keys: "C", run: () => ui.set({ dialog: { type: "connect", id: menu.id } }) },
                  ]),
              ...(node.update
                ? [{ does: "Show the newer code…", run: () => ui.set({ dialog: { type: "update", id: menu.id } }) }]
                : []),
            ]),
        ...(chosen > 1 || runs.length === 0 ? [] : [line, ...runs, line]),
        ...(all.every(({ class: kind }) => kind === "note")
          ? []
          : [
              {
                does: all.every(({ api }) => api.disabled) ? "Enable" : "Disable",
                keys: "D",
                run: () => actions.toggleDisabled(),
              },
            ]),
        { does: all.every(({ locked }) => locked) ? "Unlock" : "Lock", run: () => actions.toggleLocked() },
        line,
        { ...copy },
        { does: "Cut", keys: "Ctrl+X", run: () => void actions.cut() },
        { does: "Duplicate", keys: "Ctrl+D", run: () => void actions.duplicate() },
        line,
        ...(chosen > 1
          ? [
              ...alignments.map(([to, does]): Entry => ({ does, run: () => actions.align(to) })),
              { does: "Distribute across", run: () => actions.distribute("horizontal") },
              { does: "Distribute down", run: () => actions.distribute("vertical") },
              { does: "Arrange the selection", keys: keyNames.arrange, run: () => actions.arrange() },
              line,
            ]
          : []),
        { does: "Group", keys: "Ctrl+G", run: () => actions.group() },
        {
          does: chosen > 1 ? "Publish as blueprint…" : "Publish as prefab…",
          run: () => ui.set({ dialog: { type: "publish", ids: [...ui.get().selected] } }),
        },
        {
          does: "Publish as a newer version of…",
          run: () => ui.set({ dialog: { type: "publish-newer", ids: [...ui.get().selected] } }),
        },
        line,
        { does: "Delete", keys: "Del", danger: true, run: () => actions.remove() },
      ];
    }
  }
}
