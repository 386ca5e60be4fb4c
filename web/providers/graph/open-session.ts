import { attribute, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import { vi } from "vitest";

import { createRealtime, type SocketLike } from "../../api/socket.ts";
import { createGraphSession } from "./graph-session.ts";
import type { Choice } from "./undo.ts";

/** For tests: an open graph with two nodes, and a socket whose events the test sends. This person is ada. */
export async function openSession(load: () => Promise<GraphResponse>) {
  let any: (event: string, ...args: unknown[]) => void = () => undefined;
  const emitted: unknown[][] = [];
  const socket: SocketLike = {
    on: () => undefined,
    onAny: (listener) => {
      any = listener;
    },
    emit: (...args) => emitted.push(args),
    connect: () => undefined,
    disconnect: () => undefined,
  };
  const realtime = createRealtime(async () => socket);
  realtime.open();
  await Promise.resolve();
  await Promise.resolve();
  any("ready");
  const notify = vi.fn<(message: string) => void>();
  const tell = vi.fn<(message: string, choice?: Choice) => void>();
  const session = createGraphSession({
    graphId: "g",
    realtime,
    load,
    me: () => "ada",
    notify,
    tell,
  });
  const nodes = [1, 2].map((key) =>
    node(key, [
      attribute("in", "RECEIVER"),
      attribute("out", "TRANSMITTER"),
      attribute("rate", "RECEIVER_FIELD", { value: 1, control: { type: "number" } }),
    ]),
  );
  session.store.load({ nodes: nodesByKey(...nodes), edges: [], groups: [], viewOnly: false, revision: 1 });
  session.start();
  const view = () => session.store.view().resolved;
  return { session, view, notify, tell, emitted, receive: (event: string, data?: unknown) => any(event, data) };
}
