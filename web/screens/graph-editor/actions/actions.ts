import type { NodeChange } from "@miranda/contract/schemas/changes.ts";
import type { Edge, EdgeEnds, Node, Position } from "@miranda/contract/schemas/nodes.ts";

import { logWarning } from "../../../log.ts";
import type { Command } from "@miranda/contract/graph/commands/command.ts";
import { endsOf } from "@miranda/contract/graph/content.ts";
import type { GraphSession, Join } from "../../../providers/graph/graph-session.ts";
import { idOf } from "@miranda/contract/graph/resolution/resolve-content.ts";
import { align, type Alignment, type Axis, type Box, boxOf, distribute, freeSpot, snapped } from "./arrange.ts";
import { autoLayout } from "./auto-layout.ts";
import { type DrawnItem, drawnItems } from "../cards/collapsed-groups.ts";
import { createCamera } from "../canvas/camera.ts";
import { copyLink } from "../../../ui/copy-link.ts";
import { createClipboardActions } from "./clipboard-actions.ts";
import type { EditorStore } from "../editor-state.ts";
import { insertion } from "../edges/insertion.ts";
import { roomFor } from "./make-room.ts";
import { createFileActions } from "../from-files/file-actions.ts";
import { fittingAttribute, endsBetween, type PortRef } from "../edges/joining.ts";
import { cardSizeOf, noteItem, type PaletteItem } from "../library/palette-items.ts";
import { detail } from "../canvas/level-of-detail.ts";
import { createDescribe } from "../notes/describe.ts";
import type { Stage } from "../canvas/stage.ts";

export type Actions = ReturnType<typeof createActions>;

interface Dependencies {
  session: GraphSession;
  ui: EditorStore;
  stage: Stage;
  /** How far the preview below a card reaches. */
  reach: (id: number) => number;
  notify: (message: string) => void;
  /** Missing where the history is already open. */
  openHistory?: (() => void) | undefined;
  /** Shows the words of a refusal. */
  refuse?: ((message: string) => void) | undefined;
  /** Shows what a folder in a zip would change here. Missing where nothing can be changed. */
  importZip?: ((zip: File) => void) | undefined;
  /** Makes a workflow from a GraphML file. */
  importGraphml?: ((file: File) => Promise<void>) | undefined;
}

/** The assumed size of several nodes that do not exist yet. */
const blueprintSize = { width: 900, height: 420 } as const;
const sizeOf = (item: PaletteItem) => (item.type === "blueprint" ? blueprintSize : cardSizeOf(item));
const nudgePause = 350;

