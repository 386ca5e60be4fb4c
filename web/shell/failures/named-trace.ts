/** Where the code of a built file came from. */
interface SourceMap {
  sources: readonly string[];
  mappings: string;
}

/** A place in a source file, and the column of the built file that it belongs to. */
interface Segment {
  column: number;
  source: number;
  line: number;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const frame = /^(\s*at )(?:\S+ )?\(?(https?:\/\/[^\s)]+\.js):(\d+):(\d+)\)?$/;

/** The trace with the files and lines of our sources. In the built files the names of components are shortened. */
export async function namedTrace(trace: string): Promise<string> {
  const maps = new Map<string, Promise<Segment[][] | undefined>>();
  const sources = new Map<string, readonly string[]>();

  async function load(file: string): Promise<Segment[][] | undefined> {
    if (new URL(file).origin !== location.origin) return undefined;
    const answer = await fetch(`${file}.map`);
    if (!answer.ok) return undefined;
    const map = (await answer.json()) as SourceMap;
    sources.set(file, map.sources);
    return readMappings(map.mappings);
  }

  async function named(line: string): Promise<string> {
    const [, at, file, row, column] = frame.exec(line) ?? [];
    if (at === undefined || file === undefined) return line;
    const loading = maps.get(file) ?? load(file).catch(() => undefined);
    maps.set(file, loading);
    const segments = (await loading)?.[Number(row) - 1] ?? [];
    // The last one that begins before the place. Columns of a trace count from 1.
    const found = segments.findLast((segment) => segment.column < Number(column));
    const source = found && sources.get(file)?.[found.source];
    if (!found || source === undefined) return line;
    return `${at}${source.replace(/^(?:\.\.\/)+/, "")}:${found.line + 1}`;
  }
  return (await Promise.all(trace.split("\n").map(named))).join("\n");
}

/** Reads the mappings of a source map: for each line of the built file, where its parts came from. */
export function readMappings(mappings: string): Segment[][] {
  let [source, line] = [0, 0];
  return mappings.split(";").map((row) => {
    let column = 0;
    return row.split(",").flatMap((text): Segment[] => {
      const [byColumn, bySource, byLine] = numbersIn(text);
      column += byColumn ?? 0;
      if (bySource === undefined || byLine === undefined) return [];
      source += bySource;
      line += byLine;
      return [{ column, source, line }];
    });
  });
}

/** Base64 digits of five bits each, the lowest first; the lowest bit of a number is its sign. */
function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of text) {
    const bits = digits.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if ((bits & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
