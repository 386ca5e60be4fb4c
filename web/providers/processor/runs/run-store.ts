import type { NodeBarsEvent, NodeOutput, NodeRun } from "@miranda/contract/schemas/processors.ts";

import { createStore } from "../../../store.ts";

export type Bars = NodeBarsEvent["nodes"][number]["bars"];

/** A node's run, and its share of the time of the whole run. */
export interface ShownRun extends NodeRun {
  /** Between 0 and 1. Undefined during the run, and when nothing took any time. */
  share: number | undefined;
  /** The node last ran in an earlier run of the session: it had not changed since. */
  isEarlier: boolean;
}

export type RunStore = ReturnType<typeof createRunStore>;

/** What each node of a graph did in the session. */
export function createRunStore() {
  /** How often something has changed. Copying the maps below at each change would cost more. */
  const changes = createStore(0);
  let runs = new Map<number, NodeRun>();
  let outputs = new Map<number, NodeOutput>();
  let bars = new Map<number, Bars>();
  let shown = new Map<number, ShownRun>();
  let last = 0;
  let total = 0;
  let jobId: string | undefined;
  /** Counts events, and keeps the number of the last event of each node. */
  let events = 0;
  let lastRunEvent = new Map<number, number>();
  let lastOutputEvent = new Map<number, number>();

  function notify(): void {
    changes.set(changes.get() + 1);
  }

  function runsChanged(): void {
    last = 0;
    total = 0;
    for (const { run } of runs.values()) last = Math.max(last, run);
    let isUnderWay = false;
    for (const { run, seconds, status } of runs.values()) {
      if (run !== last) continue;
      total += seconds;
      isUnderWay ||= status === "waiting" || status === "running";
    }
    // During the run the total grows, so every share would shrink.
    if (isUnderWay) total = 0;
    shown = new Map();
    notify();
  }

  return {
    watch: changes.watch,

    /** Forgets everything of the session before. */
    begin(id: string | undefined): void {
      if (id === jobId) return;
      jobId = id;
      runs = new Map();
      outputs = new Map();
      bars = new Map();
      lastRunEvent = new Map();
      lastOutputEvent = new Map();
      runsChanged();
    },
    jobId: () => jobId,
    /** How the last run ended. */
    ending(): "failed" | "interrupted" | "done" {
      const statuses = new Set<string>();
      for (const { run, status } of runs.values()) if (run === last) statuses.add(status);
      if (statuses.has("error")) return "failed";
      return statuses.has("stopped") ? "interrupted" : "done";
    },
    /** How many runs this session has had. */
    lastRun: () => last,

    add(id: string, nodes: readonly NodeRun[]): void {
      if (id !== jobId || nodes.length === 0) return;
      events += 1;
      for (const node of nodes) {
        if (node.run < (runs.get(node.wob_key)?.run ?? 0)) continue;
        runs.set(node.wob_key, node);
        lastRunEvent.set(node.wob_key, events);
        // A worker that died does not remove its progress bars.
        if (node.status !== "running") bars.delete(node.wob_key);
      }
      runsChanged();
    },

    /** Call it before fetching: the answer then replaces nothing that an event has reported meanwhile. */
    ask(id: string) {
      const asked = events;
      const isOlder = (last: Map<number, number>, node: number) => (last.get(node) ?? 0) > asked;
      return {
        answer(nodes: readonly NodeRun[], shownByNodes: readonly NodeOutput[]): void {
          if (id !== jobId) return;
          for (const node of nodes) if (!isOlder(lastRunEvent, node.wob_key)) runs.set(node.wob_key, node);
          for (const output of shownByNodes)
            if (!isOlder(lastOutputEvent, output.wob_key)) outputs.set(output.wob_key, output);
          runsChanged();
        },
      };
    },

    show(output: NodeOutput): void {
      if (output.job_id !== jobId) return;
      const last = outputs.get(output.wob_key);
      // An output that is shown again keeps its number. It does not replace a later one.
      if (last && (output.run < last.run || (output.run === last.run && output.number < last.number))) return;
      events += 1;
      outputs.set(output.wob_key, output);
      lastOutputEvent.set(output.wob_key, events);
      notify();
    },

    /** The node's last output. Its number is how many outputs there are in that run. */
    outputOf: (node: number): NodeOutput | undefined => outputs.get(node),
    /** Whether the node has started another run since that output. */
    isOldOutput: (node: number): boolean => (runs.get(node)?.run ?? 0) > (outputs.get(node)?.run ?? Infinity),

    setBars({ job_id, nodes }: NodeBarsEvent): void {
      if (job_id !== jobId) return;
      for (const node of nodes)
        if (node.bars.length > 0) bars.set(node.wob_key, node.bars);
        else bars.delete(node.wob_key);
      notify();
    },
    /** Only while the node runs: a thread that it left behind may still report progress, and nobody would remove that bar. */
    barsOf: (node: number): Bars | undefined => (runs.get(node)?.status === "running" ? bars.get(node) : undefined),

    /** The same object until the run changes, so that React does not draw again. */
    runOf(node: number): ShownRun | undefined {
      const known = shown.get(node);
      if (known) return known;
      const run = runs.get(node);
      if (!run) return undefined;
      const isOver = run.status === "done" || run.status === "error";
      const share = isOver && run.run === last && total > 0 ? run.seconds / total : undefined;
      const made = { ...run, share, isEarlier: run.run < last };
      shown.set(node, made);
      return made;
    },
  };
}
