import type { NodeBarsEvent, NodeOutput, NodeRun } from "@miranda/contract/schemas/processors.ts";

export type Bars = NodeBarsEvent["nodes"][number]["bars"];

/** A node's run, and its share of what the run it was part of took. */
export interface ShownRun extends NodeRun {
  /** Between 0 and 1; undefined while the run is not over, and where nothing took any time. */
  share: number | undefined;
  /** It ran in an earlier run of the session: in the last one nothing of it had changed. */
  isEarlier: boolean;
}

export type RunStore = ReturnType<typeof createRunStore>;

/** What the nodes of a graph did in the session: for the canvas, where each draws only for itself. */
export function createRunStore() {
  const watchers = new Set<() => void>();
  let runs = new Map<number, NodeRun>();
  let outputs = new Map<number, NodeOutput>();
  let bars = new Map<number, Bars>();
  let shown = new Map<number, ShownRun>();
  let last = 0;
  let total = 0;
  let jobId: string | undefined;
  /** Numbers what is told, and when which node was told of. */
  let words = 0;
  let runTold = new Map<number, number>();
  let outputTold = new Map<number, number>();

  function changed(): void {
    last = 0;
    total = 0;
    for (const { run } of runs.values()) last = Math.max(last, run);
    let isUnderWay = false;
    for (const { run, seconds, status } of runs.values()) {
      if (run !== last) continue;
      total += seconds;
      isUnderWay ||= status === "waiting" || status === "running";
    }
    // Shares of what is not over yet would only shrink.
    if (isUnderWay) total = 0;
    shown = new Map();
    for (const watcher of watchers) watcher();
  }

  return {
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },

    /** Another session has nothing of the one before. */
    begin(id: string | undefined): void {
      if (id === jobId) return;
      jobId = id;
      runs = new Map();
      outputs = new Map();
      bars = new Map();
      runTold = new Map();
      outputTold = new Map();
      changed();
    },
    jobId: () => jobId,
    /** How the last run came to its end. */
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
      words += 1;
      for (const node of nodes) {
        if (node.run < (runs.get(node.wob_key)?.run ?? 0)) continue;
        runs.set(node.wob_key, node);
        runTold.set(node.wob_key, words);
        // Of a worker that died nobody says that its bars are over.
        if (node.status !== "running") bars.delete(node.wob_key);
      }
      changed();
    },

    /** From here on; what is fetched now may be older than what is told meanwhile. */
    ask(id: string) {
      const asked = words;
      const isOlder = (told: Map<number, number>, node: number) => (told.get(node) ?? 0) > asked;
      return {
        answer(nodes: readonly NodeRun[], shownByNodes: readonly NodeOutput[]): void {
          if (id !== jobId) return;
          for (const node of nodes) if (!isOlder(runTold, node.wob_key)) runs.set(node.wob_key, node);
          for (const output of shownByNodes)
            if (!isOlder(outputTold, output.wob_key)) outputs.set(output.wob_key, output);
          changed();
        },
      };
    },

    show(output: NodeOutput): void {
      if (output.job_id !== jobId) return;
      const last = outputs.get(output.wob_key);
      // One that is shown again stays at its place among the others.
      if (last && (output.run < last.run || (output.run === last.run && output.number < last.number))) return;
      words += 1;
      outputs.set(output.wob_key, output);
      outputTold.set(output.wob_key, words);
      for (const watcher of watchers) watcher();
    },

    /** The last one of the last run in which the node showed something. Its number is how many there are. */
    outputOf: (node: number): NodeOutput | undefined => outputs.get(node),
    /** Whether the node has run, or begun to, since it showed that. */
    isOldOutput: (node: number): boolean => (runs.get(node)?.run ?? 0) > (outputs.get(node)?.run ?? Infinity),

    setBars({ job_id, nodes }: NodeBarsEvent): void {
      if (job_id !== jobId) return;
      for (const node of nodes)
        if (node.bars.length > 0) bars.set(node.wob_key, node.bars);
        else bars.delete(node.wob_key);
      for (const watcher of watchers) watcher();
    },
    /** A thread that a node has left behind may go on to say how far it is: nobody would take that bar away again. */
    barsOf: (node: number): Bars | undefined => (runs.get(node)?.status === "running" ? bars.get(node) : undefined),

    /** The same object until something of it changes. */
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
