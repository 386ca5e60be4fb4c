import { errors } from "@miranda/contract/errors.ts";
import type { ErrorCode } from "@miranda/contract/errors.ts";
import { broadcastChannels } from "@miranda/contract/broadcast-channels.ts";
import { broadcastEvent, readerChannels } from "@miranda/contract/events.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import { type Broadcast, type BroadcastData, parseBroadcast } from "@miranda/contract/schemas/broadcasts.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import type { EnteredGraph } from "@miranda/contract/schemas/realtime.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import { createMessageRate, type createAccountMessageRates } from "./message-rate.ts";
import type { RoomPresence } from "./room-presence.ts";
import type { DroppedBroadcasts } from "./dropped-broadcasts.ts";
import { viewsOf } from "./reader-view.ts";
import type { createRealtimeQueries } from "./realtime-queries.ts";
import type { RightsWatch } from "./rights-watch.ts";
import { type ClientSocket, readersOf, writersOf } from "./rooms.ts";
import { safely } from "../../platform/errors/safely.ts";

interface Dependencies {
  roomPresence: RoomPresence;
  rights: RightsWatch;
  queries: ReturnType<typeof createRealtimeQueries>;
  extensions: readonly Extension[];
  accountRates: ReturnType<typeof createAccountMessageRates>;
  dropped: DroppedBroadcasts;
  report(error: unknown): void;
}

type Acknowledge = (refusal: string | null, answer?: unknown) => void;
/** Its result is sent beside the acknowledgement. */
type Handler = (...args: unknown[]) => unknown;

export type EventHandler = (socket: ClientSocket, ...args: unknown[]) => void | Promise<void>;

/** Events that another feature handles, and what it does when a connection ends. */
export interface Extension {
  handlers: ReadonlyMap<string, EventHandler>;
  /** Events that query the database each time. */
  questions: ReadonlySet<string>;
  ended(socket: ClientSocket): void;
}

type OwnEvent = "enter_project" | "watch_project" | "renew_project_presence" | "leave_project" | "broadcast";

// Each queries the database, so each counts as several broadcasts.
const questionWeight = 10;
const noticeEvery = 1_000;

