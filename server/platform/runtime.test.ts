import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import { findPython, runtimeFolder } from "./python.ts";

const run = promisify(execFile);
const python = await findPython();
// Whatever other versions this machine happens to have are tried too.
const others = ["3.11.7", "3.12.1", "3.13.0"]
  .map((version) => join(homedir(), ".pyenv", "versions", version, "bin", "python3"))
  .filter((path) => existsSync(path) && path !== python?.executable);

describe("the runtime's own tests", () => {
  it("find a Python from 3.11 on, the real binary", () => {
    expect(python?.version[1]).toBeGreaterThanOrEqual(11);
    expect(python?.executable).not.toContain("shims");
  });

  it.each([python?.executable ?? "", ...others])("hold on %s", { timeout: 60_000 }, async (executable) => {
    const { stderr } = await run(executable, ["-m", "unittest"], { cwd: runtimeFolder });
    expect(stderr).toMatch(/\nOK/);
  });
});
