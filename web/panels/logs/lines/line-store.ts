import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import { createStore } from "../../../store.ts";

export const blockLines = 4_096;
/** The oldest lines above this number are dropped. A browser draws nothing taller than about 33 million pixels. */
const maxLines = 1_500_000;

interface Block {
  count: number;
  texts: string[];
  tags: Uint8Array;
  times: Float64Array;
  /** The number of each line. */
  ids: Float64Array;
  /** Whether a line is the first line of its entry. */
  starts: Uint8Array;
  /** The node that printed each line; 0 when unknown. */
  nodes: Float64Array;
}

export interface Line {
  id: number;
  text: string;
  tag: number;
  time: number;
  /** The node that printed it; 0 when unknown. */
  node: number;
}

/** What the lines of an entry have in common. */
type Print = Pick<Line, "tag" | "node" | "time">;

export type LineStore = ReturnType<typeof createLineStore>;

function emptyBlock(): Block {
  return {
    count: 0,
    texts: [],
    tags: new Uint8Array(blockLines),
    times: new Float64Array(blockLines),
    ids: new Float64Array(blockLines),
    starts: new Uint8Array(blockLines),
    nodes: new Float64Array(blockLines),
  };
}

/** A block with space for lines that come before others. */
function fullBlock(): Block {
  return { ...emptyBlock(), count: blockLines, texts: Array.from({ length: blockLines }, () => "") };
}

interface Written {
  text: string;
  print: Print;
  id: number;
  isStart: boolean;
}

function write(block: Block, at: number, { text, print, id, isStart }: Written): void {
  block.texts[at] = text;
  block.tags[at] = print.tag;
  block.times[at] = print.time;
  block.nodes[at] = print.node;
  block.ids[at] = id;
  block.starts[at] = isStart ? 1 : 0;
}

/**
 * The lines of one log, in blocks, so that a million lines cost little and the last lines can be replaced. A line's
 * index never changes; dropping lines at the front raises `first`.
 */
