import { language as limits } from "@miranda/contract/limits.ts";
import type { LanguageAnswer, LanguageQuestion, LanguageState } from "@miranda/contract/schemas/code/language.ts";
import { join } from "node:path";

import { AppError } from "../../platform/errors/app-error.ts";
import type { LanguageSettings } from "../../platform/settings/config.ts";
import type { SharedDocument } from "../code/documents-service.ts";
import type { ClientSocket } from "../realtime/realtime-service.ts";
import { type LanguageFolder, prepareLanguageFolder } from "./language-folder.ts";
import { answerTo, type GivenCompletions } from "./language-questions.ts";
import { copyPackages } from "./package-declarations.ts";
import { startPyright } from "./pyright-process.ts";
import {
  closeFile,
  createWorkspace,
  type OpenFile,
  openFile,
  sync,
  takeDiagnostics,
  type Workspace,
} from "./workspace.ts";
import { safely } from "../../platform/errors/safely.ts";

export type Language = ReturnType<typeof createLanguage>;

interface Dependencies {
  settings: LanguageSettings;
  dataFolder: string;
  /** The folder of the packages of a workflow's node setups, if this machine has them, and a name for its copies. */
  environmentOf(graphId: string): Promise<{ name: string; folder: string } | undefined>;
  report(error: unknown): void;
}

/** What a connection waits for. */
interface Asker {
  waiting: Map<LanguageQuestion["kind"], AbortController>;
  open: number;
  completions: GivenCompletions | undefined;
}

// Longer than a page takes to reload.
const keepEmpty = 15_000;
/** A language server unused for this long may be ended for another graph. */
const yieldAfter = 60_000;
const failuresMost = 3;
const failuresWithin = 300_000;
const startAgainAfter = 1_000;

/**
 * Completion, explanations and checks for open code: one language server per graph, so that no graph sees another's
 * code, started on first use and ended when idle.
 */
