import { packageCopies as limits } from "../limits.ts";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, linkSync, mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { copyPackages } from "../features/language/package-declarations.ts";
import { openBeneath, openFolder } from "../platform/open-beneath.ts";

// Node code can write to the folder of installed packages. Here it is as hostile code would leave it.

const name = "0123456789abcdef01234567";
const packages = join("lib", "python3.13", "site-packages");
const secret = "SECRET = 'nobody may read this'";
const isRoot = process.getuid?.() === 0;

let folder: string;
let from: string;
let to: string;
let installed: string;
let elsewhere: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-copies-"));
  from = join(folder, "environments", "project");
  to = join(folder, "language", "project");
  installed = join(from, name, packages);
  elsewhere = join(folder, "environments", "another-project");
  mkdirSync(join(installed, "tides"), { recursive: true });
  writeFileSync(join(installed, "tides", "__init__.py"), "HEIGHT = 1");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "key.py"), secret);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The paths of all copied files. */
async function copies(): Promise<string[]> {
  const entries = await readdir(to, { recursive: true, withFileTypes: true });
  expect(entries.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files) expect(await readFile(file, "utf8")).not.toContain("SECRET");
  return files.map((file) => file.slice(to.length + 1)).toSorted();
}

const honest = [`${name}/tides/__init__.py`];

