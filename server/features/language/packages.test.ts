import type { CommandEvent } from "@miranda/contract/schemas/processors.ts";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { askAbout } from "../../testing/language-help.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, until } from "../../testing/test-socket.ts";
import { wheelHeader } from "../../testing/services/wheel.ts";
import { script, Workbench } from "../../testing/workbench.ts";
import { copyPackages } from "./package-declarations.ts";

describe("packages that a node setup has installed", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  it("are known to language help as soon as they are installed", { timeout: 120_000 }, async () => {
    const header = await wheelHeader("tides", 'def at_noon(day: int) -> float:\n    """How high."""\n    return 1.5\n');
    const bench = await Workbench.open(server);
    const node = await bench.node(header + script("import tides", "print(tides.at_noon(1))"));
    const socket = await connect(server, bench.owner);
    expect(await socket.enter(bench.graphId)).toBe(null);
    const code = new SharedCode(node);
    expect(await code.open(socket)).toBe(null);
    await until(() => code.epoch !== null, "no document came");
    expect(await socket.ask("language_open", node)).toBe(null);
    expect((await askAbout(code, { kind: "hover" }, "tides.at_no|on"))?.text ?? "").not.toContain("float");

    await bench.start();
    const since = bench.listener.received.length;
    await bench.send("run-setup");
    expect(await bench.listener.wait<CommandEvent>("run-setup", () => true, since)).toMatchObject({ error: null });
    await expect
      .poll(async () => (await askAbout(code, { kind: "hover" }, "tides.at_no|on"))?.text, { timeout: 60_000 })
      .toContain("(day: int) -> float");
    const place = (await askAbout(code, { kind: "definition" }, "tides.at_no|on"))?.place;
    expect(place).toMatchObject({ kind: "file", name: "tides.py", text: expect.stringContaining("How high.") });
    await bench.until("stop", "", "EXITED");
    socket.close();
    bench.close();
  });
});

describe("a copy of packages", () => {
  it("has the files that declare something, and follows no link", async () => {
    const folder = await mkdtemp(join(tmpdir(), "miranda-packages-"));
    const [from, to, secret] = ["from", "to", "secret"].map((name) => join(folder, name)) as [string, string, string];
    const installed = join(from, "0123456789abcdef01234567", "lib", "python3.13", "site-packages");
    await mkdir(join(installed, "tides", "__pycache__"), { recursive: true });
    await mkdir(join(from, "0123456789abcdef01234567.99"));
    await mkdir(secret);
    await writeFile(join(secret, "key.py"), "KEY = 1");
    for (const name of ["__init__.py", "stub.pyi", "py.typed", "data.bin", "__pycache__/x.py"])
      await writeFile(join(installed, "tides", name), name);
    await symlink(join(secret, "key.py"), join(installed, "key.py"));
    await symlink(secret, join(installed, "secret"));
    await symlink(secret, join(from, "abcdefabcdefabcdefabcdef"));

    expect(await copyPackages(from, to)).toEqual([join(to, "0123456789abcdef01234567")]);
    const copied = await readdir(to, { recursive: true, withFileTypes: true });
    const names = copied.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["__init__.py", "py.typed", "stub.pyi"]);
    expect(await readFile(join(to, "0123456789abcdef01234567", "tides", "stub.pyi"), "utf8")).toBe("stub.pyi");
    // The second copy changes nothing.
    expect(await copyPackages(from, to)).toHaveLength(1);
    expect(await copyPackages(join(folder, "missing"), to)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
