import { note as noteLimits } from "@miranda/contract/limits.ts";
import type { SplitCode } from "@miranda/contract/schemas/code/notebooks.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";

import { type CodeToSplit, splitCode } from "../../../api/notebooks.ts";
import { uploadFile } from "../../../api/nodes.ts";
import { findShippedPrefab } from "../../../api/templates.ts";
import { messageOf } from "../../../message-of.ts";
import type { GraphSession } from "../../../providers/graph/graph-session.ts";
import { type Box, snapped } from "../actions/arrange.ts";
import type { EditorStore } from "../editor-state.ts";
import { pastedNote } from "../notes/pasted-note.ts";
import { kindOf } from "./file-kinds.ts";
import { type NewNode, partSize } from "./part-size.ts";
import { looksLikeNotebook, readNotebook } from "../../../panels/files/read-notebook.ts";

interface Dependencies {
  session: GraphSession;
  ui: EditorStore;
  /** Shows the words of a refusal. */
  refuse: (message: string) => void;
  notify: (message: string) => void;
  mayWrite: () => boolean;
  /** The nearest place where something of this size covers nothing. */
  freePlace: (size: Pick<Box, "width" | "height">) => Position;
  keepInView: (ids: readonly number[]) => void;
  importZip: ((zip: File) => void) | undefined;
  importGraphml: ((file: File) => Promise<void>) | undefined;
}

interface NewPart {
  nodes: readonly NewNode[];
  edges: readonly unknown[];
}

/** Space between the nodes of several files. */
const fileStep = 280;

/** Makes nodes from dropped or chosen files and from pasted code. */
export function createFileActions(dependencies: Dependencies) {
  const { session, ui, refuse, notify, mayWrite, freePlace, keepInView, importZip, importGraphml } = dependencies;

  async function trying(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      refuse(messageOf(cause));
    }
  }

  /** There is one dialog at a time: the next file waits until the person has decided about this one. */
  function dialogClosed(): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (ui.get().dialog !== null) return;
        unwatch();
        resolve();
      };
      const unwatch = ui.watch(check);
      check();
    });
  }

  async function addLoader(file: File, prefabName: string, at?: Position): Promise<void> {
    const prefab = await findShippedPrefab(prefabName);
    if (!prefab) return refuse(`The node “${prefabName}” is not in the library.`);
    const position = at ?? freePlace(partSize([{ ...prefab, position: { x: 0, y: 0 } }]));
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
  async function addSplit({ nodes, edges }: NewPart, at?: Position): Promise<boolean> {
    const answer = await session.paste({ nodes, edges, groups: [] }, snapped(at ?? freePlace(partSize(nodes))));
    if (!answer) return false;
    const ids = Object.values(answer.nodes).map((node) => node.metadata_id);
    ui.select(ids);
    keepInView(ids);
    return true;
  }

  /** Text that is not Python becomes a note. */
  async function addNote(text: string, reason: string | undefined, at?: Position): Promise<void> {
    if (await addSplit({ nodes: [pastedNote(text)], edges: [] }, at))
      notify(`${reason ? `Python says: ${reason}. ` : ""}The text became a note.`);
  }

  /** A script that Python refuses becomes a node as it is: its author mends it here. */
  async function addScript(name: string, text: string, reason: string | undefined, at?: Position): Promise<void> {
    const node = {
      ...{ key: "script", class: "Code_block" as const, name: name.replace(/\.py$/i, "") || name },
      ...{ source_code: text, position: { x: 0, y: 0 } },
    };
    if (await addSplit({ nodes: [node], edges: [] }, at))
      notify(`“${name}” became a node as it is.${reason ? ` Python says: ${reason}` : ""}`);
  }

  async function takeCode(code: CodeToSplit, at?: Position): Promise<void> {
    return takeWhole(code, await splitCode(session.graphId, code, false), at);
  }

  /** Adds one node, which runs as the file ran. Where there is something to look at, the person sees it first. */
  async function takeWhole(code: CodeToSplit, whole: SplitCode, at?: Position): Promise<void> {
    if (whole.form === "text" && "text" in code) {
      // Nobody reads a longer note. Such a text can become the value of a node.
      if (code.text.length > noteLimits.pastedMax)
        ui.set({ dialog: { type: "pasted-text", text: code.text, split: whole, at } });
      else await addNote(code.text, whole.remarks[0]?.text, at);
    } else if (whole.remarks.length === 0) await addSplit(whole, at);
    else ui.set({ dialog: { type: "import-code", code, whole, at } });
  }

  async function take(file: File, at?: Position): Promise<void> {
    const kind = kindOf(file);
    if (typeof kind === "string") return refuse(kind);
    switch (kind.type) {
      case "load":
        return addLoader(file, kind.prefab, at);
      case "notebook":
        return takeCode({ name: file.name, cells: readNotebook(await file.text()) }, at);
      case "script": {
        const code = { name: file.name, text: await file.text() };
        const whole = await splitCode(session.graphId, code, false);
        if (whole.form === "text") return addScript(file.name, code.text, whole.remarks[0]?.text, at);
        return takeWhole(code, whole, at);
      }
      case "zip":
        return importZip?.(file);
      case "graphml":
        return importGraphml?.(file);
    }
  }

  return {
    addSplit,

    /** Files one after the other, each below the one before, or where there is space. One dialog at a time. */
    async takeFiles(files: readonly File[], at?: Position): Promise<void> {
      if (!mayWrite()) return refuse("You can only view this workflow. Clone it to add files.");
      for (const [index, file] of workflowsLast(files).entries()) {
        await trying(() => take(file, at && { x: at.x, y: at.y + index * fileStep }));
        await dialogClosed();
      }
    },

    /** Text from the clipboard that is not a copy of nodes. */
    async takeText(text: string, at?: Position): Promise<void> {
      if (text.trim() === "" || !mayWrite()) return;
      await trying(() =>
        looksLikeNotebook(text)
          ? takeCode({ name: "Notebook", cells: readNotebook(text) }, at)
          : takeCode({ name: "Pasted code", text }, at),
      );
    },
  };
}

/** Those that lead to another page come last. */
function workflowsLast(files: readonly File[]): File[] {
  const isWorkflow = (file: File): boolean => {
    const kind = kindOf(file);
    return typeof kind !== "string" && (kind.type === "zip" || kind.type === "graphml");
  };
  return files.toSorted((one, other) => Number(isWorkflow(one)) - Number(isWorkflow(other)));
}
