import { describe, expect, it } from "vitest";

import type { RunDetails, RunNode } from "@miranda/contract/schemas/runs.ts";

import { changeWords, comparedNodes, comparedPackages, nodeChangeWords } from "./compared-nodes.ts";

const node = (wob_key: number, seconds: number, changes: Partial<RunNode> = {}): RunNode => ({
  ...{ wob_key, name: `Node ${wob_key}`, planned: true, reason: "", status: "done", seconds, fires: 1 },
  ...{ spans: [], cost: 0, result: null, seed: null },
  ...changes,
});

const run = (run_nodes: RunNode[], packages: Record<string, string> = {}, python = "3.12.1"): RunDetails => ({
  ...{ id: "r", graph: { id: "g", name: "Tides", project_id: "p", project_name: "Sea" }, by: null },
  ...{ session: { id: "s", tag: 1, name: "Tides", exists: true }, number: 1, mode: "all", target: null },
  ...{ source: "person", version: null, graph_revision: 1, repeats: null, state: "done", reason: "" },
  ...{ failed_node: null, nodes: { run: 0, skipped: 0, failed: 0, kept: 0 }, cost: 0, budget: null },
  times: { took: 0, waiting: 0, installing: 0, running: 0 },
  ...{ time_began: "2026-01-01T00:00:00Z", time_ended: "2026-01-01T00:01:00Z", revision: 1, first_line: 1 },
  ...{
    last_line: 2,
    exceptions: [],
    usage: null,
    models: [],
    outputs_removed: false,
    installing_cost: 0,
    run_nodes,
    packages,
    python,
  },
});

describe("two runs side by side", () => {
  it("lists the nodes whose time changed most first, and those of one run only", () => {
    const before = run([node(1, 1), node(2, 5), node(3, 2)]);
    const after = run([node(1, 1.1), node(2, 1), node(4, 3)]);
    expect(comparedNodes(before, after).map(({ key, longer }) => [key, Number(longer.toFixed(3))])).toEqual([
      [2, -4],
      [4, 3],
      [3, -2],
      [1, 0.1],
    ]);
    expect(comparedNodes(before, after).find(({ key }) => key === 4)?.before).toBeUndefined();
  });

  it("does not compare the time of a node that failed", () => {
    const words = (before: RunNode[], after: RunNode[]) => comparedNodes(run(before), run(after)).map(nodeChangeWords);
    expect(words([node(1, 1)], [node(1, 3)])).toEqual(["3 times as long"]);
    expect(words([node(1, 1, { status: "error" })], [node(1, 3)])).toEqual([""]);
    expect(words([node(1, 1)], [])).toEqual(["only before"]);
    expect(words([], [node(1, 1)])).toEqual(["only after"]);
  });

  it("names the packages and the Python that differ, and counts the others", () => {
    const before = run([], { numpy: "2.0", pandas: "2.2", torch: "2.5" });
    const after = run([], { numpy: "2.1", pandas: "2.2", scipy: "1.14" }, "3.13.0");
    expect(comparedPackages(before, after)).toEqual({
      changed: [
        { name: "Python", before: "3.12.1", after: "3.13.0" },
        { name: "numpy", before: "2.0", after: "2.1" },
        { name: "scipy", before: undefined, after: "1.14" },
        { name: "torch", before: "2.5", after: undefined },
      ],
      same: 1,
    });
  });

  it.each([
    [1, 1.02, "as long"],
    [1, 1.3, "30 % longer"],
    [1, 0.5, "50 % shorter"],
    [1, 2.13, "2.1 times as long"],
    [0, 3, ""],
  ])("says how %d s became %d s: %s", (before, after, words) => {
    expect(changeWords(before, after)).toBe(words);
  });
});