/** Serves one connection. Its events are handled in order, so that an enter is done before the next event. */
export function serveConnection(
  socket: ClientSocket,
  { roomPresence, rights, queries, extensions, accountRates, dropped, report }: Dependencies,
): void {
  const { graphs } = socket.data;
  const { accountId } = socket.data.caller;
  const ownRate = createMessageRate();
  const accountRate = accountRates.join(accountId);
  let working: Promise<void> | undefined;
  let lastNotice = 0;

  function refuse(code: ErrorCode, acknowledge: Acknowledge | undefined, message: string = errors[code]): void {
    if (acknowledge) return acknowledge(message, code);
    if (Date.now() - lastNotice < noticeEvery) return;
    lastNotice = Date.now();
    socket.emit("notice", { code, message });
  }

  async function enter(given: unknown, come: "enter" | "place" = "enter"): Promise<EnteredGraph | void> {
    const { data: graphId } = Id.safeParse(given);
    if (graphId === undefined) throw new AppError("graph_not_found");
    if (graphs.size >= limits.workflowsPerConnection && !graphs.has(graphId)) throw new AppError("too_many_workflows");
    const access = await rights.accessTo(socket, graphId);
    if (access === null) throw new AppError("graph_not_found");
    if (socket.connected) return roomPresence[come](socket, graphId, access);
  }

  const handlers: Record<OwnEvent, Handler> = {
    enter_project: (given) => enter(given),
    // Receives events without being present: a list of sessions is not a visit.
    watch_project: (given) => enter(given, "place"),
    renew_project_presence: (given) =>
      typeof given === "string" && graphs.has(given) ? roomPresence.renew(socket, given) : enter(given),
    leave_project: async (given) => {
      if (typeof given === "string" && graphs.has(given)) await roomPresence.leave(socket, given);
    },
    broadcast: (name, data) => {
      const channel = broadcastChannels.find((one) => one === name);
      if (channel === undefined) throw new AppError("unknown_channel");
      const [graphId, access] = [...graphs].at(-1) ?? [];
      if (graphId === undefined) throw new AppError("not_entered");
      if (access === "viewer" && !readerChannels.includes(channel)) throw new AppError("graph_read_only");
      const parsed = parseBroadcast(channel, data);
      if (!parsed) {
        dropped.add(channel, socket.data.caller.username);
        throw new AppError("invalid_broadcast");
      }
      return broadcast(graphId, parsed);
    },
  };

  function broadcast(graphId: string, parsed: Broadcast): void | Promise<void> {
    // The sender is the connected account, whatever sender the data names.
    const event = broadcastEvent(socket.data.caller.username, parsed.channel);
    if (parsed.channel === "update[attribute]") return broadcastAttribute(graphId, event, parsed.data);
    const { writers, readers } = viewsOf(parsed);
    if (writers === readers) socket.to([writersOf(graphId), readersOf(graphId)]).emit(event, writers);
    else {
      socket.to(writersOf(graphId)).emit(event, writers);
      socket.to(readersOf(graphId)).emit(event, readers);
    }
  }

  async function broadcastAttribute(
    graphId: string,
    event: ReturnType<typeof broadcastEvent>,
    data: BroadcastData["update[attribute]"],
  ): Promise<void> {
    socket.to(writersOf(graphId)).emit(event, data);
    const isHidden = await queries.isSecret(data.metadata_id, data.name);
    socket.to(readersOf(graphId)).emit(event, isHidden ? { ...data, value: null } : data);
  }

  async function run(handler: Handler, args: unknown[], acknowledge: Acknowledge | undefined): Promise<void> {
    try {
      const answer = await handler(...args);
      if (answer === undefined) acknowledge?.(null);
      else acknowledge?.(null, answer);
    } catch (error) {
      if (error instanceof AppError) return refuse(error.code, acknowledge, error.message);
      report(error);
      refuse("internal", acknowledge);
    }
  }

  const receive = ([event, ...given]: [string, ...unknown[]]): void => {
    const last = given.at(-1);
    const acknowledge = isAcknowledge(last) ? last : undefined;
    const args = acknowledge ? given.slice(0, -1) : given;
    const size = sizeOf(args);
    const served = extensions.find((one) => one.handlers.has(event));
    const isLight = served ? !served.questions.has(event) : event === "broadcast";
    const weight = isLight ? 1 : questionWeight;
    const taken = ownRate.take(size, weight);
    if (taken === "abuse") {
      lastNotice = 0;
      refuse("too_many_messages", undefined);
      socket.disconnect(true);
      return;
    }
    if (taken === "refused" || accountRate.take(size, weight) !== "accepted")
      return refuse("too_many_messages", acknowledge);
    if (size > limits.messageMax) return refuse("message_too_large", acknowledge);
    const extended = served?.handlers.get(event);
    const handler: Handler | undefined = isOwnEvent(event)
      ? handlers[event]
      : extended && ((...own) => extended(socket, ...own));
    if (!handler) return refuse("unknown_event", acknowledge);
    const mine = working ? working.then(() => run(handler, args, acknowledge)) : run(handler, args, acknowledge);
    const next = mine.catch(report).finally(() => {
      if (working === next) working = undefined;
    });
    working = next;
  };
  socket.use(safely(receive, () => socket.disconnect(true)));

  socket.on(
    "disconnect",
    safely(() => {
      accountRates.leave(accountId);
      // After the event in progress: an enter that ends after this would leave a ghost.
      void (working ?? Promise.resolve())
        .then(() => extensions.forEach((one) => one.ended(socket)))
        .then(() => Promise.all([...graphs.keys()].map((graphId) => roomPresence.leave(socket, graphId))))
        .catch(report);
    }),
  );
}

/** Clients cannot send functions: Socket.IO adds this one, which sends its arguments to the client. */
function isAcknowledge(value: unknown): value is Acknowledge {
  return typeof value === "function";
}

function isOwnEvent(event: unknown): event is OwnEvent {
  return (
    event === "enter_project" ||
    event === "watch_project" ||
    event === "renew_project_presence" ||
    event === "leave_project" ||
    event === "broadcast"
  );
}

function sizeOf(args: unknown[]): number {
  try {
    // As JSON, bytes would count several times.
    const bytes = args.filter((one) => Buffer.isBuffer(one)).reduce((sum, one) => sum + one.length, 0);
    return bytes + JSON.stringify(args.filter((one) => !Buffer.isBuffer(one))).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
