import { describe, expect, it } from "vitest";

import type { Edge } from "../../schemas/nodes.ts";
import { endsOf, type GraphContent } from "../content.ts";
import { putAttribute, putNodes } from "../edit-content.ts";
import { edge, node } from "../graph-samples.ts";
import { commandSamples, contentSample } from "./command-samples.ts";
import type { Command, Skipped } from "./command.ts";
import { applyCommand, splitUndo, touchedBy, undoPartsOf } from "./registry.ts";

const nobody = () => false;

interface Undone {
  before: GraphContent;
  after: GraphContent;
  /** The graph when the undo is asked for: with what the others did since. */
  now: GraphContent;
  free: Command | undefined;
  taken: Command | undefined;
  skipped: readonly Skipped[];
}

/** What an undo of `mine` may do after `theirs`. */
function undo(mine: Command, theirs: readonly Command[], before = contentSample(), isOwnCode = nobody): Undone {
  const after = applyCommand(before, mine);
  const now = theirs.reduce(applyCommand, after);
  return { before, after, now, ...splitUndo(undoPartsOf(before, mine), now, isOwnCode) };
}

/** The undo of a command that created a part: it deletes it. */
function undoCreation(created: GraphContent, creation: Command, theirs: readonly Command[], isOwnCode = nobody) {
  const now = theirs.reduce(applyCommand, created);
  return { now, ...splitUndo([{ command: creation, left: touchedBy(created, creation) }], now, isOwnCode) };
}

const words = (skipped: readonly Skipped[]) =>
  skipped.map(({ part, why, names }) => {
    const detail = part.type === "field" ? part.field : part.type === "value" ? part.name : "";
    return [why, part.type, detail, names.join(" to ")].filter(Boolean).join(" ");
  });

const position = (content: GraphContent, id: number) => content.nodes[id]?.position;
const done = (content: GraphContent, command: Command | undefined) =>
  command ? applyCommand(content, command) : content;

describe("what nobody else changed", () => {
  it.each(Object.entries(commandSamples))("is undone whole: %s", (_name, mine) => {
    const { now, free, taken, skipped } = undo(mine, []);
    const whole = undoPartsOf(contentSample(), mine).reduce(
      (content, { command }) => applyCommand(content, command),
      now,
    );
    expect(done(now, free)).toEqual(whole);
    expect({ taken, skipped }).toEqual({ taken: undefined, skipped: [] });
  });

  it.each(Object.entries(commandSamples))("is undone while somebody else works elsewhere: %s", (_name, mine) => {
    const elsewhere: Command[] = [
      { type: "set", id: 3, name: "rate", value: 0.3 },
      { type: "patch", id: 3, changes: { name: "Third", description: "x" } },
      { type: "move", positions: { "3": { x: 90, y: 90 } } },
    ];
    const { free, taken, skipped } = undo(mine, elsewhere);
    expect(free).toBeDefined();
    expect({ taken, skipped }).toEqual({ taken: undefined, skipped: [] });
  });

  it("is redone whole after its undo", () => {
    for (const mine of Object.values(commandSamples)) {
      const { now, free } = undo(mine, []);
      const back = undoPartsOf(now, free!);
      expect(splitUndo(back, done(now, free), nobody)).toMatchObject({ taken: undefined, skipped: [] });
    }
  });
});

