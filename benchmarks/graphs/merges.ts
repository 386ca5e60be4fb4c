import type pg from "pg";

import type { MergePreview } from "@miranda/contract/schemas/versions.ts";

import type { Workbench } from "../../server/testing/workbench.ts";
import { type Measurement, median, sized } from "../measuring/measurement.ts";

const rounds = sized(5);
/** In milliseconds, and for a busy machine as a ratio. */
const budgets = { preview: { milliseconds: 500, ratio: 2 }, lock: { milliseconds: 300, ratio: 1 } } as const;

/** Merges a workflow with its clone, in which one node changed, and measures how long others have to wait. */
export async function merges({ owner, graphId, projectId }: Workbench, pool: pg.Pool): Promise<Measurement[]> {
  const cloned = await owner.postJson(`/api/v3/graphs/${graphId}/clone`, { to_project: projectId });
  const from = cloned.json<{ id: string }>().id;
  const { rows } = await pool.query<{ id: number }>("select min(metadata_id) as id from nodes where graph_id = $1", [
    from,
  ]);
  const [previews, bares, locks]: [number[], number[], number[]] = [[], [], []];
  for (let round = -1; round < rounds; round += 1) {
    await owner.patch(`/api/v3/objects/${rows[0]?.id}`, { name: `Merged ${round}` });
    const began = performance.now();
    const answer = await owner.postJson(`/api/v3/graphs/${graphId}/merges/preview`, { from });
    const previewed = performance.now() - began;
    const bare = await readBoth(pool, [graphId, from]);
    const { theirs_revision, mine_revision } = answer.json<MergePreview>();
    const watch = watchLock(pool, graphId);
    const body = { from, theirs_revision, mine_revision, resolutions: {} };
    const merged = await owner.postJson(`/api/v3/graphs/${graphId}/merges`, body);
    const locked = await watch.end();
    if (merged.status !== 200) throw new Error(merged.text);
    // The first round fills the caches of the database.
    if (round < 0) continue;
    previews.push(previewed);
    bares.push(bare);
    locks.push(locked);
  }
  const [preview, bare, lock] = [median(previews), median(bares), median(locks)];
  return [
    asResult("preview of a merge, one node differs", preview, bare, budgets.preview),
    asResult("a merge keeps others from changing the workflow", lock, bare, budgets.lock),
  ];
}

function asResult(
  name: string,
  ours: number,
  bare: number,
  { milliseconds, ratio }: { milliseconds: number; ratio: number },
): Measurement {
  return {
    name,
    ours: `${ours.toFixed(0)} ms`,
    bare: `reading both workflows ${bare.toFixed(0)} ms`,
    ratio: (ours / bare).toFixed(2),
    budget: `${milliseconds} ms or ratio ${ratio}`,
    passes: ours <= milliseconds || ours / bare <= ratio,
  };
}

/** The bare baseline: the rows of both workflows. */
async function readBoth(pool: pg.Pool, graphs: string[]): Promise<number> {
  const began = performance.now();
  for (const graph of graphs) {
    await pool.query("select * from nodes where graph_id = $1", [graph]);
    await pool.query("select * from edges where graph_id = $1", [graph]);
  }
  return performance.now() - began;
}

/** For how long nobody else could have changed the graph. */
function watchLock(pool: pg.Pool, graphId: string): { end: () => Promise<number> } {
  const ending = new AbortController();
  const watching = (async () => {
    let [locked, last] = [0, performance.now()];
    while (!ending.signal.aborted) {
      const isFree = await pool.query("select from graphs where id = $1 for share nowait", [graphId]).then(
        () => true,
        () => false,
      );
      const now = performance.now();
      if (!isFree) locked += now - last;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return locked;
  })();
  return {
    end() {
      ending.abort();
      return watching;
    },
  };
}
