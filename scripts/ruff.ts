import { PositionEncoding, Workspace, type Diagnostic } from "@astral-sh/ruff-wasm-nodejs";
import { execFile } from "node:child_process";
import { glob, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";

import { findPython, runtimeFolder } from "../server/platform/python.ts";

// `ruff check` and `ruff format --check` of runtime/, by the WebAssembly build that formats node code: a machine with Node
// and Python needs nothing else. `--write` formats the files instead of checking their format.
const run = promisify(execFile);
const isWriting = process.argv.includes("--write");
const readSettings =
  "import json, sys, tomllib; print(json.dumps(tomllib.load(open(sys.argv[1], 'rb'))['tool']['ruff']))";

const python = await findPython();
if (!python) throw new Error("Checking the Python code needs Python 3.11 or later.");
const settingsFile = join(runtimeFolder, "pyproject.toml");
const { stdout } = await run(python.executable, ["-I", "-c", readSettings, settingsFile]);
const workspace = new Workspace(JSON.parse(stdout), PositionEncoding.Utf16);

const problems: string[] = [];
const files: string[] = [];
for await (const file of glob("**/*.py", { cwd: runtimeFolder })) files.push(file);
for (const file of files.toSorted()) await checkFile(join(runtimeFolder, file));
for (const problem of problems) console.log(problem);
console.log(`ruff: ${files.length} files, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

async function checkFile(path: string): Promise<void> {
  const code = await readFile(path, "utf8");
  const name = relative(process.cwd(), path);
  const formatted = workspace.format(code);
  if (formatted !== code && isWriting) await writeFile(path, formatted);
  else if (formatted !== code) problems.push(`${name}: not formatted; run: npx node scripts/ruff.ts --write`);
  const found: Diagnostic[] = workspace.check(isWriting ? formatted : code);
  for (const { code: rule, message, start_location: at } of found) {
    problems.push(`${name}:${at.row}:${at.column} ${rule ?? "syntax"} ${message}`);
  }
}
