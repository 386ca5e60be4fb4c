import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { node as limits } from "@miranda/contract/limits.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import { z } from "zod";

import { findPython, type Python, runtimeFolder } from "../../platform/python.ts";
import { ignore, safely } from "../../platform/errors/safely.ts";

export interface NodeSource {
  name: string;
  source_code: string;
}

/** What a source declares, read from its syntax tree. Wrong code has no attributes, and an error with its line. */
export interface DeclaredApi extends NodeApi {
  error_line: number | null;
  /** False when it is not valid Python. */
  parsed: boolean;
  class: string | null;
  description: string;
}

export type Declarations = ReturnType<typeof createDeclarations>;

interface Waiting {
  nodes: readonly NodeSource[];
  resolve(apis: DeclaredApi[]): void;
}

interface Reader {
  child: ChildProcessWithoutNullStreams;
  /** In the order they are read: the first one is being read. */
  waiting: Map<number, Waiting>;
  timer: NodeJS.Timeout | undefined;
}

const Answer = z.object({ id: z.number(), apis: z.array(z.unknown()) });

/** What the reader says of a source beside its api. */
const Declared = z.object({
  error_line: z.number().nullish(),
  parsed: z.boolean().nullish(),
  class: z.string().nullish(),
  description: z.string().nullish(),
});
type Declared = z.infer<typeof Declared>;

const patience = 20_000;
const idle = 60_000;
const charactersAtOnce = 4_000_000;
const unread = "The code could not be read.";

/** Reads the attributes of code with one Python process, which is reused and ends when idle. */
export function createDeclarations({ python = findPython }: { python?: () => Promise<Python | undefined> } = {}) {
  let reader: Promise<Reader | undefined> | undefined;
  let newest: Reader | undefined;
  let isClosed = false;
  let number = 0;

  async function start(): Promise<Reader | undefined> {
    const found = await python();
    if (!found) return undefined;
    const script = `import sys; sys.path.insert(0, ${JSON.stringify(runtimeFolder)}); from miranda.declare import main; main(["--serve"])`;
    const child = spawn(found.executable, ["-I", "-S", "-c", script], { cwd: runtimeFolder });
    const current: Reader = { child, waiting: new Map(), timer: undefined };
    newest = current;
    // The source being read has crashed the reader. The others get a new reader.
    const end = (): void => {
      clearTimeout(current.timer);
      if (newest === current) reader = undefined;
      const [guilty, ...others] = current.waiting.values();
      current.waiting.clear();
      guilty?.resolve(failures(guilty.nodes.length, unread));
      for (const { nodes, resolve } of others)
        if (isClosed) resolve(failures(nodes.length, unread));
        else void ask(nodes).then(resolve);
    };
    child.on("error", safely(end));
    child.on("exit", safely(end));
    // A dead reader breaks the pipe. Its exit event answers those who wait.
    child.stdin.on("error", ignore);
    child.stderr.resume();
    createInterface({ input: child.stdout }).on(
      "line",
      safely(
        (line: string) => {
          const { id, apis } = Answer.parse(JSON.parse(line));
          const found = apis.map(toDeclared);
          const one = current.waiting.get(id);
          current.waiting.delete(id);
          time(current);
          one?.resolve(found);
        },
        // The exit answers those who wait.
        () => void child.kill("SIGKILL"),
      ),
    );
    return current;
  }

  /** Ends a reader that is idle, or stuck on code that takes too long. */
  function time(current: Reader): void {
    clearTimeout(current.timer);
    const isBusy = current.waiting.size > 0;
    const finish = (): void => {
      // Later requests get a new reader.
      if (newest === current) reader = undefined;
      current.child.kill("SIGKILL");
    };
    current.timer = setTimeout(safely(finish), isBusy ? patience : idle);
    if (!isBusy) current.timer.unref();
  }

  async function ask(nodes: readonly NodeSource[]): Promise<DeclaredApi[]> {
    reader ??= start();
    const current = await reader;
    if (!current) return failures(nodes.length, "There is no Python from 3.11 on to read the code with.");
    const id = ++number;
    return new Promise((resolve) => {
      current.waiting.set(id, { nodes, resolve });
      if (current.waiting.size === 1) time(current);
      current.child.stdin.write(`${JSON.stringify({ id, nodes })}\n`);
    });
  }

  function close(): void {
    isClosed = true;
    void reader?.then((current) => current?.child.kill());
    reader = undefined;
  }

  return {
    /** In the given order. Never rejects because of the code: `error` explains what is wrong. */
    async declare(sources: readonly NodeSource[]): Promise<DeclaredApi[]> {
      const answers: DeclaredApi[] = [];
      let part: NodeSource[] = [];
      let characters = 0;
      for (const source of sources) {
        if (characters + source.source_code.length > charactersAtOnce && part.length > 0) {
          answers.push(...(await ask(part)));
          [part, characters] = [[], 0];
        }
        const isTooLong = source.source_code.length > limits.sourceCodeMax;
        part.push(
          isTooLong ? { ...source, source_code: source.source_code.slice(0, limits.sourceCodeMax + 1) } : source,
        );
        characters += source.source_code.length;
      }
      return part.length > 0 ? [...answers, ...(await ask(part))] : answers;
    },

    close,
  };
}

function toDeclared(given: unknown): DeclaredApi {
  const { error_line, parsed, class: name, description }: Declared = Declared.safeParse(given).data ?? {};
  return {
    ...parseNodeApi(given),
    error_line: error_line ?? null,
    parsed: parsed ?? true,
    class: name ?? null,
    description: description ?? "",
  };
}

function failures(count: number, error: string): DeclaredApi[] {
  const api = { compiled: false, error, disabled: false, attributes: [] };
  return Array.from({ length: count }, () => ({
    ...api,
    error_line: null,
    parsed: true,
    class: null,
    description: "",
  }));
}
