import type { Position } from "@miranda/contract/schemas/nodes.ts";

import type { Pasted } from "../../../api/graph.ts";
import { logWarning } from "../../../log.ts";
import type { GraphSession } from "../../../providers/graph/graph-session.ts";
import { boundsOf, boxOf, snapped } from "./arrange.ts";
import type { Camera } from "../canvas/camera.ts";
import { fromClipboard, partOf, toClipboard } from "./clipboard.ts";
import type { EditorStore } from "../editor-state.ts";

interface Dependencies {
  session: GraphSession;
  ui: EditorStore;
  notify: (message: string) => void;
  mayWrite: () => boolean;
  camera: Pick<Camera, "selectedNodes" | "centre">;
  remove: () => void;
  /** Makes a node from code, or offers to keep any other text in one. */
  takeText: (text: string, at?: Position) => Promise<void>;
}

const pasteOffset = 32;

/** Copies, cuts, pastes and duplicates the selection. */
export function createClipboardActions(dependencies: Dependencies) {
  const { session, ui, notify, mayWrite, camera, remove, takeText } = dependencies;
  const { selectedNodes } = camera;
  let pastes = 0;
  /** A copy that the server has not made yet. It is selected once it is here. */
  let making: Promise<unknown> | undefined;

  /** Waits for copies on their way: the person means these, not what is still selected. */
  async function allMade(): Promise<void> {
    const now = making;
    if (!now) return;
    await now;
    await allMade();
  }

  function copyText(): string | undefined {
    const chosen = selectedNodes();
    return chosen.length === 0 ? undefined : toClipboard(chosen, session.store.content());
  }

  async function copy(): Promise<void> {
    await allMade();
    const text = copyText();
    if (text === undefined) return;
    try {
      await navigator.clipboard.writeText(text);
    } catch (cause) {
      logWarning("The browser refused to copy.", cause);
      notify("The browser refused to copy. Use the keyboard instead.");
    }
  }

  async function pasteText(text: string, at?: Position): Promise<boolean> {
    const part = fromClipboard(text);
    if (!mayWrite()) return false;
    if (!part) {
      await takeText(text, at);
      return text.trim() !== "";
    }
    const bounds = boundsOf(
      part.nodes.map(({ position: { x, y } }, id) => ({ id, x: Number(x), y: Number(y), width: 256, height: 120 })),
    );
    pastes += 1;
    const shift = (pastes % 8) * pasteOffset;
    const middle = camera.centre();
    return pastePart(part, at ?? { x: middle.x - bounds.width / 2 + shift, y: middle.y - bounds.height / 2 + shift });
  }

  function pastePart(part: Pasted, position: Position): Promise<boolean> {
    const pasting = pasteAndSelect(part, position).finally(() => {
      if (making === pasting) making = undefined;
    });
    making = pasting;
    return pasting;
  }

  async function pasteAndSelect(part: Pasted, position: Position): Promise<boolean> {
    const answer = await session.paste(part, snapped(position));
    if (!answer) return false;
    ui.select(Object.values(answer.nodes).map((node) => node.metadata_id));
    const [only, ...more] = answer.detached;
    const name = answer.nodes[only ?? -1]?.name ?? "";
    if (more.length > 0)
      notify(`${answer.detached.length} nodes are no longer linked: you cannot access their templates.`);
    else if (only !== undefined) notify(`“${name}” is no longer linked: you cannot access its template.`);
    return true;
  }

  return {
    copyText,
    pasteText,
    copy,
    isMaking: () => making !== undefined,
    remove(): void {
      if (making) void allMade().then(remove);
      else remove();
    },
    async cut(): Promise<void> {
      await copy();
      remove();
    },
    async paste(at?: Position): Promise<void> {
      try {
        if (!(await pasteText(await navigator.clipboard.readText(), at)))
          notify("The clipboard is empty, or you can only view this workflow.");
      } catch (cause) {
        logWarning("The browser refused to read the clipboard.", cause);
        notify("The browser refused to read the clipboard. Use the keyboard instead.");
      }
    },
    /** Puts copies of nodes where they were dragged to. */
    async copyTo(places: ReadonlyMap<number, Position>): Promise<void> {
      const nodes = session.store.view().resolved.nodes;
      const chosen = [...places.keys()].flatMap((id) => nodes[id] ?? []);
      if (chosen.length === 0 || !mayWrite()) return;
      const [left, top] = (["x", "y"] as const).map((axis) => Math.min(...[...places.values()].map((at) => at[axis])));
      await pastePart(partOf(chosen, session.store.content()), { x: left ?? 0, y: top ?? 0 });
    },
    async duplicate(): Promise<void> {
      await allMade();
      const chosen = selectedNodes();
      if (chosen.length === 0 || !mayWrite()) return;
      const { x, y } = boundsOf(chosen.map(boxOf));
      await pastePart(partOf(chosen, session.store.content()), { x: x + pasteOffset, y: y + pasteOffset });
    },
  };
}