export function createLineStore(limit = maxLines) {
  /** The first index that was replaced in the last frame; infinity when lines were only added. */
  const lastChange = createStore(Number.POSITIVE_INFINITY);
  let blocks: Block[] = [];
  /** Where the first block begins. In a block that was added at the front and is not full, lines begin later. */
  let origin = 0;
  let first = 0;
  let end = 0;
  let resets = 0;
  let extensions = 0;
  /** By how much earlier lines have raised the index of the lines that were here. */
  let moved = 0;
  /** The lowest index that was replaced in this frame. */
  let replacedFrom = Number.POSITIVE_INFINITY;
  let scheduled = false;
  /** Whether the last line is still being written. */
  let isUnfinished = false;

  /** Calls the watchers once per frame, however many lines come. */
  function changed(): void {
    if (scheduled) return;
    scheduled = true;
    nextFrame(() => {
      scheduled = false;
      const from = replacedFrom;
      replacedFrom = Number.POSITIVE_INFINITY;
      lastChange.set(from);
    });
  }

  function blockOf(index: number): Block {
    const block = blocks[Math.floor((index - origin) / blockLines)];
    if (!block) throw new Error(`There is no line ${index}.`);
    return block;
  }

  const within = (index: number): number => (index - origin) % blockLines;
  // The arrays of numbers are as long as their block, so there is a number at every place.
  const idAt = (index: number): number => blockOf(index).ids[within(index)] ?? 0;
  const textAt = (index: number): string | undefined => blockOf(index).texts[within(index)];

  function push(text: string, print: Print, id: number, isStart: boolean): void {
    let block = blocks.at(-1);
    if (!block || block.count === blockLines) {
      block = emptyBlock();
      blocks.push(block);
    }
    write(block, block.count, { text, print, id, isStart });
    block.count += 1;
    end += 1;
  }

  function add(entry: LogEntry, skip = 0): void {
    const print = { tag: entry.tag, node: entry.wob_key ?? 0, time: Date.parse(entry.timestamp) };
    const lines = linesOf(entry.message);
    let at = skip;
    for (const text of skip === 0 ? lines : lines.slice(skip)) {
      push(text, print, entry.id + at, at === skip);
      at += 1;
    }
    while (end - first > limit && blocks.length > 1) {
      blocks.shift();
      origin += blockLines;
      first = origin;
    }
  }

  function truncate(index: number): void {
    for (let block = blocks.at(-1); block && end > index; block = blocks.at(-1)) {
      const gone = Math.min(block.count, end - index);
      block.count -= gone;
      block.texts.length = block.count;
      end -= gone;
      if (block.count === 0) blocks.pop();
    }
    if (end === first) {
      blocks = [];
      origin = first;
    }
    replacedFrom = Math.min(replacedFrom, index);
  }

  const lastId = (): number => (end > first ? idAt(end - 1) : Number.NEGATIVE_INFINITY);
  const firstId = (): number => (end > first ? idAt(first) : Number.POSITIVE_INFINITY);

  function appendOne(entry: LogEntry): void {
    const lines = linesOf(entry.message);
    const known = end > first ? lastId() - entry.id + 1 : 0;
    // Older than the last line, so it is here.
    if (known > lines.length) return;
    if (known <= 0) add(entry);
    else if (lines[known - 1] !== textAt(end - 1) || blockOf(end - 1).tags[within(end - 1)] !== entry.tag) {
      truncate(end - 1);
      add(entry, known - 1);
    } else if (known < lines.length) add(entry, known);
    isUnfinished = entry.unfinished === true;
  }

  return {
    size: () => end - first,
    first: () => first,
    end: () => end,
    /** Counts how often all lines were replaced. */
    resets: () => resets,
    /** Counts how often lines were added at the start. */
    extensions: () => extensions,
    moved: () => moved,
    lastId,
    firstId,
    /** The levels of the lines from here to the end of their block, for loops over all lines. */
    tagsFrom(index: number): Uint8Array {
      const block = blockOf(index);
      return block.tags.subarray(within(index), block.count);
    },
    /** The texts of the lines from here to the end of their block. */
    textsFrom(index: number): string[] {
      return blockOf(index).texts.slice(within(index));
    },

    /** Undefined when the line was dropped and the caller does not know yet. */
    lineAt(index: number): Line | undefined {
      if (index < first || index >= end) return undefined;
      const block = blockOf(index);
      const at = within(index);
      return {
        id: block.ids[at] ?? 0,
        text: block.texts[at] ?? "",
        tag: block.tags[at] ?? 0,
        time: block.times[at] ?? 0,
        node: block.nodes[at] ?? 0,
      };
    },

    /** The number of the last line that is whole. The one after it may be here, unfinished. */
    wholeId: (): number => (isUnfinished ? lastId() - 1 : lastId()),

    /** Adds new lines. Known lines stay; only the last one may have come while it was still being written. */
    append(entries: readonly LogEntry[]): void {
      for (const entry of entries) appendOne(entry);
      if (entries.length > 0) changed();
    },

    /** Takes the end of a fetched log: adds what is missing, or replaces all when there are lines missing in between. */
    merge(entries: readonly LogEntry[]): void {
      const [oldest] = entries;
      if (!oldest) return;
      if (end === first || !isNumbered(entries) || oldest.id > lastId() + 1) return this.reset(entries);
      this.append(entries);
    },

    /**
     * Adds earlier lines, up to where the known lines begin. The known lines stay in their blocks, so the cost does not
     * depend on how many there are.
     */
    prepend(entries: readonly LogEntry[]): void {
      const known = firstId();
      const earlier: Written[] = [];
      for (const entry of entries) {
        const print = { tag: entry.tag, node: entry.wob_key ?? 0, time: Date.parse(entry.timestamp) };
        linesOf(entry.message).forEach((text, at) => {
          if (entry.id + at < known) earlier.push({ text, print, id: entry.id + at, isStart: at === 0 });
        });
      }
      if (earlier.length === 0) return;
      const taken = first - origin;
      // Fill the free space of the first block: only full blocks can stand before others.
      const more = Math.max(0, Math.ceil((earlier.length - taken) / blockLines));
      const start = more * blockLines + taken - earlier.length;
      const raise = start + earlier.length - first;
      blocks = [...Array.from({ length: more }, fullBlock), ...blocks];
      origin = 0;
      first = start;
      end += raise;
      moved += raise;
      earlier.forEach((line, at) => write(blockOf(start + at), within(start + at), line));
      resets += 1;
      extensions += 1;
      replacedFrom = 0;
      changed();
    },

    reset(entries: readonly LogEntry[]): void {
      blocks = [];
      origin = 0;
      first = 0;
      end = 0;
      resets += 1;
      replacedFrom = 0;
      for (const entry of entries) add(entry);
      isUnfinished = entries.at(-1)?.unfinished === true;
      changed();
    },

    /** The watcher gets the first index that was replaced; infinity when lines were only added. */
    watch(watcher: (replacedFrom: number) => void): () => void {
      return lastChange.watch(() => watcher(lastChange.get()));
    },
  };
}

/** A hidden page gets no frames, but its lines must be processed. */
function nextFrame(work: () => void): void {
  if (typeof requestAnimationFrame === "function" && !document.hidden) requestAnimationFrame(work);
  else setTimeout(work, 250);
}

function linesOf(message: string): string[] {
  const text = message.endsWith("\n") ? message.slice(0, -1) : message;
  const lines = text.split("\n");
  return text.includes("\r") ? lines.map(afterReturn) : lines;
}

/** A progress bar rewrites its line again and again; a terminal shows what it wrote last. */
function afterReturn(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf("\r") + 1);
}

function isNumbered(entries: readonly LogEntry[]): boolean {
  return entries.every((entry, at) => {
    const before = entries[at - 1];
    return !before || entry.id > before.id;
  });
}
