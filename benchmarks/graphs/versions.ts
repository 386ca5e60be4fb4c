import pg from "pg";
import { zstdCompressSync } from "node:zlib";

import { versionsOf } from "../../server/testing/versions/versions.ts";
import { addNodes } from "../full/large-things.ts";
import { type Measurement, median, sized } from "../measuring/measurement.ts";
import { openProduct } from "../measuring/product.ts";
import { merges } from "./merges.ts";
import { stepCode } from "./step-code.ts";

// Stores versions of a workflow of 5,000 nodes, and merges it with its clone. Each node has code of its own, which declares what the others' does. The
// bare baseline reads the rows, makes JSON of them and compresses it.

const nodeCount = sized(5_000, { tiny: 50 });
const rounds = sized(7);
const budgets = { milliseconds: 300, ratio: 3, bytes: 1.25 } as const;

export async function versions(): Promise<Measurement[]> {
  const product = await openProduct();
  const { bench } = product;
  const pool = new pg.Pool({ connectionString: product.databaseUrl, max: 1 });
  const { made } = versionsOf(bench.owner, bench.graphId);

  /** Every part is new. */
  async function changeAll(round: number): Promise<void> {
    await pool.query("update nodes set source_code = source_code || $2 || metadata_id where graph_id = $1", [
      bench.graphId,
      `\n# ${round} `,
    ]);
    await pool.query("vacuum analyze nodes");
  }

  async function timed(work: () => Promise<unknown>): Promise<number> {
    const began = performance.now();
    await work();
    return performance.now() - began;
  }

  async function bare(): Promise<void> {
    const { rows } = await pool.query("select * from nodes where graph_id = $1", [bench.graphId]);
    const edges = await pool.query("select * from edges where graph_id = $1", [bench.graphId]);
    zstdCompressSync(JSON.stringify([rows, edges.rows]));
  }

  async function storedBytes(): Promise<number> {
    const { rows } = await pool.query<{ bytes: number }>(
      `select (select coalesce(sum(length(content)), 0) from version_parts)
        + (select coalesce(sum(pg_column_size(parts)), 0) from graph_versions) as bytes`,
    );
    return Number(rows[0]?.bytes);
  }

  try {
    const node = await bench.node(stepCode);
    await addNodes(pool, bench.graphId, node, nodeCount);
    const [ours, bares]: [number[], number[]] = [[], []];
    for (let round = -2; round < rounds; round += 1) {
      await changeAll(round);
      const [mine, theirs] = [await timed(() => made(`Round ${round}`)), await timed(bare)];
      if (round < 0) continue;
      ours.push(mine);
      bares.push(theirs);
    }
    await pool.query("delete from graph_versions");
    await pool.query("delete from version_parts");
    await made("One");
    const one = await storedBytes();
    for (let version = 2; version <= 10; version += 1) {
      await bench.owner.patch(`/api/v3/objects/${node}`, { name: `Version ${version}` });
      await made(`Version ${version}`);
    }
    const ten = await storedBytes();
    const [mine, theirs] = [median(ours), median(bares)];
    return [
      {
        name: `storing a version of ${nodeCount} nodes, all of them changed`,
        ours: `${mine.toFixed(0)} ms`,
        bare: `${theirs.toFixed(0)} ms`,
        ratio: (mine / theirs).toFixed(2),
        budget: `${budgets.milliseconds} ms or ratio ${budgets.ratio}`,
        passes: mine <= budgets.milliseconds || mine / theirs <= budgets.ratio,
      },
      {
        name: "ten versions that differ in one node",
        ours: `${(ten / 1024).toFixed(0)} kB`,
        bare: `one version: ${(one / 1024).toFixed(0)} kB`,
        ratio: (ten / one).toFixed(2),
        budget: `ratio ${budgets.bytes}`,
        passes: ten / one <= budgets.bytes,
      },
      ...(await merges(bench, pool)),
    ];
  } finally {
    await pool.end();
    await product.close();
  }
}