describe("what somebody else changed since", () => {
  it("keeps their value", () => {
    const mine: Command = { type: "set", id: 1, name: "rate", value: 0.9 };
    const { free, taken, skipped } = undo(mine, [{ ...mine, value: 0.7 }]);
    expect({ free, taken }).toEqual({ free: undefined, taken: { type: "unset", id: 1, name: "rate" } });
    expect(words(skipped)).toEqual(["changed value rate Node 1"]);
  });

  it("keeps their value where this person had unset one", () => {
    const before = applyCommand(contentSample(), { type: "set", id: 1, name: "rate", value: 0.1 });
    const { free, taken, skipped } = undo(
      { type: "unset", id: 1, name: "rate" },
      [{ type: "set", id: 1, name: "rate", value: 0.7 }],
      before,
    );
    expect({ free, taken }).toEqual({ free: undefined, taken: { type: "set", id: 1, name: "rate", value: 0.1 } });
    expect(words(skipped)).toEqual(["changed value rate Node 1"]);
  });

  it("ignores a new default that the code declares", () => {
    const before = contentSample();
    const mine: Command = { type: "unset", id: 1, name: "rate" };
    const changed = applyCommand(before, { type: "set", id: 1, name: "rate", value: 0.1 });
    const after = applyCommand(changed, mine);
    const now = putAttribute(after, { metadata_id: 1, name: "rate", value: 0.6 });
    expect(splitUndo(undoPartsOf(changed, mine), now, nobody)).toMatchObject({ free: { type: "set", value: 0.1 } });
  });

  it("names a value whose attribute is gone, and offers nothing", () => {
    const mine: Command = { type: "set", id: 1, name: "rate", value: 0.9 };
    const after = applyCommand(contentSample(), mine);
    const now = putNodes(after, [{ metadata_id: 1, api: node(1, []).api }]);
    const { free, taken, skipped } = splitUndo(undoPartsOf(contentSample(), mine), now, nobody);
    expect({ free, taken }).toEqual({ free: undefined, taken: undefined });
    expect(words(skipped)).toEqual(["deleted value rate Node 1"]);
  });

  it("undoes the fields of a node that they did not change", () => {
    const mine: Command = { type: "patch", id: 1, changes: { name: "Mine", description: "Mine", locked: true } };
    const { free, taken, skipped } = undo(mine, [{ type: "patch", id: 1, changes: { name: "Theirs" } }]);
    expect(free).toMatchObject({ type: "patch", changes: { description: "", locked: false } });
    expect(taken).toEqual({ type: "patch", id: 1, changes: { name: "Node 1" } });
    expect(words(skipped)).toEqual(["changed field name Theirs"]);
  });

  it("moves back the nodes that they did not move or delete", () => {
    const mine: Command = {
      type: "move",
      positions: { "1": { x: 1, y: 1 }, "2": { x: 2, y: 2 }, "3": { x: 3, y: 3 } },
    };
    const { now, free, taken, skipped } = undo(mine, [
      { type: "move", positions: { "1": { x: 50, y: 50 } } },
      { type: "delete", ids: [2], edges: [], groups: [] },
    ]);
    expect(position(done(now, free), 3)).toEqual({ x: 0, y: 0 });
    expect(position(done(now, free), 1)).toEqual({ x: 50, y: 50 });
    expect(taken).toEqual({ type: "move", positions: { "1": { x: 0, y: 0 } } });
    expect(words(skipped)).toEqual(["changed field position Node 1", "deleted node Node 2"]);
  });

  it("keeps what they disabled, locked or coloured, and undoes the rest of the same change", () => {
    const mine: Command = {
      type: "change",
      changes: { "1": { colour: "#112233", locked: true, tags_added: ["ml"] }, "2": { colour: "#112233" } },
    };
    const theirs: Command[] = [
      { type: "change", changes: { "1": { colour: "#445566" } } },
      { type: "change", changes: { "1": { tags_removed: ["ml"] } } },
    ];
    const { free, taken, skipped } = undo(mine, theirs);
    expect(free).toEqual({ type: "change", changes: { "1": { locked: false }, "2": { colour: null } } });
    expect(taken).toEqual({ type: "change", changes: { "1": { colour: null } } });
    expect(words(skipped)).toEqual(["changed field colour Node 1"]);
  });

  it("keeps an edge that they labelled after this person connected it", () => {
    const ends = endsOf(edge("1.out", "3.in"));
    const { free, taken, skipped } = undo({ type: "connect", ends }, [
      { type: "draw", ends, drawing: { label: "rows" } },
    ]);
    expect({ free, taken }).toEqual({ free: undefined, taken: { type: "disconnect", ends } });
    expect(words(skipped)).toEqual(["changed edge Node 1 to Node 3"]);
  });

  it("keeps the edge that they made where this person had deleted one", () => {
    const ends = endsOf(edge("2.out", "3.in"));
    const { now, free, taken, skipped } = undo({ type: "disconnect", ends }, [
      { type: "connect", ends },
      { type: "draw", ends, drawing: { segments: [{ x: 5, y: 5 }] } },
    ]);
    expect(free).toBeUndefined();
    expect(words(skipped)).toEqual(["changed edge Node 2 to Node 3"]);
    // The server keeps an edge that exists, so doing it anyway draws it.
    expect(taken).toEqual({ type: "draw", ends, drawing: { segments: [], label: "rows" } });
    expect(edgeAt(done(now, taken), "2.out", "3.in")).toMatchObject({ segments: [], label: "rows" });
  });

  it("keeps how they drew an edge, and restores the label that only this person changed", () => {
    const ends = endsOf(edge("2.out", "3.in"));
    const mine: Command = { type: "draw", ends, drawing: { segments: [{ x: 1, y: 1 }], label: "mine" } };
    const theirs: Command = { type: "draw", ends, drawing: { segments: [{ x: 9, y: 9 }] } };
    const { now, free, taken, skipped } = undo(mine, [theirs]);
    expect(edgeAt(done(now, free), "2.out", "3.in")).toMatchObject({ segments: [{ x: 9, y: 9 }], label: "rows" });
    expect(taken).toEqual({ type: "draw", ends, drawing: { segments: [] } });
    expect(words(skipped)).toEqual(["changed edge Node 2 to Node 3"]);
    const gone = undo(mine, [{ type: "disconnect", ends }]);
    expect(gone).toMatchObject({ free: undefined, taken: undefined });
    expect(words(gone.skipped)).toEqual(["deleted edge Node 2 to Node 3"]);
  });

  it("restores a node without the edge to a node that they deleted", () => {
    const { now, free, taken, skipped } = undo({ type: "delete", ids: [2], edges: [], groups: [] }, [
      { type: "delete", ids: [3], edges: [], groups: [] },
    ]);
    const back = done(now, free);
    expect(Object.keys(back.nodes)).toEqual(["1", "2"]);
    expect(Object.values(back.edges).map(({ source_wob_key }) => source_wob_key)).toEqual([1]);
    expect(taken).toBeUndefined();
    expect(skipped.map(({ part, why }) => [why, part])).toEqual([["deleted", { type: "node", id: 3 }]]);
  });

  it("restores no edge whose node they deleted", () => {
    const ends = endsOf(edge("1.out", "2.in"));
    const { free, taken, skipped } = undo({ type: "disconnect", ends }, [
      { type: "delete", ids: [2], edges: [], groups: [] },
    ]);
    expect({ free, taken }).toEqual({ free: undefined, taken: undefined });
    expect(words(skipped)).toEqual(["deleted node Node 2"]);
  });

  it("keeps a group that they renamed", () => {
    const renamed: Command = { type: "regroup", id: "g", fields: { name: "Theirs" } };
    const mine: Command = { type: "regroup", id: "g", fields: { name: "Mine", collapsed: true } };
    const { free, taken, skipped } = undo(mine, [renamed]);
    expect(free).toEqual({ type: "regroup", id: "g", fields: { collapsed: false } });
    expect(taken).toEqual({ type: "regroup", id: "g", fields: { name: "Group" } });
    expect(words(skipped)).toEqual(["changed group Theirs"]);
    const gone = undo(mine, [{ type: "delete", ids: [], edges: [], groups: ["g"] }]);
    expect(gone).toMatchObject({ free: undefined, taken: undefined });
    expect(words(gone.skipped)).toEqual(["deleted group Mine"]);
  });

  it("keeps a group that they changed after this person made it", () => {
    const creation: Command = { type: "delete", ids: [], edges: [], groups: ["g"] };
    const { free, taken, skipped } = undoCreation(contentSample(), creation, [
      { type: "regroup", id: "g", fields: { metadata_ids: [1, 2, 3] } },
    ]);
    expect({ free, taken }).toEqual({ free: undefined, taken: creation });
    expect(words(skipped)).toEqual(["changed group Group"]);
    // A deleted member and another order are no change.
    const same = undoCreation(contentSample(), creation, [
      { type: "delete", ids: [1], edges: [], groups: [] },
      { type: "regroup", id: "g", fields: { metadata_ids: [2] } },
    ]);
    expect(same).toMatchObject({ free: creation, skipped: [] });
  });

  it("undoes the commands of several that they did not touch", () => {
    const mine: Command = {
      type: "several",
      commands: [
        { type: "set", id: 1, name: "rate", value: 0.9 },
        { type: "set", id: 2, name: "rate", value: 0.9 },
        { type: "patch", id: 3, changes: { name: "Mine" } },
      ],
    };
    const { now, free, taken, skipped } = undo(mine, [{ type: "set", id: 2, name: "rate", value: 0.7 }]);
    const back = done(now, free);
    expect([1, 2].map((id) => rateOf(back, id))).toEqual([0.5, 0.7]);
    expect(back.nodes["3"]?.name).toBe("Node 3");
    expect(taken).toEqual({ type: "unset", id: 2, name: "rate" });
    expect(words(skipped)).toEqual(["changed value rate Node 2"]);
  });

  it("undoes several commands about one node in their order", () => {
    const before = contentSample();
    const mine: Command = {
      type: "several",
      commands: [
        { type: "set", id: 1, name: "rate", value: 0.8 },
        { type: "set", id: 1, name: "rate", value: 0.9 },
      ],
    };
    const { now, free, skipped } = undo(mine, []);
    expect(done(now, free)).toEqual(before);
    expect(skipped).toEqual([]);
  });
});

