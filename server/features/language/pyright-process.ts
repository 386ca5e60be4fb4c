import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { z } from "zod";

import { createMessageReader, encodeMessage, type RpcMessage } from "./json-rpc.ts";
import { fileUri, importRoots, type LanguageFolder } from "./language-folder.ts";
import { ignore, safely } from "../../platform/errors/safely.ts";

const PublishedDiagnostics = z.object({
  uri: z.string(),
  version: z.number().optional(),
  diagnostics: z.array(z.unknown()),
});
export type PublishedDiagnostics = z.infer<typeof PublishedDiagnostics>;

/** Pyright asks for the settings of these sections. */
const ConfigurationParams = z.object({ items: z.array(z.object({ section: z.string().optional() })) });

export interface PyrightProcess {
  /** Null when there is no answer, or the process has ended. */
  ask<Answer>(method: string, params: object, signal?: AbortSignal): Promise<Answer | null>;
  notify(method: string, params: object): void;
  end(): void;
}

interface Options {
  folder: LanguageFolder;
  /** Folders with packages that the workflow's setups installed. */
  installed: string[];
  memoryMb: number;
  onDiagnostics(event: PublishedDiagnostics): void;
  /** Called however it ended. */
  onEnd(): void;
}

/** A language server without an answer for this long is stuck, and is ended. It has a low priority, so it may be slow. */
const patience = 60_000;
const starter = join(import.meta.dirname, "pyright-worker.ts");

const capabilities = {
  workspace: { configuration: true, workspaceFolders: true },
  textDocument: {
    synchronization: {},
    publishDiagnostics: { versionSupport: true, tagSupport: { valueSet: [1] } },
    completion: {
      completionItem: {
        documentationFormat: ["markdown"],
        labelDetailsSupport: true,
        resolveSupport: { properties: ["documentation", "detail", "additionalTextEdits"] },
      },
    },
    hover: { contentFormat: ["markdown"] },
    signatureHelp: {
      signatureInformation: {
        documentationFormat: ["markdown"],
        parameterInformation: { labelOffsetSupport: true },
        activeParameterSupport: true,
      },
    },
    definition: { linkSupport: false },
    rename: {},
  },
};

/** Settings that cannot be in the workspace's file, or are the workflow's own. */
const settings = { autoImportCompletions: true, diagnosticMode: "openFilesOnly", logLevel: "Error" };

export async function startPyright({
  folder,
  installed,
  memoryMb,
  onDiagnostics,
  onEnd,
}: Options): Promise<PyrightProcess> {
  const extraPaths = importRoots(folder, installed);
  const readable = [folder.pyright, folder.workspace, ...extraPaths];
  const child = spawn(
    process.execPath,
    [
      // Node code chooses what is imported: without this, an import could read any Python file of the machine.
      "--permission",
      `--allow-fs-read=${starter}`,
      ...readable.map((one) => `--allow-fs-read=${one}`),
      `--max-old-space-size=${memoryMb}`,
      "--disable-warning=ExperimentalWarning",
      starter,
      join(folder.pyright, "langserver.index.js"),
      "--stdio",
    ],
    // Not the server's environment, which holds the database's password.
    { cwd: folder.workspace, env: { HOME: folder.workspace }, stdio: ["pipe", "pipe", "ignore"] },
  );
  // Reading a library takes a core for a moment: other work comes first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const waiting = new Map<number, (answer: unknown) => void>();
  let number = 0;
  let hasEnded = false;
  let silence: NodeJS.Timeout | undefined;

  function ended(): void {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(silence);
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
    onEnd();
  }
  const end = () => void child.kill("SIGKILL");
  child.on("error", safely(ended));
  child.on("exit", safely(ended));
  // A dead process breaks the pipe. Its exit event answers those who wait.
  child.stdin.on("error", ignore);

  const read = createMessageReader(receive);
  child.stdout.on(
    "data",
    // What it writes depends on the code that it reads. After a message that is none, nothing else can be read.
    safely((chunk: Buffer) => read(chunk), end),
  );

  function send(message: RpcMessage): void {
    if (!hasEnded) child.stdin.write(encodeMessage(message));
  }

  function listen(): void {
    clearTimeout(silence);
    if (waiting.size > 0) silence = setTimeout(safely(end), patience).unref();
  }

  function receive({ id, method, params, result, error }: RpcMessage): void {
    listen();
    if (method === undefined) {
      const answer = waiting.get(Number(id));
      waiting.delete(Number(id));
      answer?.(error ? null : result);
      if (waiting.size === 0) clearTimeout(silence);
    } else if (method === "textDocument/publishDiagnostics") onDiagnostics(PublishedDiagnostics.parse(params));
    else if (id !== undefined) send({ id, result: replyTo(method, params, { ...settings, extraPaths }) });
  }

  function ask<Answer>(method: string, params: object, signal?: AbortSignal): Promise<Answer | null> {
    if (hasEnded || signal?.aborted) return Promise.resolve(null);
    const mine = ++number;
    return new Promise((resolve) => {
      // Not checked: a completion has thousands of items, and who asks knows what pyright answers to this method.
      waiting.set(mine, (answer) => resolve(answer as Answer | null));
      signal?.addEventListener(
        "abort",
        safely(() => {
          if (waiting.has(mine)) send({ method: "$/cancelRequest", params: { id: mine } });
        }),
      );
      send({ id: mine, method, params });
      listen();
    });
  }

  const rootUri = fileUri(folder.workspace);
  await ask("initialize", {
    processId: process.pid,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: "workflow" }],
    capabilities,
  });
  send({ method: "initialized", params: {} });
  return { ask, notify: (method, params) => send({ method, params }), end };
}

function replyTo(method: string, params: unknown, analysis: object): unknown {
  if (method !== "workspace/configuration") return null;
  const { items } = ConfigurationParams.parse(params);
  return items.map(({ section }) =>
    section === "python" ? { analysis } : section === "python.analysis" ? analysis : {},
  );
}
