import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import { z } from "zod";

import { declarationReading as limits } from "../../limits.ts";
import { runtimeFolder } from "../../platform/python.ts";
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

/** A Python process that reads one request at a time. */
export interface DeclarationReader {
  /** Undefined when the sources crashed it, or took too long. It has ended then. */
  read(nodes: readonly NodeSource[]): Promise<DeclaredApi[] | undefined>;
  hasEnded(): boolean;
  end(): void;
}

const Answer = z.object({ apis: z.array(z.unknown()) });

/** What the reader says of a source beside its api. */
const Declared = z.object({
  error_line: z.number().nullish(),
  parsed: z.boolean().nullish(),
  class: z.string().nullish(),
  description: z.string().nullish(),
});
type Declared = z.infer<typeof Declared>;

export function startDeclarationReader(python: string): DeclarationReader {
  const script = `import sys; sys.path.insert(0, ${JSON.stringify(runtimeFolder)}); from miranda.declare import main; main(["--serve"])`;
  const child = spawn(python, ["-I", "-S", "-c", script], { cwd: runtimeFolder });
  let answer: ((apis: DeclaredApi[] | undefined) => void) | undefined;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;

  /** Ends it after this time, unless something happens before. */
  function endIn(milliseconds: number): NodeJS.Timeout {
    clearTimeout(timer);
    timer = setTimeout(safely(end), milliseconds);
    return timer;
  }

  function end(): void {
    isOver = true;
    child.kill("SIGKILL");
  }

  const ended = safely(() => {
    isOver = true;
    clearTimeout(timer);
    answer?.(undefined);
    answer = undefined;
  });
  child.on("error", ended);
  child.on("exit", ended);
  // A dead reader breaks the pipe. Its exit event answers who waits.
  child.stdin.on("error", ignore);
  child.stderr.resume();
  createInterface({ input: child.stdout }).on(
    "line",
    // What it writes depends on the code that it reads. After a line that is none of its own, nothing can be believed.
    safely((line: string) => {
      const apis = Answer.parse(JSON.parse(line)).apis.map(toDeclared);
      const asked = answer;
      answer = undefined;
      // An idle reader ends, and must not keep the server.
      endIn(limits.idleMs).unref();
      asked?.(apis);
    }, end),
  );

  return {
    read(nodes) {
      endIn(limits.patienceMs);
      return new Promise((resolve) => {
        answer = resolve;
        if (isOver) return ended();
        child.stdin.write(`${JSON.stringify({ id: 0, nodes })}\n`);
      });
    },
    hasEnded: () => isOver,
    end,
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
