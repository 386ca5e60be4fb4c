import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import { findPython, runtimeFolder } from "./python.ts";

const run = promisify(execFile);
const python = await findPython();
// Also try the other versions that this machine has.
const others = await Promise.all(["python3.11", "python3.12", "python3.13", "python3.14"].map(realBinary));
const executables = new Set([python?.executable ?? "", ...others.filter((path) => path !== undefined)]);

async function realBinary(name: string): Promise<string | undefined> {
  try {
    return (await run(name, ["-c", "import sys; print(sys.executable)"])).stdout.trim();
  } catch {
    return undefined;
  }
}

describe("the tests of the runtime", () => {
  it("have a Python from 3.11 on, as a real binary", () => {
    expect(python?.version[1]).toBeGreaterThanOrEqual(11);
    expect(python?.executable).not.toContain("shims");
  });

  it.each([...executables])("pass on %s", { timeout: 900_000 }, async (executable) => {
    const { stderr } = await run(executable, ["-m", "unittest"], { cwd: runtimeFolder });
    expect(stderr).toMatch(/\nOK/);
  });
});
