import { errors } from "@miranda/contract/errors.ts";
import type { ChangedNode, PasteResponse } from "@miranda/contract/schemas/changes.ts";
import { messages } from "@miranda/contract/words/messages.ts";
import type { RestoredVersion } from "@miranda/contract/schemas/versions.ts";
import type { EdgeEnds, GraphResponse, Node, Position, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";

import { paste, type Pasted } from "../../api/graph.ts";
import { call, HttpError } from "../../api/http.ts";
import * as nodeCalls from "../../api/nodes.ts";
import type { Realtime } from "../../api/socket.ts";
import { cloneBlueprint } from "../../api/templates.ts";
import { logWarning } from "../../log.ts";
import { messageOf } from "../../message-of.ts";
import { createChangeOrder } from "./change-order.ts";
import {
  applyCommand,
  broadcastsOf,
  callCommand,
  touchedBy,
  undoPartsOf,
} from "@miranda/contract/graph/commands/registry.ts";
import { createGraphCalls } from "@miranda/contract/graph/commands/graph-calls.ts";
import type { Answer, Command, PartNames, UndoPart } from "@miranda/contract/graph/commands/command.ts";
import { type GraphContent, newEdge } from "@miranda/contract/graph/content.ts";
import { putEdges, putGroup, putNodes } from "@miranda/contract/graph/edit-content.ts";
import { createGraphStore } from "./graph-store.ts";
import { createHistory, type Recorded } from "./history.ts";
import { keepCalling, waitForConnection } from "./keep-calling.ts";
import { listenToGraph } from "./listen.ts";
import { type Choice, createUndo } from "./undo.ts";

interface Dependencies {
  graphId: string;
  realtime: Realtime;
  load: (first: boolean) => Promise<GraphResponse>;
  /** The username of this person. */
  me: () => string | undefined;
  /** A refusal, in words for the person. */
  notify: (message: string) => void;
  /** What happened, and what the person can do about it. */
  tell: (message: string, choice?: Choice) => void;
}

/** How long the server's own event may take after its answer before the graph is fetched to be sure. */
const eventPatience = 3_000;
/** How long a run waits for the changes before it. */
const sendPatience = 10_000;
const retryDelays = [500, 1_000, 2_000, 5_000];

export type GraphSession = ReturnType<typeof createGraphSession>;

/** One open graph: what it holds, what this person does to it, and what the others do. */
export function createGraphSession({ graphId, realtime, load, me, notify, tell }: Dependencies) {
  const store = createGraphStore(me);
  const history = createHistory();
  const calls = createGraphCalls(graphId, call);
  let lastCall: Promise<unknown> = Promise.resolve();
  let unanswered = 0;
  let reloading: Promise<void> | undefined;
  let isStopped = false;

  const order = createChangeOrder({ revision: store.revision, apply: store.receive, reload: () => void reload() });

  /** Ends in exactly the server's state, however long that takes. */
  function reload(): Promise<void> {
    reloading ??= fetchAgain().finally(() => {
      reloading = undefined;
      order.loadEnds();
    });
    return reloading;
  }

  async function fetchAgain(): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      if (isStopped) return;
      try {
        order.loadBegins();
        const response = await load(false);
        if (!isStopped) store.load(response);
        return;
      } catch (cause) {
        if (cause instanceof HttpError && cause.status < 500) {
          // What was missed stays missed: asking again would be refused again.
          order.stop();
          return logWarning("The graph could not be read.", cause);
        }
        const delay = retryDelays[Math.min(attempt, retryDelays.length - 1)];
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }

  function expect(revision: number): void {
    if (store.revision() >= revision) return;
    setTimeout(() => {
      if (!isStopped && store.revision() < revision) void reload();
    }, eventPatience);
  }

  function failed(cause: unknown): void {
    logWarning("A change of the graph was refused.", cause);
    notify(messageOf(cause));
  }

  const keeping = {
    wait: (attempt: number) => waitForConnection(realtime, retryDelays[Math.min(attempt, retryDelays.length - 1)] ?? 0),
    isStopped: () => isStopped,
    onAway: () => notify(messages.keptWhileAway),
  };

  /** Shows the change, broadcasts it, makes the calls, and takes it back when they fail. */
  function execute(command: Command): { before: GraphContent; done: Promise<Answer> } {
    const before = store.content();
    const pending = store.begin((content) => applyCommand(content, command));
    for (const { channel, data } of broadcastsOf(command, before)) realtime.broadcast(channel, data);
    const answered = lastCall.then(() => keepCalling(command, () => callCommand(calls, command, before), keeping));
    unanswered += 1;
    lastCall = answered.catch(() => undefined).finally(() => (unanswered -= 1));
    const done = answered.then(
      (answer) => {
        pending.confirm(answer.revision, answer.settle);
        expect(answer.revision);
        return answer;
      },
      (cause: unknown) => {
        pending.rollBack();
        failed(cause);
        // A command of several calls may have got halfway.
        if (command.type === "several") void reload();
        throw cause;
      },
    );
    return { before, done };
  }

  /** `record` gets the undo at once, so that even the quickest undo finds it; or, if only the server knows it, later. */
  async function perform(
    command: Command,
    record: (parts: readonly UndoPart[]) => Recorded | undefined,
  ): Promise<boolean> {
    const { before, done } = execute(command);
    const parts = undoPartsOf(before, command);
    const recorded = parts.length > 0 ? record(parts) : undefined;
    try {
      const { inverse, settle, revision } = await done;
      if (inverse) {
        // Where only the server knows what the command did, its event shows it.
        if (!settle) await store.reaches(revision);
        const after = settle ? settle(before) : store.content();
        record([{ command: inverse, left: touchedBy(after, inverse) }]);
      }
      // What a command of several left may be what a later one of them changed.
      else if (settle && command.type !== "several") recorded?.settle(settle(before));
      return true;
    } catch {
      recorded?.forget();
      return false;
    }
  }

  /** Makes a merge one step to undo, once it is here. */
  async function recordMerge({ revision, before }: RestoredVersion, was: GraphContent): Promise<void> {
    await store.reaches(revision);
    const inverse: Command = { type: "restoreVersion", version: before.id, was };
    history.record([{ command: inverse, left: touchedBy(store.content(), inverse) }]);
  }

  const { undo: undoLast, redo } = createUndo({ store, history, perform, tell });

  /** What the server has not answered yet. Its event may show it before, so somebody can want to undo it already. */
  const creating = new Set<Promise<unknown>>();

  async function undo(): Promise<boolean> {
    if (creating.size > 0) await Promise.all(creating);
    return undoLast();
  }

  /** The one node that a command is about and that is gone. */
  function missingNode(command: Command): string | undefined {
    const about =
      command.type === "change"
        ? Object.keys(command.changes)
        : "name" in command || command.type === "patch"
          ? [String(command.id)]
          : [];
    return about.length > 0 && about.every((key) => !store.content().nodes[key]) ? about[0] : undefined;
  }

  async function run(command: Command): Promise<boolean> {
    if (store.view().viewOnly) {
      failed(new Error(errors.graph_read_only));
      return false;
    }
    const missing = missingNode(command);
    if (missing !== undefined) {
      // Typed into a field of a node that somebody deleted meanwhile.
      logWarning(`The node ${missing} is no longer there.`);
      return false;
    }
    return perform(command, history.record);
  }

  function create<Answer extends { revision: number }>(...wish: Creation<Answer>): Promise<Answer | undefined> {
    const created = createWithGhost(...wish);
    creating.add(created);
    return created.finally(() => creating.delete(created));
  }

  /** Shows a ghost until `make` has answered. */
  async function createWithGhost<Answer extends { revision: number }>(
    ...[position, make, made, appear]: Creation<Answer>
  ): Promise<Answer | undefined> {
    const removeGhost = store.addGhost(position);
    try {
      const answer = await make();
      appear(answer);
      const undoing: Command = { type: "delete", edges: [], ...made(answer) };
      history.record([{ command: undoing, left: touchedBy(store.content(), undoing) }]);
      return answer;
    } catch (cause) {
      failed(cause);
      return undefined;
    } finally {
      removeGhost();
    }
  }

  function appearNode({ revision, ...node }: ChangedNode): void {
    store.begin((content) => (content.nodes[node.metadata_id] ? content : putNodes(content, [node]))).confirm(revision);
    expect(revision);
    realtime.broadcast("create[wob]", node);
  }

  function appearPart({ revision, nodes, edges, groups, node_positions, edge_segments }: PasteResponse): void {
    const all = Object.values(nodes);
    store.begin((content) => groups.reduce(putGroup, putEdges(putNodes(content, all), edges))).confirm(revision);
    expect(revision);
    // A larger part would exceed the size of a message: the others get it by the server's event.
    if (all.length <= broadcastMax)
      realtime.broadcast("create[blueprint]", { nodes, edges, node_positions, edge_segments });
  }

  const onlyNode = ({ metadata_id }: ChangedNode) => ({ ids: [metadata_id], groups: [] });
  const wholePart = ({ nodes, groups }: PasteResponse) => ({
    ids: Object.values(nodes).map((node) => node.metadata_id),
    groups: groups.map(({ id }) => id),
  });

  return {
    graphId,
    store,
    history,
    run,
    recordMerge,
    undo,
    redo,
    reload,

    /** Waits until the server has answered every change so far. False when that takes too long. */
    sent: (): Promise<boolean> =>
      Promise.race([
        Promise.all([lastCall, ...creating]).then(() => true),
        new Promise<boolean>((resolve) => setTimeout(() => resolve(false), sendPatience)),
      ]),

    /** Whether the server has not answered every change yet. */
    isSending: (): boolean => unanswered > 0 || creating.size > 0,

    /** After the first load: applies the newer changes that arrived meanwhile. */
    catchUp: order.drain,

    addNode(position: Position, fields: Omit<nodeCalls.NewNode, "position"> = {}, join?: Join) {
      return create(
        position,
        async () => {
          const node = await nodeCalls.createNode(graphId, { ...fields, position });
          return joined(node, join);
        },
        onlyNode,
        appearNode,
      );
    },

    /** The edge first, then the position: other people see the node appear with its edge. */
    addPrefab(prefabId: string, position: Position, policy: UpdatePolicy = "linked", join?: Join, fill?: Fill) {
      return create(
        position,
        async () => {
          const node = await nodeCalls.clonePrefab(graphId, prefabId, position, policy);
          await joined(node, join);
          if (fill) await filled(node, fill);
          const { revision } = await calls.putPosition(node.metadata_id, position);
          return { ...node, position, revision };
        },
        onlyNode,
        appearNode,
      );
    },

    addBlueprint(blueprintId: string, position: Position, policy: UpdatePolicy = "linked") {
      return create(position, () => cloneBlueprint(graphId, blueprintId, position, policy), wholePart, appearPart);
    },

    paste(part: Pasted, position: Position) {
      return create(position, () => paste(graphId, part, position), wholePart, appearPart);
    },

    /** `version`: the one that the person looked at. */
    async takeTemplateUpdate(metadataId: number, version: number): Promise<void> {
      const { revision, ...node } = await nodeCalls.updateFromTemplate(metadataId, version);
      store.begin((content) => putNodes(content, [{ ...node, update: undefined }])).confirm(revision);
      store.patch(metadataId, { update: undefined });
      expect(revision);
      realtime.broadcast("update[CODE]", { metadata_id: metadataId, source_code: node.source_code, api: node.api });
    },

    /** Listens until it is stopped. */
    start(): () => void {
      isStopped = false;
      const stopListening = listenToGraph({ graphId, realtime, store, order });
      return () => {
        isStopped = true;
        stopListening();
        order.stop();
      };
    },
  };

  /** Sets a field of a new node. If that fails, the node is removed again: it is useless without the value. */
  async function filled(node: ChangedNode, fill: Fill): Promise<void> {
    try {
      const { name, value } = await fill(node);
      await calls.setAttribute(node.metadata_id, name, value);
    } catch (cause) {
      await calls.deleteNode(node.metadata_id);
      throw cause;
    }
  }

  async function joined(node: ChangedNode, join: Join | undefined): Promise<ChangedNode> {
    const ends = join?.(node);
    if (!ends) return node;
    const edge = await calls.createEdge(ends);
    const { content } = store;
    const pending = store.begin((now) => putEdges(putNodes(now, now.nodes[node.metadata_id] ? [] : [node]), [edge]));
    pending.confirm(edge.revision);
    realtime.broadcast("create[edge]", newEdge(content(), ends));
    return { ...node, revision: edge.revision };
  }
}

const broadcastMax = 100;

type Creation<Answer> = [
  position: Position,
  make: () => Promise<Answer>,
  made: (answer: Answer) => Pick<PartNames, "ids" | "groups">,
  appear: (answer: Answer) => void,
];

/** A field that is set in a new node as soon as the node has its number. */
type Fill = (node: Node) => Promise<{ name: string; value: unknown }>;

/** Which edge a new node is to get, once it has a number. */
export type Join = (node: Node) => EdgeEnds | undefined;
