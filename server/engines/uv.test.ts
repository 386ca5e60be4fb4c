import { existsSync } from "node:fs";
import { access, chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { hasPackageIndex } from "../testing/services/package-index.ts";
import { createUv, findUv } from "./uv.ts";

let folder: string;
let logged: string[];
const path = process.env["PATH"];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-uv-"));
  logged = [];
  process.env["PATH"] = join(folder, "bin");
  await mkdir(join(folder, "bin"));
});
afterEach(async () => {
  process.env["PATH"] = path;
  await rm(folder, { recursive: true, force: true });
});

async function program(name: string, content: string): Promise<string> {
  const made = join(folder, "bin", name);
  await writeFile(made, content);
  await chmod(made, 0o755);
  return made;
}

const make = (uv?: string) => createUv({ dataFolder: folder, uv, log: (line) => logged.push(line) });
const hasMachineUv = ["/usr/bin/uv", "/bin/uv", "/usr/sbin/uv", "/sbin/uv"].some((one) => existsSync(one));

describe("the program that installs packages", () => {
  it("takes uv from the PATH, unless it is a script that a sandbox could not run", async () => {
    const binary = await program("uv", "\u007fELF");
    expect(findUv(undefined)).toBe(binary);
    expect(make().path).toBe(binary);
    await program("uv", "#!/bin/sh\n");
    expect(findUv(undefined)).toBe(undefined);
  });

  it("takes the operator's setting, or pip", async () => {
    const named = await program("my-uv", "#!/bin/sh\n");
    expect(make(named).path).toBe(named);
    const off = make("off");
    expect(off.path).toBe(undefined);
    await off.want();
    expect(await readdir(folder)).toEqual(["bin"]);
  });

  it.skipIf(!hasPackageIndex || hasMachineUv)("is fetched once, and nobody else may write it", async () => {
    process.env["PATH"] = path;
    const uv = make();
    if (uv.path !== join(folder, "tools", "uv")) return;
    await Promise.all([uv.want(), uv.want()]);
    expect(await readdir(join(folder, "tools"))).toContain("uv.coming");
    await expect.poll(() => readdir(join(folder, "tools")), { timeout: 60_000 }).toEqual(["uv"]);
    expect((await stat(uv.path)).mode & 0o777).toBe(0o755);
    await expect.poll(() => logged).toEqual([expect.stringContaining("uv was installed")]);
    await make().want();
    await access(uv.path);
    expect(logged).toHaveLength(1);
  });

  it.skipIf(hasMachineUv)("falls back to pip when it cannot be fetched, and no run waits for it again", async () => {
    process.env["PATH"] = path;
    const before = process.env["PIP_INDEX_URL"];
    process.env["PIP_INDEX_URL"] = "http://127.0.0.1:9/simple";
    try {
      const uv = make();
      if (uv.path !== join(folder, "tools", "uv")) return;
      await uv.want();
      await expect
        .poll(() => logged, { timeout: 60_000 })
        .toEqual([expect.stringMatching(/^uv could not be installed .*: pip installs the packages of nodes/)]);
      expect(await readdir(join(folder, "tools"))).toEqual([]);
      await uv.want();
      expect(await readdir(join(folder, "tools"))).toEqual([]);
    } finally {
      if (before === undefined) delete process.env["PIP_INDEX_URL"];
      else process.env["PIP_INDEX_URL"] = before;
    }
  });
});