describe("the copy of installed packages", () => {
  it("follows no link, wherever it is and wherever it leads", async () => {
    symlinkSync(join(elsewhere, "key.py"), join(installed, "absolute.py"));
    symlinkSync("../../../../../another-project/key.py", join(installed, "relative.py"));
    symlinkSync(elsewhere, join(installed, "package"));
    symlinkSync("../../..", join(installed, "tides", "up"));
    symlinkSync(".", join(installed, "tides", "loop"));
    symlinkSync("/etc", join(installed, "etc"));
    symlinkSync("/proc/self/environ", join(installed, "environ.py"));
    symlinkSync("nowhere", join(installed, "dangling.py"));
    symlinkSync(elsewhere, join(from, "a".repeat(24)));
    symlinkSync("nowhere", join(from, "b".repeat(24)));
    writeFileSync(join(from, "c".repeat(24)), secret);
    expect(await copyPackages(from, to)).toEqual([join(to, name)]);
    expect(await copies()).toEqual(honest);
  });

  it("follows no link on the way to the packages of an environment", async () => {
    const linked = "f".repeat(24);
    mkdirSync(join(elsewhere, "python3.13", "site-packages"), { recursive: true });
    writeFileSync(join(elsewhere, "python3.13", "site-packages", "key.py"), secret);
    mkdirSync(join(from, linked));
    symlinkSync(elsewhere, join(from, linked, "lib"));
    expect(await copyPackages(from, to)).toEqual([join(to, name)]);
    expect(await copies()).toEqual(honest);
  });

  it("does not begin at a link", async () => {
    symlinkSync(elsewhere, join(folder, "environments", "link"));
    mkdirSync(join(elsewhere, name, packages), { recursive: true });
    writeFileSync(join(elsewhere, name, packages, "key.py"), secret);
    expect(await copyPackages(join(folder, "environments", "link"), to)).toEqual([]);
  });

  it("does not wait for a pipe, and leaves devices and sockets alone", async () => {
    expect(spawnSync("mkfifo", [join(installed, "pipe.py"), join(from, "d".repeat(24))]).status).toBe(0);
    if (isRoot) expect(spawnSync("mknod", [join(installed, "zero.py"), "c", "1", "5"]).status).toBe(0);
    expect(await copyPackages(from, to)).toEqual([join(to, name)]);
    expect(await copies()).toEqual(honest);
  });

  it.skipIf(!isRoot)("leaves out hard links to other accounts' files", async () => {
    for (const path of [installed, join(installed, "tides"), join(installed, "tides", "__init__.py")])
      chownSync(path, 12_345, 12_345);
    linkSync(join(elsewhere, "key.py"), join(installed, "linked.py"));
    // An installer may link from its own store.
    linkSync(join(installed, "tides", "__init__.py"), join(installed, "tides", "again.py"));
    await copyPackages(from, to);
    expect(await copies()).toEqual([...honest, `${name}/tides/again.py`].toSorted());
  });

  it("leaves out oversized files without reading them", async () => {
    writeFileSync(join(installed, "endless.py"), "");
    truncateSync(join(installed, "endless.py"), 1e12);
    writeFileSync(join(installed, "large.pyi"), "x".repeat(limits.fileBytes + 1));
    writeFileSync(join(installed, "just.pyi"), "x".repeat(limits.fileBytes));
    await copyPackages(from, to);
    expect(await copies()).toEqual([`${name}/just.pyi`, ...honest].toSorted());
  });

  it("stops at the limits of files and of nested folders", async () => {
    const deep = join(installed, "d/".repeat(200));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, "deep.py"), "DEEP = 1");
    const long = join(installed, `${"l".repeat(200)}/`.repeat(15));
    mkdirSync(long, { recursive: true });
    writeFileSync(join(long, "long.py"), "LONG = 1");
    mkdirSync(join(installed, "many"));
    for (let at = 0; at < 1_500; at++) writeFileSync(join(installed, "many", `${at}.py`), "");
    expect(await copyPackages(from, to, 1_000)).toEqual([join(to, name)]);
    const found = await copies();
    expect(found.length).toBeLessThan(1_000);
    expect(found.length).toBeGreaterThan(900);
    expect(found.filter((path) => path.endsWith("deep.py") || path.endsWith("long.py"))).toEqual([]);
  });

  it("keeps the newest package sets, however many are made", async () => {
    for (let at = 0; at < limits.installations + 3; at++) {
      const made = join(from, `${at}`.padStart(24, "e"));
      mkdirSync(join(made, packages), { recursive: true });
      utimesSync(made, 2_000_000_000 + at, 2_000_000_000 + at);
      await copyPackages(from, to);
    }
    const kept = [3, 4, 5, 6].map((at) => `${at}`.padStart(24, "e"));
    expect((await readdir(to)).toSorted()).toEqual(kept);
  });

  it("copies nothing of a folder that is swapped while it is read", async () => {
    const code = `const fs = require("fs");
      const [folder, away, other, ...names] = process.argv.slice(1);
      console.log("ready");
      for (const end = Date.now() + 120_000; Date.now() < end; )
        for (const target of names.map((name) => folder + "/" + name)) {
          fs.renameSync(target, away); fs.symlinkSync(other, target);
          fs.unlinkSync(target); fs.renameSync(away, target);
        }`;
    // The names of a folder are read together: the last one is opened long after it was listed.
    const names = Array.from({ length: 20 }, (_, at) => `package${at}`);
    for (const one of names) mkdirSync(join(installed, one));
    for (const one of [...names.map((name) => join(installed, name)), elsewhere])
      for (let at = 0; at < 5; at++)
        writeFileSync(join(one, `module${at}.py`), one === elsewhere ? secret : "HEIGHT = 1");
    const child = spawn(process.execPath, ["-e", code, installed, join(folder, "away"), elsewhere, ...names], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    const top = to;
    for (let round = 0; round < 20; round++) {
      to = join(top, String(round));
      await copyPackages(from, to);
    }
    expect(child.exitCode).toBe(null);
    child.kill("SIGKILL");
    await ended;
    to = top;
    await copies();
  });
});

describe("a file beneath a folder of others", () => {
  it("is opened only when no part of its path is a link or leads up", async () => {
    symlinkSync("tides", join(installed, "link"));
    await using root = await openFolder(installed);
    if (!root) throw new Error("no folder");
    const content = async (path: string): Promise<string | undefined> => {
      await using file = await openBeneath(root, path, "file");
      return (await file?.readFile("utf8"))?.slice(0, 6);
    };
    expect(await content("tides/__init__.py")).toBe("HEIGHT");
    for (const path of ["link/__init__.py", "../../another-project/key.py", "tides/../tides/__init__.py", "tides", ""])
      expect([path, await content(path)]).toEqual([path, undefined]);
    expect(await content("/etc/passwd")).toBe(undefined);
    expect(await content("./tides/__init__.py")).toBe(undefined);
  });
});
