import { endsOf } from "@miranda/contract/graph/content.ts";
import { attribute, edge, node } from "@miranda/contract/graph/graph-samples.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { openSession } from "./open-session.ts";

const fetched = vi.fn<(url: string, options?: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  fetched.mockReset();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** A session whose server stores every command as it was sent and publishes it, and what mara does. */
async function together() {
  const opened = await openSession(() => Promise.reject(new Error("nobody asked for this")));
  let revision = 1;
  const publish = (by: string, change: Partial<GraphChange>) => {
    revision += 1;
    opened.receive("update[GRAPH]", { graph_id: "g", by, revision, ...change });
  };
  const answers = (change: Partial<GraphChange>, body: object = {}) => {
    fetched.mockImplementationOnce(async () => {
      queueMicrotask(() => publish("ada", change));
      return Response.json({ ...body, revision: revision + 1 });
    });
  };
  const value = (id: number, to: number) => ({ metadata_id: id, name: "rate", value: to, default: 1 });
  const rate = (id: number) => opened.view().nodes[id]?.api.attributes.find(({ name }) => name === "rate")?.value;
  const setRate = async (id: number, to: number) => {
    answers({ attributes: [value(id, to)] }, value(id, to));
    await opened.session.run({ type: "set", id, name: "rate", value: to });
    await settled();
  };
  const by = (who: string) => (change: Partial<GraphChange>) => publish(who, change);
  return { ...opened, answers, rate, setRate, value, ada: by("ada"), mara: by("mara") };
}

const settled = () => new Promise((done) => setTimeout(done));

it("keeps the value that somebody else set, names them, and undoes it when the person asks for it", async () => {
  const { session, mara, answers, rate, setRate, value, tell } = await together();
  await setRate(1, 5);
  mara({ attributes: [value(1, 7)] });
  await session.undo();
  expect(rate(1)).toBe(7);
  expect(fetched).toHaveBeenCalledTimes(1);
  expect(session.history.counts()).toEqual({ undo: 0, redo: 0 });
  const [words, choice] = tell.mock.calls[0] ?? [];
  expect(words).toBe("mara changed the value of rate since. It was not undone.");
  expect(choice?.label).toBe("Undo anyway");

  answers({ attributes: [{ metadata_id: 1, name: "rate", value: 1 }] }, { metadata_id: 1, name: "rate", value: 1 });
  choice?.act();
  await settled();
  expect(rate(1)).toBe(1);
  // What was overwritten comes back with a redo.
  answers({ attributes: [value(1, 7)] }, value(1, 7));
  await session.redo();
  await settled();
  expect(rate(1)).toBe(7);
  expect(tell).toHaveBeenCalledTimes(1);
});

it("undoes a person's own changes in their order without a notice", async () => {
  const { session, answers, rate, setRate, value, tell } = await together();
  await setRate(1, 5);
  await setRate(2, 6);
  answers({ attributes: [{ metadata_id: 2, name: "rate", value: 1 }] }, { metadata_id: 2, name: "rate", value: 1 });
  await session.undo();
  answers({ attributes: [{ metadata_id: 1, name: "rate", value: 1 }] }, { metadata_id: 1, name: "rate", value: 1 });
  await session.undo();
  await settled();
  expect([rate(1), rate(2)]).toEqual([1, 1]);
  answers({ attributes: [value(1, 5)] }, value(1, 5));
  await session.redo();
  await settled();
  expect(rate(1)).toBe(5);
  expect(tell).not.toHaveBeenCalled();
});

it("redoes nothing that somebody else changed after the undo", async () => {
  const { session, mara, answers, rate, setRate, value, tell } = await together();
  await setRate(1, 5);
  answers({ attributes: [{ metadata_id: 1, name: "rate", value: 1 }] }, { metadata_id: 1, name: "rate", value: 1 });
  await session.undo();
  await settled();
  mara({ attributes: [value(1, 8)] });
  await session.redo();
  expect(rate(1)).toBe(8);
  expect(tell.mock.calls[0]?.[0]).toBe("mara changed the value of rate since. It was not redone.");
  expect(tell.mock.calls[0]?.[1]?.label).toBe("Redo anyway");
});

it("moves back the nodes that nobody else moved, and names the others", async () => {
  const { session, view, mara, answers, tell } = await together();
  const positions = { "1": { x: 10, y: 10 }, "2": { x: 20, y: 20 } };
  answers({ positions });
  await session.run({ type: "move", positions });
  await settled();
  mara({ positions: { "2": { x: 99, y: 99 } } });
  answers({ positions: { "1": { x: 0, y: 0 } } });
  await session.undo();
  await settled();
  expect([1, 2].map((id) => view().nodes[id]?.position)).toEqual([
    { x: 0, y: 0 },
    { x: 99, y: 99 },
  ]);
  expect(tell.mock.calls[0]?.[0]).toBe("mara moved “Node 2” since. It was not undone. The rest was.");
});

it("offers nothing when the node is gone, and sends nothing", async () => {
  const { session, mara, setRate, tell } = await together();
  await setRate(1, 5);
  mara({ deleted_nodes: [1] });
  expect(await session.undo()).toBe(false);
  expect(fetched).toHaveBeenCalledTimes(1);
  expect(tell).toHaveBeenCalledWith("mara deleted “Node 1” since. It was not undone.", undefined);
});

it("names who deleted a node before the server has confirmed it", async () => {
  const { session, receive, setRate, tell } = await together();
  await setRate(1, 5);
  receive("broadcast<mara>(delete[wob])", { metadata_id: 1 });
  expect(await session.undo()).toBe(false);
  expect(tell).toHaveBeenCalledWith("mara deleted “Node 1” since. It was not undone.", undefined);
});

it("says that there is nothing left to undo when somebody else already did it", async () => {
  const { session, mara, answers, tell } = await together();
  const connected = edge("1.out", "2.in");
  answers({ edges: [connected] }, connected);
  await session.run({ type: "connect", ends: endsOf(connected) });
  await settled();
  mara({ deleted_edges: [endsOf(connected)] });
  expect(await session.undo()).toBe(false);
  expect(tell).toHaveBeenCalledWith("Somebody else has already undone this.");
});

async function addNode({ session, answers }: Awaited<ReturnType<typeof together>>, id: number): Promise<void> {
  const made = node(id, [attribute("in", "RECEIVER")]);
  answers({ nodes: [made] }, made);
  await session.addNode({ x: 0, y: 0 });
  await settled();
}

it("deletes an added node with the code that only this person wrote", async () => {
  const opened = await together();
  const { session, view, tell } = opened;
  await addNode(opened, 8);
  opened.ada({ nodes: [{ metadata_id: 8, source_code: "mine" }] });
  opened.answers({ deleted_nodes: [8] });
  await session.undo();
  await settled();
  expect(view().nodes["8"]).toBeUndefined();
  expect(tell).not.toHaveBeenCalled();
});

it("keeps an added node in which somebody else wrote code", async () => {
  const opened = await together();
  const { session, view, tell } = opened;
  await addNode(opened, 8);
  opened.ada({ nodes: [{ metadata_id: 8, source_code: "mine" }] });
  opened.mara({ nodes: [{ metadata_id: 8, source_code: "ours" }] });
  await session.undo();
  expect(view().nodes["8"]).toBeDefined();
  expect(tell.mock.calls[0]?.[0]).toBe("mara changed “Node 8” since. It was not undone.");
});

it("says somebody when the change came with a reload", async () => {
  const { session, view, setRate, tell } = await together();
  await setRate(1, 5);
  const { nodes } = view();
  const changed = Object.values(nodes).map((one) =>
    one.metadata_id === 1 ? { ...one, api: { ...one.api, attributes: [] } } : one,
  );
  session.store.load({
    nodes: Object.fromEntries(changed.map((one) => [one.metadata_id, one])),
    edges: [],
    groups: [],
    viewOnly: false,
    revision: 9,
  });
  await session.undo();
  expect(tell).toHaveBeenCalledWith("Somebody removed rate since. It was not undone.", undefined);
});
