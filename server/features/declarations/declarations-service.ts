import { node as nodeLimits } from "@miranda/contract/limits.ts";

import { declarationReading as limits } from "../../limits.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { createWorkShares } from "../../platform/limits/work-shares.ts";
import { findPython, type Python } from "../../platform/python.ts";
import {
  type DeclarationReader,
  type DeclaredApi,
  type NodeSource,
  startDeclarationReader,
} from "./declaration-reader.ts";

export type { DeclaredApi, NodeSource };
export type Declarations = ReturnType<typeof createDeclarations>;

/** Reads the code of one caller. */
export type Declare = (sources: readonly NodeSource[]) => Promise<DeclaredApi[]>;

const unread = "The code could not be read.";

/**
 * Reads the attributes of code with a few Python processes, which are started when they are needed and end when idle. They
 * are shared between accounts: one of them is always left for the others, however much code an account has.
 */
export function createDeclarations({ python = findPython }: { python?: () => Promise<Python | undefined> } = {}) {
  const share = createWorkShares(limits, "too_much_code_reading");
  const readers = new Set<DeclarationReader>();
  const free: DeclarationReader[] = [];
  let isClosed = false;

  function freeReader(executable: string): DeclarationReader {
    for (let one = free.pop(); one; one = free.pop()) if (!one.hasEnded()) return one;
    for (const one of readers) if (one.hasEnded()) readers.delete(one);
    const made = startDeclarationReader(executable);
    readers.add(made);
    return made;
  }

  async function read(nodes: readonly NodeSource[]): Promise<DeclaredApi[]> {
    const found = await python();
    if (!found) return failures(nodes.length, "There is no Python from 3.11 on to read the code with.");
    if (isClosed) return failures(nodes.length, unread);
    const reader = freeReader(found.executable);
    const apis = await reader.read(nodes);
    if (!reader.hasEnded()) free.push(reader);
    return apis ?? failures(nodes.length, unread);
  }

  return {
    /** In the given order. Never rejects because of the code: `error` explains what is wrong. */
    async declare(caller: Pick<Caller, "accountId">, sources: readonly NodeSource[]): Promise<DeclaredApi[]> {
      const answers: DeclaredApi[] = [];
      for (const part of inParts(sources)) answers.push(...(await share(caller, () => read(part))));
      return answers;
    },

    close(): void {
      isClosed = true;
      for (const one of readers) one.end();
    },
  };
}

/** A part has one long source, or some short ones: so the time limit of a part is about one source's. */
function* inParts(sources: readonly NodeSource[]): Generator<NodeSource[]> {
  let part: NodeSource[] = [];
  let characters = 0;
  for (const source of sources) {
    if (characters + source.source_code.length > limits.charactersAtOnce && part.length > 0) {
      yield part;
      [part, characters] = [[], 0];
    }
    const isTooLong = source.source_code.length > nodeLimits.sourceCodeMax;
    part.push(
      isTooLong ? { ...source, source_code: source.source_code.slice(0, nodeLimits.sourceCodeMax + 1) } : source,
    );
    characters += source.source_code.length;
  }
  if (part.length > 0) yield part;
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
