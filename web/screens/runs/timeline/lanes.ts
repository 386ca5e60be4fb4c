import type { NodeState } from "../../../panels/runs/run-looks.ts";
import type { TimelineNode } from "./timeline-nodes.ts";

/** A node's time in a lane. */
export interface LaneBar {
  node: number;
  state: NodeState;
  began: number;
  ended: number;
}

/** More lanes cannot be told apart. What does not fit is in the last one. */
const most = 64;

/** Puts what ran at the same time into lanes above each other: as many lanes as nodes that ran at once. */
export function lanesOf(nodes: readonly TimelineNode[]): LaneBar[][] {
  const bars: LaneBar[] = nodes.flatMap(({ key, state, spans }) =>
    spans.map(({ began, ended }) => ({ node: key, state, began, ended })),
  );
  bars.sort((one, other) => one.began - other.began || one.ended - other.ended);
  const lanes: LaneBar[][] = [];
  const ends: number[] = [];
  for (const bar of bars) {
    let lane = ends.findIndex((end) => end <= bar.began);
    if (lane === -1) lane = Math.min(lanes.length, most - 1);
    (lanes[lane] ??= []).push(bar);
    ends[lane] = Math.max(ends[lane] ?? 0, bar.ended);
  }
  return lanes;
}

/** The bar of a lane at a moment, or the nearest one within reach. */
export function barAt(lane: readonly LaneBar[], moment: number, reach: number): LaneBar | undefined {
  let low = 0;
  let high = lane.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lane[middle]?.began ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  const distance = (bar: LaneBar) => Math.max(bar.began - moment, moment - bar.ended, 0);
  const [near] = [lane[low - 1], lane[low]]
    .filter((bar) => bar !== undefined)
    .toSorted((one, other) => distance(one) - distance(other));
  return near && distance(near) <= reach ? near : undefined;
}