export function createLanguage({ settings, dataFolder, environmentOf, report }: Dependencies) {
  const workspaces = new Map<string, Workspace>();
  const refreshing = new Set<string>();
  const askers = new WeakMap<ClientSocket, Asker>();
  const tick = setInterval(safely(tidy), Math.min(5_000, settings.idle / 2)).unref();
  let folder: Promise<LanguageFolder> | undefined;
  let isClosed = false;

  const running = () =>
    workspaces
      .values()
      .filter(({ process, starting }) => process ?? starting)
      .toArray();

  function setState(workspace: Workspace, state: LanguageState): void {
    if (workspace.state === state) return;
    workspace.state = state;
    const sockets = new Set(workspace.files.values().flatMap((file) => file.sockets.values()));
    for (const socket of sockets) sendState(socket, workspace);
  }

  function sendState(socket: ClientSocket, { graphId, state }: Workspace): void {
    if (socket.data.graphs.has(graphId)) socket.emit("language_state", { graph_id: graphId, state });
  }

  function sendDiagnostics({ document, diagnostics, sockets }: OpenFile, only?: ClientSocket): void {
    if (!diagnostics) return;
    for (const socket of only ? [only] : sockets)
      // A person who lost read access stays in the list until their connection is updated.
      if (socket.data.graphs.has(document.graphId))
        socket.emit("language_diagnostics", { metadata_id: document.metadataId, diagnostics });
  }

  /** Makes room for one more, maybe by ending an unused one. */
  function makeRoom(): boolean {
    const all = running();
    if (all.length < settings.most) return true;
    const idle = all
      .filter(({ process, asked }) => process && asked === 0)
      .filter(({ usedAt, files }) => files.size === 0 || Date.now() - usedAt > yieldAfter)
      .toSorted((one, other) => one.usedAt - other.usedAt)[0];
    if (!idle) return false;
    stop(idle);
    return true;
  }

  /** Once for all graphs. A failure (a full disk) may not repeat. */
  function getFolder(): Promise<LanguageFolder> {
    folder ??= prepareLanguageFolder(dataFolder).catch((error: unknown) => {
      folder = undefined;
      throw error;
    });
    return folder;
  }

  async function ensure(workspace: Workspace): Promise<void> {
    if (workspace.process || workspace.starting || isClosed) return workspace.starting;
    const failures = workspace.failures.filter((at) => Date.now() - at < failuresWithin);
    workspace.failures = failures;
    if (failures.length >= failuresMost) return setState(workspace, "failed");
    if (!makeRoom()) return setState(workspace, "busy");
    setState(workspace, "starting");
    const started = start(workspace).catch((error: unknown) => {
      workspace.failures.push(Date.now());
      report(error);
    });
    workspace.starting = started.finally(() => (workspace.starting = undefined));
    return workspace.starting;
  }

  async function installedFor(graphId: string): Promise<string[]> {
    const environment = await environmentOf(graphId);
    if (!environment) return [];
    return copyPackages(environment.folder, join((await getFolder()).environments, environment.name));
  }

  async function start(workspace: Workspace): Promise<void> {
    let hasEnded = false;
    // A process that ends while it starts calls back before there is anything to compare.
    let process: Workspace["process"];
    workspace.installed = await installedFor(workspace.graphId);
    process = await startPyright({
      folder: await getFolder(),
      installed: workspace.installed,
      memoryMb: settings.memoryMb,
      onDiagnostics: (event) => {
        const file = takeDiagnostics(workspace, event);
        if (file) sendDiagnostics(file);
      },
      onEnd: () => {
        hasEnded = true;
        if (process && workspace.process === process) failed(workspace);
      },
    });
    if (hasEnded) throw new Error("The language server ended while it started.");
    if (isClosed || !workspaces.has(workspace.graphId)) return process.end();
    workspace.process = process;
    for (const file of workspace.files.values()) {
      file.text = undefined;
      sync(workspace, file);
    }
    setState(workspace, "ready");
  }

  function failed(workspace: Workspace): void {
    workspace.process = undefined;
    workspace.failures.push(Date.now());
    forgetTexts(workspace);
    setState(workspace, "starting");
    setTimeout(
      safely(() => {
        if (workspace.files.size > 0) void ensure(workspace);
      }),
      startAgainAfter,
    ).unref();
  }

  function stop(workspace: Workspace): void {
    const { process } = workspace;
    workspace.process = undefined;
    forgetTexts(workspace);
    process?.end();
  }

  function forgetTexts({ files }: Workspace): void {
    for (const file of files.values()) file.text = undefined;
  }

  function tidy(): void {
    for (const workspace of workspaces.values()) {
      const unused = Date.now() - workspace.usedAt;
      const isEmpty = workspace.files.size === 0;
      const isIdle = workspace.asked === 0 && unused > (isEmpty ? Math.min(keepEmpty, settings.idle) : settings.idle);
      if (workspace.process && isIdle) stop(workspace);
      if (isEmpty && !workspace.process && !workspace.starting) workspaces.delete(workspace.graphId);
      const mayTry = workspace.state === "busy" || workspace.state === "failed";
      if (!isEmpty && mayTry) void ensure(workspace);
    }
  }

  function fileOf(document: SharedDocument): { workspace: Workspace; file: OpenFile } | undefined {
    const workspace = workspaces.get(document.graphId);
    const file = workspace?.files.get(document.metadataId);
    return workspace && file?.document === document ? { workspace, file } : undefined;
  }

  function askerOf(socket: ClientSocket): Asker {
    const asker = askers.get(socket) ?? { waiting: new Map(), open: 0, completions: undefined };
    askers.set(socket, asker);
    return asker;
  }

  function leave(workspace: Workspace, file: OpenFile, socket: ClientSocket): void {
    file.sockets.delete(socket);
    if (file.sockets.size === 0) closeFile(workspace, file);
  }

  return {
    async open(document: SharedDocument, socket: ClientSocket): Promise<void> {
      const { graphId, metadataId } = document;
      if (settings.most === 0) return void socket.emit("language_state", { graph_id: graphId, state: "off" });
      if (document.text.length > limits.charactersMax) throw new AppError("language_too_long");
      const place = await getFolder();
      const workspace = workspaces.get(graphId) ?? createWorkspace(graphId, Date.now());
      workspaces.set(graphId, workspace);
      workspace.usedAt = Date.now();
      const known = workspace.files.get(metadataId);
      // A document that was closed and created again is a new one.
      if (known && known.document !== document) closeFile(workspace, known);
      const touched = () => {
        workspace.usedAt = Date.now();
        void ensure(workspace);
      };
      const file = known?.document === document ? known : openFile(workspace, document, place, touched);
      file.sockets.add(socket);
      if (file.text === undefined) sync(workspace, file);
      void ensure(workspace);
      sendState(socket, workspace);
      sendDiagnostics(file, socket);
    },

    close(metadataId: number, socket: ClientSocket): void {
      for (const workspace of workspaces.values()) {
        const file = workspace.files.get(metadataId);
        if (file?.sockets.has(socket)) leave(workspace, file, socket);
      }
    },

    closeAll(socket: ClientSocket): void {
      for (const asked of askers.get(socket)?.waiting.values() ?? []) asked.abort();
      for (const workspace of workspaces.values())
        for (const file of workspace.files.values()) if (file.sockets.has(socket)) leave(workspace, file, socket);
    },

    /** Takes the question, and sends the answer later. A newer question of the same kind cancels the older one. */
    ask(
      document: SharedDocument,
      socket: ClientSocket,
      question: LanguageQuestion,
      offset: number | undefined,
    ): Promise<LanguageAnswer | null> {
      const found = fileOf(document);
      if (!found?.file.sockets.has(socket)) throw new AppError("draft_out_of_step");
      if (document.text.length > limits.charactersMax) throw new AppError("language_too_long");
      const { workspace, file } = found;
      const asker = askerOf(socket);
      if (asker.open >= limits.questionsAtOnce) throw new AppError("too_many_questions");
      asker.waiting.get(question.kind)?.abort();
      const control = new AbortController();
      asker.waiting.set(question.kind, control);
      asker.open += 1;
      workspace.asked += 1;
      workspace.usedAt = Date.now();
      return (async () => {
        try {
          await ensure(workspace);
          const { process } = workspace;
          const place = await folder;
          if (!process || !place || control.signal.aborted || file.document.ended) return null;
          sync(workspace, file);
          const text = file.text ?? "";
          return await answerTo(
            {
              process,
              uri: file.uri,
              text,
              folder: place,
              installed: workspace.installed,
              asker,
              signal: control.signal,
            },
            question,
            offset,
          );
        } finally {
          asker.open -= 1;
          workspace.asked -= 1;
          workspace.usedAt = Date.now();
          if (asker.waiting.get(question.kind) === control) asker.waiting.delete(question.kind);
        }
      })();
    },

    /** Called after a setup: makes the installed packages known. */
    async refresh(graphId: string): Promise<void> {
      const workspace = workspaces.get(graphId);
      // Node code can claim any number of installations: refresh one at a time. The end of a run refreshes again.
      if (!workspace?.process || refreshing.has(graphId)) return;
      refreshing.add(graphId);
      try {
        const installed = await installedFor(graphId);
        if (!workspace.process || installed.join() === workspace.installed.join()) return;
        stop(workspace);
        await ensure(workspace);
      } finally {
        refreshing.delete(graphId);
      }
    },

    end(): void {
      isClosed = true;
      clearInterval(tick);
      for (const workspace of workspaces.values()) {
        for (const file of workspace.files.values()) file.stopWatching();
        stop(workspace);
      }
    },
  };
}