describe("a node that this person added", () => {
  const creation: Command = { type: "delete", ids: [9], edges: [], groups: [] };
  const added = () => putNodes(contentSample(), [{ ...node(9, contentSample().nodes["1"]!.api.attributes) }]);

  it.each<[string, Command]>([
    ["named", { type: "patch", id: 9, changes: { name: "Theirs" } }],
    ["moved", { type: "move", positions: { "9": { x: 4, y: 4 } } }],
    ["set a value of", { type: "set", id: 9, name: "rate", value: 0.1 }],
    ["disabled", { type: "change", changes: { "9": { disabled: true } } }],
    ["tagged", { type: "change", changes: { "9": { tags_added: ["x"] } } }],
    ["connected", { type: "connect", ends: endsOf(edge("9.out", "1.in")) }],
  ])("stays when somebody else %s it", (_what, theirs) => {
    const { free, taken, skipped } = undoCreation(added(), creation, [theirs]);
    expect({ free, taken }).toEqual({ free: undefined, taken: creation });
    expect(skipped).toMatchObject([{ why: "changed", part: { type: "node", id: 9 } }]);
  });

  it("stays when somebody else wrote its code, and goes when only this person did", () => {
    const left = touchedBy(added(), creation);
    const now = putNodes(added(), [{ metadata_id: 9, source_code: "print()" }]);
    const parts = [{ command: creation, left }];
    expect(splitUndo(parts, now, nobody)).toMatchObject({ free: undefined, taken: creation });
    expect(splitUndo(parts, now, (id) => id === 9)).toMatchObject({ free: creation, skipped: [] });
  });

  it("goes with the nodes that were added with it, and only the changed one stays", () => {
    const two: Command = { type: "delete", ids: [8, 9], edges: [], groups: [] };
    const both = putNodes(added(), [node(8, [])]);
    const { free, taken } = undoCreation(both, two, [{ type: "patch", id: 9, changes: { name: "Theirs" } }]);
    expect({ free, taken }).toEqual({ free: { ...two, ids: [8] }, taken: { ...two, ids: [9] } });
  });
});

