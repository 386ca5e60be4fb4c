import { node } from "@miranda/contract/graph/graph-samples.ts";
import { describe, expect, it } from "vitest";

import { edgePath, withBend } from "../edges/edge-path.ts";
import { findNodes, titleOf } from "../library/find-nodes.ts";
import { fittingItems, newItems, readDraggedItem, searchItems } from "../library/palette-items.ts";
import { policySummary } from "../cards/policy-summary.ts";
import { statusLook } from "../cards/status.ts";

describe("edges on the canvas", () => {
  it("curve from port to port and pass through their bends", () => {
    const [from, to] = [
      { x: 0, y: 0, side: "right" as const },
      { x: 200, y: 0, side: "left" as const },
    ];
    expect(edgePath(from, to, [])).toMatchObject({ path: "M0,0 C80,0 120,0 200,0", middle: { x: 100, y: 0 } });
    expect(edgePath(from, to, [{ x: 100, y: 80 }]).middle).toEqual({ x: 100, y: 80 });
  });

  it("get a new bend on the nearest segment", () => {
    const [from, to] = [
      { x: 0, y: 0 },
      { x: 300, y: 0 },
    ];
    const bends = [
      { x: 100, y: 0 },
      { x: 200, y: 0 },
    ];
    expect(withBend(from, bends, to, { x: 150, y: 10 })).toEqual([bends[0], { x: 150, y: 10 }, bends[1]]);
    expect(withBend(from, [], to, { x: 5, y: 5 })).toEqual([{ x: 5, y: 5 }]);
  });
});

describe("search", () => {
  const nodes = ["Train", "Retrain", "Load"].map((name, at) => ({ ...node(at + 1, []), name }));

  it("finds a node by name, matches at the start first", () => {
    expect(findNodes(nodes, " TRAIN ").map(({ name }) => name)).toEqual(["Train", "Retrain"]);
    expect(findNodes(nodes, "").map(({ name }) => name)).toEqual(["Load", "Retrain", "Train"]);
    expect(findNodes(nodes, "zzz")).toEqual([]);
  });

  it("finds a note by its text and shows its first words", () => {
    const note = { ...node(9, [], "note"), name: "Note", description: "## Before you run\n\nAsk **Ada** for the key." };
    const named = { ...note, name: "Keys" };
    expect(titleOf(note)).toBe("Before you run Ask Ada for the key.");
    expect(titleOf(named)).toBe("Keys: Before you run Ask Ada for the key.");
    expect(titleOf({ ...note, description: "" })).toBe("Note");
    for (const query of ["before", "ask ada", "**ada**", "note"])
      expect(findNodes([...nodes, note], query)).toEqual([note]);
  });

  it("offers only items that fit the dragged port", () => {
    const compute = { nodeId: 1, name: "compute", kind: "compute_policy", isReceiver: true };
    expect(fittingItems(newItems, compute).map(({ title }) => title)).toEqual(["Compute policy"]);
    const output = { nodeId: 1, name: "output", kind: "table", isReceiver: false };
    expect(fittingItems(newItems, output).map(({ title }) => title)).toEqual(["Code block"]);
    expect(fittingItems(newItems, undefined)).toHaveLength(4);
  });

  it("searches titles, descriptions and tags for every word", () => {
    expect(searchItems(newItems, "gpu").map(({ title }) => title)).toEqual(["Compute policy"]);
    expect(searchItems(newItems, "policy s3").map(({ title }) => title)).toEqual(["Storage policy"]);
    expect(searchItems(newItems, "nothing like it")).toEqual([]);
  });
});

describe("an item dragged from the library", () => {
  const described = { key: "k", title: "Load", description: "", class: "Code_block", tags: [], attributes: [] };

  it("is read as it was written", () => {
    const prefab = { ...described, type: "prefab", id: "p", policy: "linked" };
    for (const item of [...newItems, prefab]) expect(readDraggedItem(JSON.stringify(item))).toEqual(item);
  });

  it.each(["", "hello", "null", "[]", "{}", '{"type":"new"}', '{"type":"prefab","id":"p"}', '{"type":"x","id":"p"}'])(
    "is ignored when it is %j",
    (text) => expect(readDraggedItem(text)).toBeUndefined(),
  );
});

describe("texts on cards", () => {
  it.each([
    [null, "none"],
    ["RUNNING", "running"],
    ["Queued", "waiting"],
    ["error: no", "failed"],
    ["done", "done"],
    ["whatever", "waiting"],
  ])("shows the status %s as %s", (status, tone) => expect(statusLook(status).tone).toBe(tone));

  it("summarise what a policy grants", () => {
    expect(policySummary({ class: "compute_policy", body: { cpu: 1, ram_gb: 2, gpu: 0 } })).toBe("1 core · 2 GB");
    expect(policySummary({ class: "compute_policy", body: { cpu: 4, ram_gb: 8, gpu: 2 } })).toBe(
      "4 cores · 8 GB · 2 GPUs",
    );
    const s3 = { type: "s3", bucket: "tides" };
    expect(policySummary({ class: "storage_policy", body: s3 })).toBe("S3 bucket tides");
    expect(policySummary({ class: "storage_policy", body: { ...s3, prefix: "2026" } })).toBe("S3 bucket tides/2026");
    expect(policySummary({ class: "storage_policy", body: null })).toBe("");
  });
});
