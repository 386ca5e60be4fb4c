import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";
import { Readable } from "node:stream";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { tagOf } from "../../platform/http/not-modified.ts";
import type { Db } from "../../platform/database/database.ts";
import type { EdgeRow, NodeRow } from "../../model/graph-rows.ts";
import { exportGraph } from "./graph-export.ts";
import { ahead, graphText } from "./graph-text.ts";
import type { GraphQueries } from "./graphs-queries.ts";

// One burst of rows, in which no other request is served.
const nodesAtOnce = 500;
// Many small writes to the client would take longer than the reading. Writing this many takes a few milliseconds.
const charactersAtOnce = 2 * 1024 * 1024;

/** A graph as a stream of JSON text (`GraphResponse`). */
export interface ReadGraph {
  text: Readable;
  /** Whether it has values of secret controls, which no browser should store. */
  hasSecrets: boolean;
}

/** The rows of a graph as they were at one moment. */
export interface GraphSnapshot {
  revision: number;
  nodes: NodeRow[];
  edges: EdgeRow[];
  groups: Awaited<ReturnType<GraphQueries["groups"]>>;
}

interface ReadWish {
  id: string;
  viewOnly: boolean;
  includeUpdates: boolean;
  /** Whether the client already has the graph with this tag. */
  isKnown: (tag: string) => boolean;
}

/** Reads whole graphs, each as it was at one moment, and sends them part by part. */
export function createGraphReading(db: Db, queriesIn: (db: Db) => GraphQueries) {
  /** Runs `work` on one snapshot of the database. What `work` gives to `open` is returned at once, and `work` goes on. */
  function inOneMoment<Opened>(work: (queries: GraphQueries, open: (opened: Opened) => void) => Promise<void>) {
    const moment = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
    return new Promise<Opened>((open, refuse) => {
      moment.execute((trx) => work(queriesIn(trx), open)).catch(refuse);
    });
  }

  return {
    /** All rows of a graph. Nothing when it is deleted. */
    rows: (id: string): Promise<GraphSnapshot> =>
      inOneMoment(async (queries, open) => {
        const revision = (await queries.revision(id)) ?? 0;
        const nodes = await queries.nodes(id);
        const edges = await queries.edges(id);
        open({ revision, nodes, edges, groups: await queries.groups(id) });
      }),

    /** For a run, which waits for the nodes and edges only. The whole snapshot follows. */
    rowsForRun: (id: string) =>
      inOneMoment<Pick<GraphSnapshot, "nodes" | "edges"> & { whole: Promise<GraphSnapshot> }>(async (queries, open) => {
        const nodes = await queries.nodes(id);
        const edges = await queries.edges(id);
        async function readRest(): Promise<GraphSnapshot> {
          const revision = (await queries.revision(id)) ?? 0;
          return { revision, nodes, edges, groups: await queries.groups(id) };
        }
        const whole = readRest();
        open({ nodes, edges, whole });
        await whole;
      }),

    /** The nodes, edges and groups, or "known". The client reads the first nodes while the next ones are looked up. */
    read: (caller: Caller, { id, viewOnly, includeUpdates, isKnown }: ReadWish): Promise<ReadGraph | "known"> =>
      inOneMoment(async (queries, open) => {
        const revision = await queries.revision(id);
        if (revision === undefined) throw new AppError("graph_not_found");
        const updates = includeUpdates ? await queries.updates(id, caller) : [];
        const { runs, hasSecrets } = await queries.uncounted(id);
        const offered = updates
          .map(({ metadata_id, updated_at }) => `${metadata_id} ${updated_at.toISOString()}`)
          .sort();
        if (isKnown(tagOf([id, revision, viewOnly, runs, includeUpdates, ...offered]))) return open("known");
        const numbers = await queries.nodeNumbers(id);
        const edges = await queries.edges(id);
        const there = new Set(numbers);
        const groups = (await queries.groups(id)).map((row) => toGroup(row, there));
        const nodes = ahead(numbers, nodesAtOnce, (some) => queries.nodeTexts(id, some));
        const text = unhurried();
        open({ text, hasSecrets: hasSecrets && !viewOnly });
        await pushAll(text, graphText({ nodes, edges, updates, groups, viewOnly, revision }));
      }),

    /** The graph as a GraphML file. */
    exportGraphml: (graph: { id: string; name: string; description: string }): Promise<Readable> =>
      inOneMoment(async (queries, open) => {
        const numbers = await queries.nodeNumbers(graph.id);
        const edges = await queries.edges(graph.id);
        const nodes = ahead(numbers, nodesAtOnce, (some) => queries.nodesNumbered(graph.id, some));
        const text = unhurried();
        open(text);
        await pushAll(text, exportGraph(graph, nodes, edges));
      }),
  };
}

/** A stream that never asks for more: it is filled however slowly it is read. */
function unhurried(): Readable {
  return new Readable({ read: () => undefined });
}

/** Fills the stream without waiting for its reader: a slow reader would hold a database connection. */
async function pushAll(stream: Readable, parts: AsyncIterable<string>): Promise<void> {
  try {
    let waiting = "";
    for await (const part of parts) {
      // The client is gone.
      if (stream.destroyed) return;
      waiting += part;
      if (waiting.length < charactersAtOnce) continue;
      stream.push(waiting);
      waiting = "";
    }
    stream.push(waiting);
    stream.push(null);
  } catch (error) {
    // The answer has begun. Cutting it off is the only way to say that it is not whole.
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** A group also holds the numbers of deleted nodes: they may be restored. */
function toGroup(
  row: { id: string; name: string; colour: string | null; collapsed: boolean; members: number[] },
  there: ReadonlySet<number>,
): NodeGroup {
  const { id, name, colour, collapsed, members } = row;
  return { id, name, colour, collapsed, metadata_ids: members.map(Number).filter((id) => there.has(id)) };
}
