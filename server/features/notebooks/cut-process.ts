import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

import type { CutCodeBody } from "@miranda/contract/schemas/notebooks.ts";
import { z } from "zod";

import { notebookWork as limits } from "../../limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { findPython, runtimeFolder } from "../../platform/python.ts";

/** What the process returns. Edges refer to nodes by their place in the list. */
const Cut = z.object({
  form: z.enum(["node", "cells", "text"]),
  cells: z.number(),
  nodes: z.array(z.object({ name: z.string(), description: z.string(), source_code: z.string() })),
  edges: z.array(z.object({ source: z.number(), transmitter: z.string(), target: z.number(), receiver: z.string() })),
  remarks: z.array(z.object({ cell: z.number().nullable(), text: z.string() })),
});
export type Cut = z.infer<typeof Cut>;

const script = `import sys; sys.path.insert(0, ${JSON.stringify(runtimeFolder)}); from miranda_notebooks.main import main; main()`;

/** Reads the syntax tree of code in a process of its own. The code is not run, and other requests do not wait. */
export async function cutCode(body: CutCodeBody): Promise<Cut> {
  const python = await findPython();
  if (!python) throw new AppError("code_unreadable", "There is no Python from 3.11 on to read the code with.");
  const child = spawn(python.executable, ["-I", "-S", "-c", script], {
    cwd: runtimeFolder,
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), limits.seconds * 1_000);
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  try {
    // When the process dies, the pipe breaks. Its exit status reports that.
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(body));
    const [answer, status] = await Promise.all([text(child.stdout), ended]);
    if (status !== 0) throw new AppError("code_unreadable");
    return Cut.parse(JSON.parse(answer));
  } finally {
    clearTimeout(timer);
  }
}