describe("a restored or merged version", () => {
  const undoing: Command = { type: "restoreVersion", version: "before" };
  /** The restore changed node 1, deleted node 3 with its edge, and brought node 9. */
  const was = () => contentSample();
  const restored = () => {
    const changes: Command[] = [
      { type: "patch", id: 1, changes: { name: "Restored" } },
      { type: "delete", ids: [3], edges: [], groups: [] },
    ];
    return changes.reduce(applyCommand, putNodes(was(), [node(9, [])]));
  };
  const after = (...theirs: Command[]) =>
    splitUndo(
      [{ command: { ...undoing, was: was() }, left: restored() }],
      theirs.reduce(applyCommand, restored()),
      nobody,
    );

  it("goes as a whole when nobody changed anything since", () => {
    expect(after()).toEqual({ free: undoing, taken: undefined, skipped: [] });
  });

  it("goes node by node when somebody else changed another node since", () => {
    const { free, taken, skipped } = after({ type: "set", id: 2, name: "rate", value: 0.2 });
    expect(free).toEqual({ ...undoing, ids: [1, 3], added: [9] });
    expect({ taken, skipped }).toEqual({ taken: undefined, skipped: [] });
  });

  it("keeps the nodes that somebody else changed, connected or deleted since", () => {
    const { free, taken, skipped } = after(
      { type: "patch", id: 1, changes: { name: "Theirs" } },
      { type: "move", positions: { "9": { x: 5, y: 5 } } },
    );
    expect(free).toEqual({ ...undoing, ids: [3], added: [] });
    expect(taken).toEqual({ ...undoing, ids: [1], added: [9] });
    expect(words(skipped)).toEqual(["changed node Theirs", "changed node Node 9"]);
    const gone = after({ type: "delete", ids: [1, 9], edges: [], groups: [] });
    expect(gone.free).toEqual({ ...undoing, ids: [3], added: [] });
    expect(words(gone.skipped)).toEqual(["deleted node Restored"]);
  });
});

