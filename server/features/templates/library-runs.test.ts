import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

import { findLibraryPython } from "../../../scripts/library-environment.ts";
import { blueprintPlans } from "./blueprints/blueprint-plans.ts";
import { plainBlueprints } from "./blueprints/plain-blueprints.ts";
import { readLibrary } from "./library.ts";

// Real runs by the runtime's own executor, with the packages that Run would install. `npm test` installs them once.
const python = await findLibraryPython();
if (!python) process.stderr.write("The library is not run: npm test installs its packages from pypi.org.\n");

interface Line {
  key: string;
  problem: string;
  shown?: string[];
  models?: string[];
}

const library = readLibrary();
// PyTorch is not installed for tests.
const isHeavy = ({ tags }: { tags: readonly string[] }) => tags.includes("heavy");
const needsAddress = "blueprint:fetch-table";

async function run(script: string, given: unknown): Promise<Line[]> {
  const path = join(import.meta.dirname, "library-checks", script);
  // Nodes leave files in the folder that they run in, for example their models.
  const folder = await mkdtemp(join(tmpdir(), "miranda-library-"));
  const child: ChildProcess = spawn(python ?? "", ["-I", path], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  if (!child.stdin || !child.stdout || !child.stderr) throw new Error("The check has no pipes.");
  child.stdin.end(JSON.stringify(given));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [lines, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  await rm(folder, { recursive: true });
  if (status !== 0) throw new Error(errors);
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

describe.skipIf(!python)("the packages of the library are installed", { timeout: 900_000 }, () => {
  it("every node does what it says on real data", async () => {
    const lines = await run("check_nodes.py", null);
    expect(lines.filter(({ problem }) => problem !== "")).toEqual([]);
    const expected = library.filter((one) => one.kind === "prefab" && !["plain", "flow"].includes(one.tags[0] ?? ""));
    expect(lines.map(({ key }) => `prefab:${key}`).toSorted()).toEqual(
      expected
        .filter((one) => !isHeavy(one))
        .map((one) => one.library_key)
        .toSorted(),
    );
  });

  it("every blueprint runs whole and shows something worth seeing", async () => {
    const blueprints = library
      .filter((one) => one.kind === "blueprint" && !isHeavy(one) && one.library_key !== needsAddress)
      .map(({ library_key, content }) => ({
        key: library_key,
        edges: content.edges,
        nodes: content.nodes.map(({ ref, name, source_code, field_values }) => {
          return { ref, name, source_code, values: field_values };
        }),
      }));
    const lines = await run("check_blueprints.py", blueprints);
    expect(lines.filter(({ problem }) => problem !== "")).toEqual([]);
    const plain = new Set(plainBlueprints.map(({ key }) => `blueprint:${key}`));
    const drawn = lines.filter(({ key }) => !plain.has(key));
    expect(drawn.length).toBeGreaterThanOrEqual(15);
    expect(drawn.filter(({ shown = [] }) => !shown.includes("image/png"))).toEqual([]);
    const saving = blueprintPlans.filter(({ nodes }) =>
      Object.values(nodes).some((one) => one.prefab === "save-model"),
    );
    expect(lines.filter(({ models = [] }) => models.length > 0).length).toBeGreaterThanOrEqual(saving.length);
  });
});
