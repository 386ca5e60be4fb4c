import { setTimeout as wait } from "node:timers/promises";
import { GraphmlError } from "../parse/graphml-error.ts";
import { describe, expect, test } from "vitest";
import { type ImportedRows, toRows } from "../../graph-import-rows.ts";
import { parseGraphml } from "../import.ts";
import { importInWorker } from "./call-worker.ts";

const text = `<graphml><graph id="Shop" edgedefault="directed"><desc>About it</desc><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>`;
const bytes = Buffer.from(text);

async function* inPieces(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 10) {
    await wait(1);
    yield bytes.subarray(at, at + 10);
  }
}

/** Rows without the ids, which are new for every import. */
function unpacked({ nodes, edges, report }: ImportedRows) {
  const parse = (parts: string[]) => parts.flatMap((part) => JSON.parse(part) as Record<string, unknown>[]);
  return { nodes: parse(nodes).map(({ id: _id, ...row }) => row), edges: parse(edges), report };
}

function largeFile(megabytes: number, nodes: number): Buffer {
  const note = "lorem ipsum dolor sit amet ".repeat(Math.floor((megabytes * 2 ** 20) / nodes / 27));
  const keys = `<key id="l" for="node" attr.name="label" attr.type="string"/><key id="t" for="node" attr.name="note" attr.type="string"/>`;
  const parts = [`<graphml>${keys}<graph edgedefault="directed">`];
  for (let node = 0; node < nodes; node++) {
    parts.push(`<node id="n${node}"><data key="l">Node ${node}</data><data key="t">${note}${node}</data></node>\n`);
    if (node > 0) parts.push(`<edge source="n${node >> 1}" target="n${node}"/>\n`);
  }
  return Buffer.from(`${parts.join("")}</graph></graphml>`);
}

/** The longest time this thread was blocked. CPU time, so a busy machine does not matter. */
function watchEventLoop() {
  let last = process.threadCpuUsage();
  let longest = 0;
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1000);
    last = now;
  }, 1);
  return {
    longest() {
      clearInterval(timer);
      return longest;
    },
  };
}

describe("the import thread", () => {
  test("returns what the importer returns, from bytes, a stream or a stream of text", async () => {
    const expected = unpacked(toRows(await parseGraphml(text), 0));
    expect(expected.nodes).toMatchObject([{ name: "a" }, { name: "b" }]);
    expect(unpacked(await importInWorker(bytes))).toEqual(expected);
    expect(unpacked(await importInWorker(inPieces()))).toEqual(expected);
    const asText = (async function* () {
      yield text;
    })();
    expect(unpacked(await importInWorker(asText))).toEqual(expected);
    expect(bytes.toString()).toBe(text);
  });

  test("reports what is wrong and where", async () => {
    const failed = importInWorker(Buffer.from("<graphml>\n<graph></graphml>"));
    await expect(failed).rejects.toBeInstanceOf(GraphmlError);
    await expect(failed).rejects.toMatchObject({
      line: 2,
      column: 17,
      message: expect.stringContaining("(line 2, column 17)") as string,
    });
    await expect(importInWorker(new Uint8Array(0))).rejects.toThrow("The file is empty.");
    await expect(importInWorker(bytes, { limits: { nodes: 1 } })).rejects.toThrow("more than 1 nodes");
  });

  test(
    "ends at its time limit, its memory limit, on abort, and when the stream fails",
    { timeout: 60_000 },
    async () => {
      const large = largeFile(20, 20_000);
      await expect(importInWorker(large, { timeLimit: 150 })).rejects.toThrow("This file takes too long to import.");
      await expect(importInWorker(large, { memoryLimitMb: 16 })).rejects.toThrow(
        "This file needs more memory than an import may use.",
      );
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      await expect(importInWorker(large, { signal: controller.signal })).rejects.toThrow(/abort/i);
      const broken = (async function* (): AsyncGenerator<Uint8Array> {
        yield bytes.subarray(0, 20);
        throw new Error("The upload broke.");
      })();
      await expect(importInWorker(broken)).rejects.toThrow("The upload broke.");
      const silent = (async function* (): AsyncGenerator<Uint8Array> {
        yield bytes.subarray(0, 20);
        await new Promise(() => undefined);
      })();
      await expect(importInWorker(silent, { timeLimit: 300 })).rejects.toThrow("takes too long");
      expect((await importInWorker(bytes)).report.nodes).toBe(2);
    },
  );

  test("finishes many imports at once", async () => {
    const graphs = await Promise.all(Array.from({ length: 6 }, () => importInWorker(bytes)));
    expect(graphs.map(({ report }) => report.nodes)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  test("imports 50 MB while the server's own thread stays free", { timeout: 60_000 }, async () => {
    const large = largeFile(50, 40_000);
    expect(large.length).toBeGreaterThan(50 * 2 ** 20);
    const turns = watchEventLoop();
    const { report } = await importInWorker(large);
    expect(report).toMatchObject({ nodes: 40_000, edges: 39_999 });
    expect(turns.longest()).toBeLessThan(500);
  });
});