/** Everything a person can do in the editor, by mouse, keyboard or menu. */
export function createActions(dependencies: Dependencies) {
  const { session, ui, stage, reach, notify, refuse = notify, openHistory, importZip, importGraphml } = dependencies;
  const { store } = session;
  const graphPath = location.pathname.replace(/\/(?:history|compare|merge).*$/, "");
  let nudging: ReturnType<typeof setTimeout> | undefined;

  const camera = createCamera({ store, ui, stage, reach });
  const { nodes, selectedNodes } = camera;
  const mayWrite = () => !store.view().viewOnly;
  const unlocked = (): Node[] => selectedNodes().filter((node) => !node.locked);
  /** The selected nodes that may be changed. A toast appears when some may not. */
  function writable(): Node[] {
    const [chosen, free] = [selectedNodes(), unlocked()];
    if (free.length < chosen.length)
      notify(chosen.length === 1 ? "This node is locked." : "Locked nodes are not changed.");
    return free;
  }
  const run = (command: Command) => session.run(command);
  /** Makes the same change to several nodes. Locked nodes are skipped, unless the change is about the lock. */
  function change(chosen: readonly Node[], one: NodeChange): void {
    if (chosen.length === 0) return;
    void run({ type: "change", changes: Object.fromEntries(chosen.map(({ metadata_id }) => [metadata_id, one])) });
  }

  function selectedEnds(): EdgeEnds[] {
    const chosen = ui.get().selectedEdges;
    return store
      .view()
      .resolved.edges.filter((edge) => edge.implied !== true && chosen.has(idOf(edge)))
      .map(endsOf);
  }

  /** Where to put something new: the middle of the view, or the nearest place where it covers nothing. */
  function freePlace({ width, height }: Pick<Box, "width" | "height">): Position {
    const { x, y } = camera.centre();
    const boxes = Object.values(nodes()).map(boxOf);
    return freeSpot(boxes, { x: x - width / 2, y: y - height / 2, width, height });
  }

  const { toCanvas } = stage;

  /** The attribute of the new node to which the dragged edge connects. */
  function joinTo(pulled: PortRef | undefined): Join | undefined {
    if (!pulled) return undefined;
    return (node) => {
      const attribute = fittingAttribute(pulled, node.api.attributes);
      return attribute && endsBetween(pulled, node.metadata_id, attribute);
    };
  }

  /** Adds a note and lets the person write at once. */
  async function addNote(at?: Position): Promise<void> {
    if (!mayWrite()) return;
    ui.set({ noteText: "" });
    const node = await session.addNode(snapped(at ?? freePlace(sizeOf(noteItem))), { type: "NOTE", name: "Note" });
    if (!node) return ui.set({ noteText: null });
    ui.select([node.metadata_id]);
    // From far away, notes are drawn without their text: nobody could write.
    if (stage.view().zoom < detail.plainBelow) camera.fitSelection();
    else camera.keepInView([node.metadata_id]);
    ui.set({ renaming: node.metadata_id });
  }

  async function add(item: PaletteItem, at?: Position, pulled?: PortRef): Promise<void> {
    if (!mayWrite()) return;
    if (item.key === noteItem.key) return addNote(at);
    const position = snapped(at ?? freePlace(sizeOf(item)));
    const join = joinTo(pulled);
    if (item.type === "blueprint") {
      const part = await session.addBlueprint(item.id, position, item.policy);
      if (!part) return;
      const made = Object.values(part.nodes);
      const ids = made.map((node) => node.metadata_id);
      ui.select(ids);
      camera.keepInView(ids);
      return;
    }
    const node =
      item.type === "prefab"
        ? await session.addPrefab(item.id, position, item.policy, join)
        : await session.addNode(position, { type: item.nodeType, ...(item.name && { name: item.name }) }, join);
    if (!node) return;
    ui.select([node.metadata_id]);
    camera.keepInView([node.metadata_id]);
  }

  function remove(): void {
    if (!mayWrite()) return;
    const ids = writable().map((node) => node.metadata_id);
    const edges = selectedEnds();
    if (ids.length === 0 && edges.length === 0) return;
    ui.select(
      selectedNodes()
        .filter((node) => node.locked)
        .map((node) => node.metadata_id),
    );
    void run({ type: "delete", ids, edges, groups: emptied(ids) });
  }

  /** What is selected and may move. A collapsed group moves as one, also when only a part of it is selected. */
  function movableItems(): DrawnItem[] {
    const { selected } = ui.get();
    const isSelected = ({ ids }: DrawnItem) => ids.some((id) => selected.has(id));
    const isLocked = ({ ids }: DrawnItem) => ids.some((id) => nodes()[id]?.locked);
    return drawnItems(store.view().resolved).filter((item) => isSelected(item) && !isLocked(item));
  }

  /** Moves what is selected to new places, if there are at least so many. */
  function placeItems(least: number, place: (boxes: Box[]) => Record<string, Position>): void {
    const items = movableItems();
    if (items.length < least) return;
    const places = place(items.map(({ area }, id) => ({ ...area, id })));
    const positions: Record<string, Position> = {};
    items.forEach(({ ids, area }, at) => {
      const to = places[at] ?? area;
      for (const id of ids) {
        const { x, y } = nodes()[id]?.position ?? area;
        positions[id] = { x: x + to.x - area.x, y: y + to.y - area.y };
      }
    });
    void run({ type: "move", positions });
  }

  /** Groups that would lose all their members. */
  function emptied(ids: readonly number[]): string[] {
    const gone = new Set(ids);
    return Object.values(store.content().groups)
      .filter(({ metadata_ids }) => metadata_ids.length > 0 && metadata_ids.every((id) => gone.has(id)))
      .map(({ id }) => id);
  }

  const { keepInView } = camera;
  const files = createFileActions({
    ...{ session, ui, refuse, notify, mayWrite, freePlace, keepInView, importZip, importGraphml },
  });
  const clipboard = createClipboardActions({
    ...{ session, ui, notify, mayWrite, camera, remove },
    takeText: files.takeText,
  });

  return {
    ...camera,
    ...clipboard,
    addSplit: files.addSplit,
    takeFiles: files.takeFiles,
    mayWrite,
    toCanvas,
    add,
    addNote,
    run,
    openHistory,

    rename(id: number, name: string): void {
      const node = nodes()[id];
      const wanted = name.trim();
      if (!node) return;
      if (wanted === "") return logWarning("A node cannot have an empty name; the old one stays.");
      if (wanted === node.name) return logWarning("The node already has this name.");
      void run({ type: "patch", id, changes: { name: wanted } });
    },

    describe: createDescribe({ session, ui, notify }),

    toggleDisabled(): void {
      const chosen = writable();
      const disabled = chosen.some((node) => !node.api.disabled);
      change(
        chosen.filter((node) => node.api.disabled !== disabled),
        { disabled },
      );
    },

    toggleLocked(): void {
      const chosen = selectedNodes();
      const locked = chosen.some((node) => !node.locked);
      change(
        chosen.filter((node) => node.locked !== locked),
        { locked },
      );
    },

    tag(tag: string, isSet: boolean): void {
      const chosen = writable().filter((node) => node.tags.tags.includes(tag) !== isSet);
      change(chosen, isSet ? { tags_added: [tag] } : { tags_removed: [tag] });
    },

    colour(colour: string | null): void {
      change(
        writable().filter((node) => node.colour !== colour),
        { colour },
      );
    },

    align(to: Alignment): void {
      placeItems(2, (boxes) => align(boxes, to));
    },
    distribute(axis: Axis): void {
      placeItems(3, (boxes) => distribute(boxes, axis));
    },
    /** Arranges the selection, or everything. */
    arrange(): void {
      if (!mayWrite()) return;
      const items = movableItems();
      const chosen = items.length > 1 ? items : drawnItems(store.view().resolved);
      const content = { nodes: nodes(), edges: store.view().resolved.edges, groups: store.content().groups };
      const positions = autoLayout(content, new Set(chosen.flatMap(({ ids }) => ids)), stage.area());
      if (Object.keys(positions).length > 0) void run({ type: "move", positions });
      requestAnimationFrame(camera.fit);
    },

    group(): void {
      const ids = [...ui.get().selected];
      if (ids.length > 0 && mayWrite()) void run({ type: "group", fields: { name: "Group", metadata_ids: ids } });
    },
    ungroup(): void {
      const chosen = ui.get().selected;
      const groups = Object.values(store.content().groups).filter(({ metadata_ids }) =>
        metadata_ids.some((id) => chosen.has(id)),
      );
      if (groups.length > 0) void run({ type: "delete", ids: [], edges: [], groups: groups.map(({ id }) => id) });
    },
    /** Opens or collapses a group. What it would cover then moves away, in the same step. */
    toggleCollapsed(id: string): void {
      const { groups } = store.content();
      const group = groups[id];
      if (!group || !mayWrite()) return;
      const collapsed = !group.collapsed;
      const { edges } = store.view().resolved;
      const positions = roomFor({ nodes: nodes(), edges, groups }, id, collapsed);
      const regroup: Command = { type: "regroup", id, fields: { collapsed } };
      const hasMoves = Object.keys(positions).length > 0;
      void run(hasMoves ? { type: "several", commands: [{ type: "move", positions }, regroup] } : regroup);
      camera.keepInView(group.metadata_ids);
    },

    /** Arrow keys: shown at once, stored with one call after a pause. */
    nudge(dx: number, dy: number): void {
      const chosen = movableItems().flatMap(({ ids }) => ids);
      if (chosen.length === 0 || !mayWrite()) return;
      const before = ui.get().drag;
      const drag = new Map(
        chosen.map((id) => {
          const { x, y } = before?.get(id) ?? nodes()[id]?.position ?? { x: 0, y: 0 };
          return [id, { x: x + dx, y: y + dy }];
        }),
      );
      ui.set({ drag });
      clearTimeout(nudging);
      nudging = setTimeout(() => this.drop(), nudgePause);
    },

    /** Ends a drag and stores the new positions, or puts copies there. A node may go into the middle of an edge. */
    drop({ isCopy = false, into }: { isCopy?: boolean; into?: Edge | undefined } = {}): void {
      const { drag } = ui.get();
      clearTimeout(nudging);
      if (!drag) return;
      const moved = [...drag].filter(([id, { x, y }]) => {
        const node = nodes()[id];
        return node && (node.position.x !== x || node.position.y !== y);
      });
      if (moved.length > 0 && isCopy) void clipboard.copyTo(new Map(moved));
      else if (moved.length > 0) {
        const move: Command = { type: "move", positions: Object.fromEntries(moved) };
        const [only] = moved.length === 1 ? moved : [];
        const inserted = into && only ? insertion(nodes(), store.content().edges, only[0], into) : undefined;
        void run(inserted ? { type: "several", commands: [move, ...inserted] } : move);
      }
      ui.set({ drag: null });
    },

    selectAll(): void {
      ui.select(Object.values(nodes()).map((node) => node.metadata_id));
    },
    /** Selects the next node along an edge, or the nearest in that direction. */
    walk(dx: number, dy: number): void {
      const all = Object.values(nodes());
      const [from] = selectedNodes();
      const start = from ? camera.middleOf(from) : camera.centre();
      let best: { node: Node; cost: number } | undefined;
      for (const node of all) {
        if (node === from) continue;
        const { x, y } = camera.middleOf(node);
        const along = (x - start.x) * dx + (y - start.y) * dy;
        const aside = Math.abs((x - start.x) * dy) + Math.abs((y - start.y) * dx);
        const cost = along + 2 * aside;
        if (along > 1 && (!best || cost < best.cost)) best = { node, cost };
      }
      if (best) camera.show(best.node.metadata_id);
    },
    toggleMap: () => ui.set({ minimap: !ui.get().minimap }),

    openPalette(screen?: { x: number; y: number }, pulled?: PortRef): void {
      if (!mayWrite()) return;
      const pane = stage.area();
      const point = screen ?? { x: pane.left + pane.width / 2, y: pane.top + pane.height / 3 };
      const place = screen && { at: toCanvas(point) };
      ui.set({ palette: { screen: point, ...place, ...(pulled && { pulled }) }, menu: null });
    },

    /** Opens a node's code beside the canvas. A note is edited in place. A policy has no code; the inspector shows it. */
    openCode(id: number): void {
      if (nodes()[id]?.class === "note" && mayWrite()) ui.set({ renaming: id, menu: null });
      if (nodes()[id]?.class !== "Code_block") return;
      // There is space for one of them: the inspector comes back when the code is closed.
      ui.set({ dock: { id, takesFocus: true }, inspector: false, menu: null });
      ui.select([id]);
      // The canvas is smaller after the next render.
      requestAnimationFrame(() => camera.keepInView([id]));
    },

    /** An address that opens the workflow with this node in the middle. */
    copyLink: (id: number) => copyLink(`${graphPath}?node=${id}`),

    async undo(): Promise<void> {
      await session.undo();
    },
    async redo(): Promise<void> {
      if (session.history.counts().redo > 0) await session.redo();
    },
  };
}
