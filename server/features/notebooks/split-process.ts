import { spawn } from "node:child_process";
import type { Readable } from "node:stream";

import type { SplitCodeBody } from "@miranda/contract/schemas/code/notebooks.ts";
import { z } from "zod";

import { notebookWork as limits } from "../../limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { findPython, runtimeFolder } from "../../platform/python.ts";
import { ignore, safely } from "../../platform/errors/safely.ts";

/** What the process returns. Edges refer to nodes by their place in the list. */
const Split = z.object({
  form: z.enum(["node", "cells", "text"]),
  cells: z.number(),
  nodes: z.array(z.object({ name: z.string(), description: z.string(), source_code: z.string() })),
  edges: z.array(z.object({ source: z.number(), transmitter: z.string(), target: z.number(), receiver: z.string() })),
  together: z.array(z.object({ cells: z.array(z.number()), because: z.array(z.string()) })),
  remarks: z.array(z.object({ cell: z.number().nullable(), text: z.string() })),
});
export type Split = z.infer<typeof Split>;

/** How the process ends when its answer would be too much. */
const tooMuch = 3;
const tooMuchWords =
  "It would become more nodes, edges or code than a workflow takes at once. Split it into smaller files.";

const script = `import sys; sys.path.insert(0, ${JSON.stringify(runtimeFolder)}); from miranda_notebooks.main import main; main()`;

/** Reads the syntax tree of code in a process of its own. The code is not run, and other requests do not wait. */
export async function splitCode(body: SplitCodeBody): Promise<Split> {
  const python = await findPython();
  if (!python) throw new AppError("code_unreadable", "There is no Python from 3.11 on to read the code with.");
  const child = spawn(python.executable, ["-I", "-S", "-c", script], {
    cwd: runtimeFolder,
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
  const timer = setTimeout(
    safely(() => child.kill("SIGKILL")),
    limits.seconds * 1_000,
  );
  const ended = new Promise<number | null>((resolve) => {
    child.once(
      "error",
      safely(() => resolve(null)),
    );
    child.once("close", resolve);
  });
  try {
    // When the process dies, the pipe breaks. Its exit status reports that.
    child.stdin.on("error", ignore);
    child.stdin.end(JSON.stringify(body));
    const [answer, status] = await Promise.all([textOf(child.stdout), ended]);
    if (status === tooMuch || answer === undefined) throw new AppError("code_unreadable", tooMuchWords);
    if (status !== 0) throw new AppError("code_unreadable");
    return Split.parse(JSON.parse(answer));
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/** Undefined when it is longer than the memory of this server should hold. */
async function textOf(stream: Readable): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length;
    // Leaving the loop closes the pipe, which ends the process.
    if (bytes > limits.answerBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
