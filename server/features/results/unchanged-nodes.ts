/** A workflow, with the revision in which each node was changed last, and what is kept of it. */
interface Content {
  nodes: { id: number; edited: number }[];
  edges: { source_id: number; target_id: number }[];
  /** The newest kept result of each node, with the run that made it and the revision that was run. */
  results: { node_id: number; run_id: string; revision: number }[];
}

/**
 * The nodes whose kept results are newer than every change of them and of what feeds them, with the run of each. Nodes
 * in loops, and what they feed, keep nothing.
 */
export function unchangedNodes({ nodes, edges, results }: Content): Map<number, string> {
  const changed = new Map(nodes.map(({ id, edited }) => [id, edited]));
  const own = edges.filter(({ source_id, target_id }) => changed.has(source_id) && changed.has(target_id));
  const targets = Map.groupBy(own, ({ source_id }) => source_id);
  const missing = new Map(nodes.map(({ id }) => [id, 0]));
  for (const { target_id } of own) missing.set(target_id, (missing.get(target_id) ?? 0) + 1);
  const kept = new Map(results.map((result) => [result.node_id, result]));
  const found = new Map<number, string>();
  const ready = nodes.map(({ id }) => id).filter((id) => missing.get(id) === 0);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    const since = changed.get(id) ?? 0;
    const result = kept.get(id);
    if (result && result.revision >= since) found.set(id, result.run_id);
    for (const { target_id } of targets.get(id) ?? []) {
      changed.set(target_id, Math.max(changed.get(target_id) ?? 0, since));
      const left = (missing.get(target_id) ?? 0) - 1;
      missing.set(target_id, left);
      if (left === 0) ready.push(target_id);
    }
  }
  return found;
}
