import type { Position } from "@miranda/contract/schemas/nodes.ts";
import type { CutCode } from "@miranda/contract/schemas/notebooks.ts";

import { type CodeToCut, cutCode } from "../../../api/notebooks.ts";
import { uploadFile } from "../../../api/nodes.ts";
import { findShippedPrefab } from "../../../api/templates.ts";
import type { GraphSession } from "../../../providers/graph/graph-session.ts";
import { snapped } from "../actions/arrange.ts";
import type { EditorStore } from "../editor-state.ts";
import { kindOf } from "./file-kinds.ts";
import { looksLikeNotebook, readNotebook } from "./read-notebook.ts";

interface Dependencies {
  session: GraphSession;
  ui: EditorStore;
  /** Shows the words of a refusal. */
  refuse: (message: string) => void;
  mayWrite: () => boolean;
  freePlace: () => Position;
  keepInView: (ids: readonly number[]) => void;
  importZip: ((zip: File) => void) | undefined;
  importGraphml: ((file: File) => Promise<void>) | undefined;
}

/** Space between the nodes of several files. */
const fileStep = 280;
const cellMark = /^#\s*%%/m;

/** Makes nodes from dropped or chosen files and from pasted code. */
export function createFileActions(dependencies: Dependencies) {
  const { session, ui, refuse, mayWrite, freePlace, keepInView, importZip, importGraphml } = dependencies;

  async function trying(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      refuse(cause instanceof Error ? cause.message : String(cause));
    }
  }

  async function addLoader(file: File, prefabName: string, position: Position): Promise<void> {
    const prefab = await findShippedPrefab(prefabName);
    if (!prefab) return refuse(`The node “${prefabName}” is not in the library.`);
    const node = await session.addPrefab(
      prefab.id,
      snapped(position),
      "linked",
      undefined,
      async ({ metadata_id }) => ({
        name: "file",
        value: await uploadFile(metadata_id, file),
      }),
    );
    if (!node) return;
    ui.select([node.metadata_id]);
    keepInView([node.metadata_id]);
  }

  /** Adds the nodes that code became, as one undo step. */
  async function addCut({ nodes, edges }: Pick<CutCode, "nodes" | "edges">, at?: Position): Promise<boolean> {
    const answer = await session.paste({ nodes, edges, groups: [] }, snapped(at ?? freePlace()));
    if (!answer) return false;
    const ids = Object.values(answer.nodes).map((node) => node.metadata_id);
    ui.select(ids);
    keepInView(ids);
    return true;
  }

  /** Adds a single node at once. Several nodes, or remarks, are first shown to the person. */
  async function takeCode(code: CodeToCut, at?: Position): Promise<void> {
    const cut = await cutCode(session.graphId, code);
    if (cut.form === "text" && "text" in code) ui.set({ dialog: { type: "pasted-text", text: code.text, cut, at } });
    else if (cut.nodes.length === 1 && cut.remarks.length === 0) await addCut(cut, at);
    else ui.set({ dialog: { type: "cut", code, cut, at } });
  }

  async function take(file: File, at: Position): Promise<void> {
    const kind = kindOf(file);
    if (typeof kind === "string") return refuse(kind);
    switch (kind.type) {
      case "load":
        return addLoader(file, kind.prefab, at);
      case "notebook":
        return takeCode({ name: file.name, cells: readNotebook(await file.text()) }, at);
      case "script":
        return takeCode({ name: file.name, text: await file.text() }, at);
      case "zip":
        return importZip?.(file);
      case "graphml":
        return importGraphml?.(file);
    }
  }

  return {
    addCut,

    /** Files one after the other, each below the one before. */
    async takeFiles(files: readonly File[], at?: Position): Promise<void> {
      if (!mayWrite()) return refuse("You can only view this workflow. Clone it to add files.");
      const start = at ?? freePlace();
      for (const [index, file] of files.entries())
        await trying(() => take(file, { x: start.x, y: start.y + index * fileStep }));
    },

    /** Text from the clipboard that is not a copy of nodes. */
    async takeText(text: string, at?: Position): Promise<void> {
      if (text.trim() === "" || !mayWrite()) return;
      await trying(() =>
        looksLikeNotebook(text)
          ? takeCode({ name: "Notebook", cells: readNotebook(text) }, at)
          : takeCode({ name: "Pasted code", text, cuts: cellMark.test(text) }, at),
      );
    },
  };
}
