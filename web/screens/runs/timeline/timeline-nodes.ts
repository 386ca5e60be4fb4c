import type { RunDetails, RunNode } from "@miranda/contract/schemas/runs.ts";

import { type NodeState, nodeStateOf, nodeStates } from "../../../panels/runs/run-looks.ts";
import { reasonWords } from "../../../panels/runs/run-words.ts";

/** When a node was ready, began and ended, in seconds since the run began. */
export interface Span {
  ready: number;
  began: number;
  ended: number;
  /** It has not ended, so its end is now. */
  isOpen?: true;
}

export interface TimelineNode {
  key: number;
  name: string;
  state: NodeState;
  reason: string;
  seconds: number;
  waited: number;
  fires: number;
  cost: number;
  spans: readonly Span[];
  /** When it first began; undefined for a node that did not. */
  start: number | undefined;
}

/** When nodes that run now were first seen running: the worker says when a node began once it has ended. */
export type FirstSeen = ReadonlyMap<number, number>;

const none: FirstSeen = new Map();

export function timelineNodes(nodes: readonly RunNode[], now: number, firstSeen: FirstSeen = none): TimelineNode[] {
  return nodes.map((node) => {
    const state = nodeStateOf(node);
    const spans: Span[] = node.spans.map(([ready, began, ended]) => ({ ready, began, ended }));
    if (state === "running") {
      const began = Math.min(now, firstSeen.get(node.wob_key) ?? now);
      spans.push({ ready: began, began, ended: now, isOpen: true });
    }
    return {
      key: node.wob_key,
      name: node.name,
      state,
      reason: reasonWords(node).words,
      seconds: node.seconds,
      waited: spans.reduce((sum, { ready, began }) => sum + Math.max(0, began - ready), 0),
      fires: node.fires,
      cost: node.cost,
      spans,
      start: spans[0]?.began,
    };
  });
}

/**
 * Notes since when nodes run. Whoever runs when the page opens began, at the latest, when the last of the others ended.
 * The same map when nothing changed.
 */
export function noteRunning(known: FirstSeen, nodes: readonly RunNode[], now: number, isFirst: boolean): FirstSeen {
  const running = nodes.filter((node) => nodeStateOf(node) === "running");
  const isSame = running.length === known.size && running.every(({ wob_key }) => known.has(wob_key));
  if (isSame) return known;
  const last = isFirst ? nodes.reduce((latest, { spans }) => Math.max(latest, spans.at(-1)?.[2] ?? 0), 0) : now;
  return new Map(running.map(({ wob_key }) => [wob_key, known.get(wob_key) ?? Math.min(last, now)]));
}

/** How long the timeline is: as long as the run, or as its last bar. */
export function secondsOf(nodes: readonly TimelineNode[], ran: number): number {
  return nodes.reduce((latest, { spans }) => Math.max(latest, spans.at(-1)?.ended ?? 0), ran);
}

export const orders = ["start", "duration", "cost", "state", "name"] as const;
export type NodeOrder = (typeof orders)[number];

const byStart = (one: TimelineNode, other: TimelineNode) =>
  (one.start ?? Number.POSITIVE_INFINITY) - (other.start ?? Number.POSITIVE_INFINITY) || 0;
const byName = (one: TimelineNode, other: TimelineNode) => one.name.localeCompare(other.name) || one.key - other.key;

const comparers: Record<NodeOrder, (one: TimelineNode, other: TimelineNode) => number> = {
  start: byStart,
  duration: (one, other) => other.seconds - one.seconds,
  cost: (one, other) => other.cost - one.cost,
  state: (one, other) => nodeStates.indexOf(one.state) - nodeStates.indexOf(other.state),
  name: byName,
};

export interface NodeFilter {
  text: string;
  order: NodeOrder;
  /** Leaves out nodes that did not run. */
  onlyRan: boolean;
}

export const didNotRun = (state: NodeState) => state === "skipped" || state === "kept" || state === "idle";
const isAside = ({ state }: TimelineNode) => didNotRun(state);

/** The rows of the timeline. Infinity minus infinity is not a number, so nodes that did not run are compared by name. */
export function orderedNodes(nodes: readonly TimelineNode[], { text, order, onlyRan }: NodeFilter): TimelineNode[] {
  const wanted = text.trim().toLowerCase();
  return nodes
    .filter((node) => (!onlyRan || !isAside(node)) && node.name.toLowerCase().includes(wanted))
    .toSorted((one, other) => comparers[order](one, other) || byStart(one, other) || byName(one, other));
}

export const countAside = (nodes: readonly TimelineNode[]): number => nodes.filter(isAside).length;

export function findNode(run: Pick<RunDetails, "run_nodes">, key: number | undefined): RunNode | undefined {
  return key === undefined ? undefined : run.run_nodes.find(({ wob_key }) => wob_key === key);
}
