import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openEngine } from "../engines/open-engine.ts";
import { readConfig } from "../platform/settings/config.ts";

// No silent weakness: a server without a sandbox says so, or does not start (H4).

describe("a server without a sandbox", () => {
  let folder: string;
  const path = process.env["PATH"];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "miranda-no-bwrap-"));
    await mkdir(join(folder, "bin"));
    const program = join(folder, "bin", "bwrap");
    await writeFile(program, "#!/bin/sh\necho 'bwrap: not allowed here' >&2\nexit 1\n");
    await chmod(program, 0o755);
    process.env["PATH"] = `${join(folder, "bin")}:${path}`;
  });
  afterAll(async () => {
    process.env["PATH"] = path;
    await rm(folder, { recursive: true });
  });

  const open = (host: string, environment: Record<string, string> = {}) =>
    openEngine(readConfig({ MIRANDA_ENGINE: "local", ...environment }).processors, {
      ...{ dataFolder: folder, installation: "x", address: () => "", log: () => undefined },
      host,
    });

  it("warns, and says how to get one", async () => {
    for (const host of ["127.0.0.1", "localhost", "::1"]) {
      const { warnings } = await open(host);
      expect(warnings.map(({ code }) => code)).toEqual(["no_sandbox"]);
      expect(warnings[0]?.message).toContain("bwrap: not allowed here");
      expect(warnings[0]?.message).toContain("apt-get install bubblewrap passt");
    }
  });

  it("does not start where others can reach it, unless that is set on purpose", async () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.7", "example.org"])
      await expect(open(host)).rejects.toThrow("does not start like this, unless MIRANDA_SANDBOX=off");
    const { warnings } = await open("0.0.0.0", { MIRANDA_SANDBOX: "off" });
    expect(warnings.map(({ code }) => code)).toEqual(["no_sandbox"]);
  });

  it("refuses an invalid range of accounts, and root's", () => {
    for (const range of ["0-10", "20-10", "nobody"])
      expect(() => readConfig({ MIRANDA_SESSION_UIDS: range })).toThrow("MIRANDA_SESSION_UIDS");
  });
});