describe("what somebody else already undid", () => {
  it("is neither done again nor reported", () => {
    const cases: [Command, Command][] = [
      [
        { type: "set", id: 1, name: "rate", value: 0.9 },
        { type: "unset", id: 1, name: "rate" },
      ],
      [
        { type: "move", positions: { "1": { x: 5, y: 5 } } },
        { type: "move", positions: { "1": { x: 0, y: 0 } } },
      ],
      [
        { type: "connect", ends: endsOf(edge("1.out", "3.in")) },
        { type: "disconnect", ends: endsOf(edge("1.out", "3.in")) },
      ],
      [
        { type: "disconnect", ends: endsOf(edge("1.out", "2.in")) },
        { type: "connect", ends: endsOf(edge("1.out", "2.in")) },
      ],
      [
        { type: "change", changes: { "1": { tags_added: ["ml"] } } },
        { type: "change", changes: { "1": { tags_removed: ["ml"] } } },
      ],
      [
        { type: "regroup", id: "g", fields: { name: "Mine" } },
        { type: "regroup", id: "g", fields: { name: "Group" } },
      ],
    ];
    for (const [mine, theirs] of cases)
      expect(undo(mine, [theirs])).toMatchObject({ free: undefined, taken: undefined, skipped: [] });
    const creation: Command = { type: "delete", ids: [1], edges: [], groups: ["g"] };
    const deleted = undoCreation(contentSample(), creation, [creation]);
    expect(deleted).toMatchObject({ free: undefined, taken: undefined, skipped: [] });
  });
});

function edgeAt(content: GraphContent, from: string, to: string): Edge | undefined {
  const wanted = JSON.stringify(endsOf(edge(from, to)));
  return Object.values(content.edges).find((one) => JSON.stringify(endsOf(one)) === wanted);
}

function rateOf(content: GraphContent, id: number): unknown {
  return content.nodes[id]?.api.attributes.find(({ name }) => name === "rate")?.value;
}
