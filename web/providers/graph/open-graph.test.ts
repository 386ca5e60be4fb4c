import { node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import type { EnteredGraph } from "@miranda/contract/schemas/realtime.ts";
import { expect, it } from "vitest";

import type { Realtime } from "../../api/socket.ts";
import { createGraphSession } from "./graph-session.ts";
import { openGraph } from "./open-graph.ts";

function graphAt(revision: number, last_used: string | null = null): GraphResponse {
  return { nodes: nodesByKey({ ...node(1, []), last_used }), edges: [], groups: [], viewOnly: false, revision };
}

/** A graph that is being opened; the test itself answers loading and entering. */
function opening() {
  const loads: { first: boolean; answer: (graph: GraphResponse) => void }[] = [];
  const entries: ((refusal: null, entered?: EnteredGraph) => void)[] = [];
  const realtime = {
    on: () => () => undefined,
    watch: () => () => undefined,
    isConnected: () => true,
    broadcast: () => undefined,
    send: (name: string, _graphId: string, acknowledge?: (typeof entries)[number]) => {
      if (name === "enter_project" && acknowledge) entries.push(acknowledge);
    },
  } as unknown as Realtime;
  const load = (first: boolean) =>
    new Promise<GraphResponse>((answer) => {
      loads.push({ first, answer });
    });
  const ignore = () => undefined;
  const session = createGraphSession({ graphId: "g", realtime, load, me: ignore, notify: ignore, tell: ignore });
  const { close } = openGraph({
    session,
    realtime,
    load: () => load(true),
    onMembers: ignore,
    onError: ignore,
    onEvicted: ignore,
  });
  const settled = () => new Promise((done) => setTimeout(done));
  return { session, loads, enter: (entered?: EnteredGraph) => entries.at(-1)?.(null, entered), close, settled };
}

const none: EnteredGraph = { revision: 3, last_used: null };

it("loads at once and, when nothing happened before it was in, once", async () => {
  for (const order of ["load", "enter"] as const) {
    const { session, loads, enter, close, settled } = opening();
    expect(loads.map(({ first }) => first)).toEqual([true]);
    if (order === "enter") enter(none);
    loads[0]?.answer(graphAt(3));
    await settled();
    if (order === "load") enter(none);
    expect([loads.length, session.store.revision()]).toEqual([1, 3]);
    close();
  }
});

it.each([
  ["a change", { revision: 4, last_used: null }],
  ["a run", { revision: 3, last_used: "2026-01-02T00:00:00.000Z" }],
])("loads again when %s was made before it was in", async (_what, entered) => {
  for (const order of ["load", "enter"] as const) {
    const { session, loads, enter, close, settled } = opening();
    if (order === "enter") enter(entered);
    loads[0]?.answer(graphAt(3, "2026-01-01T00:00:00.000Z"));
    await settled();
    if (order === "load") enter(entered);
    expect(loads.map(({ first }) => first)).toEqual([true, false]);
    loads[1]?.answer(graphAt(4, "2026-01-02T00:00:00.000Z"));
    await settled();
    expect([loads.length, session.store.revision()]).toEqual([2, 4]);
    close();
  }
});

it("loads again after a reconnect, whatever the revision is", async () => {
  const { loads, enter, close, settled } = opening();
  enter(none);
  loads[0]?.answer(graphAt(3));
  await settled();
  enter(none);
  expect(loads).toHaveLength(2);
  close();
});
