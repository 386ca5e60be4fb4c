import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import { findPython, runtimeFolder } from "./python.ts";

const run = promisify(execFile);
const python = await findPython();
// Whatever other versions this machine happens to have are tried too.
const others = await Promise.all(["python3.11", "python3.12", "python3.13", "python3.14"].map(realBinary));
const executables = new Set([python?.executable ?? "", ...others.filter((path) => path !== undefined)]);

async function realBinary(name: string): Promise<string | undefined> {
  try {
    return (await run(name, ["-c", "import sys; print(sys.executable)"])).stdout.trim();
  } catch {
    return undefined;
  }
}

describe("the runtime's own tests", () => {
  it("find a Python from 3.11 on, the real binary", () => {
    expect(python?.version[1]).toBeGreaterThanOrEqual(11);
    expect(python?.executable).not.toContain("shims");
  });

  it.each([...executables])("hold on %s", { timeout: 240_000 }, async (executable) => {
    const { stderr } = await run(executable, ["-m", "unittest"], { cwd: runtimeFolder });
    expect(stderr).toMatch(/\nOK/);
  });
});
