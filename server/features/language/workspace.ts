import type { LanguageDiagnostic, LanguageState } from "@miranda/contract/schemas/code/language.ts";
import { replacement } from "@miranda/contract/replacement.ts";

import type { SharedDocument } from "../code/documents-service.ts";
import type { ClientSocket } from "../realtime/realtime-service.ts";
import { toDiagnostics } from "./language-answers.ts";
import { fileUri, type LanguageFolder } from "./language-folder.ts";
import type { PublishedDiagnostics, PyrightProcess } from "./pyright-process.ts";
import { createLines } from "./text-lines.ts";
import { safely } from "../../platform/errors/safely.ts";

/** One node's code as the language server knows it. */
export interface OpenFile {
  readonly document: SharedDocument;
  readonly uri: string;
  readonly sockets: Set<ClientSocket>;
  /** The text last sent. Undefined while the language server does not have the file. */
  text: string | undefined;
  version: number;
  diagnostics: LanguageDiagnostic[] | undefined;
  timer: NodeJS.Timeout | undefined;
  stopWatching(): void;
}

/** The open nodes of one graph, and its language server while there is one. */
export interface Workspace {
  readonly graphId: string;
  readonly files: Map<number, OpenFile>;
  process: PyrightProcess | undefined;
  /** What its process was started with: folders with packages of the workflow's setups. */
  installed: string[];
  starting: Promise<void> | undefined;
  state: LanguageState;
  usedAt: number;
  /** Questions without an answer yet. */
  asked: number;
  /** The times when it crashed. */
  failures: number[];
}

// Wait for a pause in typing: a language server starts over with every change.
const syncAfter = 150;

export function createWorkspace(graphId: string, now: number): Workspace {
  return {
    graphId,
    files: new Map(),
    process: undefined,
    installed: [],
    starting: undefined,
    state: "starting",
    usedAt: now,
    asked: 0,
    failures: [],
  };
}

export function openFile(workspace: Workspace, document: SharedDocument, folder: LanguageFolder, onTyping: () => void) {
  const file: OpenFile = {
    document,
    // A name of ours that does not exist on disk: no text of a client becomes part of a path.
    uri: fileUri(folder.workspace, `node_${document.metadataId}.py`),
    sockets: new Set(),
    text: undefined,
    version: 0,
    diagnostics: undefined,
    timer: undefined,
    stopWatching: () => document.doc.off("update", watch),
  };
  const send = safely(() => sync(workspace, file));
  const watch = safely(() => {
    onTyping();
    file.timer ??= setTimeout(send, syncAfter).unref();
  });
  document.doc.on("update", watch);
  workspace.files.set(document.metadataId, file);
  return file;
}

export function closeFile(workspace: Workspace, file: OpenFile): void {
  file.stopWatching();
  clearTimeout(file.timer);
  workspace.files.delete(file.document.metadataId);
  if (file.text !== undefined) workspace.process?.notify("textDocument/didClose", { textDocument: { uri: file.uri } });
}

/** Sends the present text to the language server. */
export function sync({ process }: Workspace, file: OpenFile): void {
  clearTimeout(file.timer);
  file.timer = undefined;
  if (!process || file.document.ended) return;
  const text = file.document.text.toJSON();
  if (file.text === undefined) {
    file.version += 1;
    const textDocument = { uri: file.uri, languageId: "python", version: file.version, text };
    process.notify("textDocument/didOpen", { textDocument });
  } else {
    const change = replacement(file.text, text);
    if (!change) return;
    file.version += 1;
    const lines = createLines(file.text);
    const range = { start: lines.positionOf(change.from), end: lines.positionOf(change.from + change.remove) };
    process.notify("textDocument/didChange", {
      textDocument: { uri: file.uri, version: file.version },
      contentChanges: [{ range, text: change.insert }],
    });
  }
  file.text = text;
}

/** The file of a set of diagnostics. Undefined when they are about an older text. */
export function takeDiagnostics(workspace: Workspace, event: PublishedDiagnostics): OpenFile | undefined {
  const file = workspace.files.values().find(({ uri }) => uri === event.uri);
  if (file?.text === undefined) return undefined;
  // Typing that was undone brings no new diagnostics, so do not wait for them.
  if (file.timer) sync(workspace, file);
  if ((event.version ?? file.version) !== file.version) return undefined;
  file.diagnostics = toDiagnostics(event.diagnostics, file.text, createLines(file.text));
  return file;
}
