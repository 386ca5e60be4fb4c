import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

import { runtimeFolder } from "../server/platform/python.ts";
import { findLibraryPython } from "./library-environment.ts";

const python = await findLibraryPython();

it.skipIf(!python)("runs the examples of the handbook that need packages", { timeout: 180_000 }, async () => {
  const run = promisify(execFile);
  const { stderr } = await run(python ?? "", ["-m", "unittest", "tests.handbook.test_examples"], {
    cwd: runtimeFolder,
  });
  expect(stderr).toMatch(/\nOK/);
});
