import { errors } from "@miranda/contract/errors.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";

import type { RoomPresence } from "./room-presence.ts";
import type { Claim, createRealtimeQueries, Standing } from "./realtime-queries.ts";
import { type ClientSocket, type Io, roomFor } from "./rooms.ts";

export type RightsWatch = ReturnType<typeof createRightsWatch>;

/** Ends what a connection may no longer do: its session or access may end at any time, in any way. */
export function createRightsWatch(
  io: Io,
  roomPresence: RoomPresence,
  queries: ReturnType<typeof createRealtimeQueries>,
) {
  let running: Promise<void> | undefined;
  let again = false;

  function claimOf(socket: ClientSocket, graphId: string | null): Claim {
    const { accountId, credential, via } = socket.data.caller;
    return {
      connection: socket.id,
      account_id: accountId,
      credential: credential.toString("hex"),
      via,
      graph_id: graphId,
    };
  }

  async function checkAll(): Promise<void> {
    const sockets = [...io.sockets.sockets.values()];
    if (sockets.length === 0) return;
    const claims = sockets.flatMap((socket) => {
      const graphIds = [...socket.data.graphs.keys()];
      return (graphIds.length > 0 ? graphIds : [null]).map((graphId) => claimOf(socket, graphId));
    });
    for (const standing of await queries.standings(claims)) {
      const socket = io.sockets.sockets.get(standing.connection);
      if (socket) await settle(socket, standing);
    }
  }

  async function settle(socket: ClientSocket, { live, graph_id, access, username, is_admin }: Standing): Promise<void> {
    if (!live) return signOut(socket);
    // People may change their username while connected.
    socket.data.caller.username = username ?? socket.data.caller.username;
    socket.data.caller.isAdmin = is_admin === true;
    const before = graph_id === null ? undefined : socket.data.graphs.get(graph_id);
    if (graph_id === null || before === undefined || before === access) return;
    if (access === null) {
      await roomPresence.leave(socket, graph_id);
      socket.emit("evicted", { graph_id, message: errors.graph_not_found });
      return;
    }
    const isMoved = roomFor(graph_id, before) !== roomFor(graph_id, access);
    await roomPresence.place(socket, graph_id, access);
    if (isMoved) socket.emit("access", { graph_id, viewOnly: access === "viewer" });
  }

  function signOut(socket: ClientSocket): void {
    if (!socket.connected) return;
    socket.emit("notice", { code: "not_signed_in", message: errors.not_signed_in });
    socket.disconnect(true);
  }

  return {
    /** Null when the account cannot read the graph. */
    async accessTo(socket: ClientSocket, graphId: string): Promise<ProjectAccess | null> {
      const [standing] = await queries.standings([claimOf(socket, graphId)]);
      if (standing?.live) return standing.access;
      signOut(socket);
      return null;
    },

    /** Checks every connection once. A call during a check starts one more after it. */
    check(): Promise<void> {
      if (running) {
        again = true;
        return running;
      }
      running = (async () => {
        do {
          again = false;
          await checkAll();
        } while (again);
      })().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
