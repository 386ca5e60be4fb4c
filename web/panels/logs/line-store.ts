import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import { createStore } from "../../store.ts";

export const blockLines = 4_096;
/** Beyond this the oldest go. A browser draws nothing taller than some 33 million pixels. */
const mostLines = 1_500_000;

interface Block {
  count: number;
  texts: string[];
  tags: Uint8Array;
  times: Float64Array;
  /** The number of each line. */
  ids: Float64Array;
  /** Whether a line is the first of an entry as it came. */
  starts: Uint8Array;
  /** The node that printed each line; 0 where nobody knows. */
  nodes: Float64Array;
}

export interface Line {
  id: number;
  text: string;
  tag: number;
  time: number;
  /** The node that printed it; 0 where nobody knows. */
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

/** A block with room for lines that come before others. */
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
 * The lines of one log, in blocks, so that a million of them cost little and the last ones can be replaced. A line's
 * index stays the same for its whole life: those that are dropped at the front leave `first` higher.
 */
export function createLineStore(most = mostLines) {
  /** From which index on lines were replaced in the last frame; infinity when lines were only added. */
  const lastChange = createStore(Number.POSITIVE_INFINITY);
  let blocks: Block[] = [];
  /** Where the first block begins; lines begin later in one that was put before others and is not full. */
  let origin = 0;
  let first = 0;
  let end = 0;
  let resets = 0;
  let extensions = 0;
  /** By how much lines that came before have raised the index of those that were here. */
  let moved = 0;
  /** The lowest index that was replaced in this frame. */
  let replacedFrom = Number.POSITIVE_INFINITY;
  let scheduled = false;

  /** However much comes, whoever draws is told once a frame. */
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

  const blockOf = (index: number): Block => blocks[Math.floor((index - origin) / blockLines)] as Block;
  const within = (index: number): number => (index - origin) % blockLines;
  const idAt = (index: number): number => blockOf(index).ids[within(index)] as number;

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
    for (let at = skip; at < lines.length; at += 1) push(lines[at] as string, print, entry.id + at, at === skip);
    while (end - first > most && blocks.length > 1) {
      blocks.shift();
      origin += blockLines;
      first = origin;
    }
  }

  function truncate(index: number): void {
    while (end > index) {
      const block = blocks.at(-1) as Block;
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

  /** Where the entry with this number begins; only among the last lines, for only those are ever replaced. */
  function startOf(id: number): number | undefined {
    for (let index = end - 1; index >= first && index >= end - blockLines; index -= 1) {
      const known = idAt(index);
      if (known < id) return undefined;
      if (known === id && blockOf(index).starts[within(index)] === 1) return index;
    }
    return undefined;
  }

  const lastId = (): number => (end > first ? idAt(end - 1) : Number.NEGATIVE_INFINITY);
  const firstId = (): number => (end > first ? idAt(first) : Number.POSITIVE_INFINITY);

  return {
    size: () => end - first,
    first: () => first,
    end: () => end,
    /** Counts how often everything was replaced. */
    resets: () => resets,
    /** Counts how often that was to make it longer at its beginning. */
    extensions: () => extensions,
    moved: () => moved,
    lastId,
    firstId,
    /** The levels of the lines from here to the end of their block, for loops over all of them. */
    tagsFrom(index: number): Uint8Array {
      const block = blockOf(index);
      return block.tags.subarray(within(index), block.count);
    },
    /** The lines from here to the end of their block. */
    textsFrom(index: number): string[] {
      return blockOf(index).texts.slice(within(index));
    },
    tagAt: (index: number): number => blockOf(index).tags[within(index)] as number,
    textAt: (index: number): string => blockOf(index).texts[within(index)] as string,

    /** Undefined when the line has gone and whoever draws does not know it yet. */
    lineAt(index: number): Line | undefined {
      if (index < first || index >= end) return undefined;
      const block = blockOf(index);
      const at = within(index);
      return {
        id: block.ids[at] as number,
        text: block.texts[at] as string,
        tag: block.tags[at] as number,
        time: block.times[at] as number,
        node: block.nodes[at] as number,
      };
    },

    /** Lines as they are told. One with a number that is there already replaces it and what follows. */
    append(entries: readonly LogEntry[]): void {
      for (const entry of entries) {
        const at = startOf(entry.id);
        if (at !== undefined) truncate(at);
        add(entry);
      }
      if (entries.length > 0) changed();
    },

    /** The log as it was fetched: what is already here stays, what is missing at the end is added. */
    merge(entries: readonly LogEntry[]): void {
      const [oldest] = entries;
      if (!oldest) return;
      const last = lastId();
      if (end === first || !isNumbered(entries) || oldest.id > last + 1) return this.reset(entries);
      for (const entry of entries) {
        const lines = linesOf(entry.message);
        const skip = last - entry.id + 1;
        const sameLine = lines[skip - 1];
        // The last line may have been told while it was still being written.
        if (sameLine !== undefined && sameLine !== this.textAt(end - 1) && lastId() === last) {
          truncate(end - 1);
          add(entry, skip - 1);
        } else if (skip < lines.length) add(entry, Math.max(0, skip));
      }
      changed();
    },

    /**
     * Lines that come before those that are here, up to where these begin. Those stay in their blocks: however many they
     * are, none is looked at.
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
      // What the first block still has room for goes there: only full blocks can stand before others.
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
      changed();
    },

    /** Told from which index on lines have been replaced; infinity when lines only came. */
    watch(watcher: (replacedFrom: number) => void): () => void {
      return lastChange.watch(() => watcher(lastChange.get()));
    },
  };
}

/** A page that nobody sees gets no frames, yet its lines have to be sorted in. */
function nextFrame(work: () => void): void {
  if (typeof requestAnimationFrame === "function" && !document.hidden) requestAnimationFrame(work);
  else setTimeout(work, 250);
}

function linesOf(message: string): string[] {
  const text = message.endsWith("\n") ? message.slice(0, -1) : message;
  const lines = text.split("\n");
  return text.includes("\r") ? lines.map(afterReturn) : lines;
}

/** A progress bar writes its line again and again; what it wrote last is what a terminal shows. */
function afterReturn(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf("\r") + 1);
}

function isNumbered(entries: readonly LogEntry[]): boolean {
  return entries.every((entry, at) => at === 0 || entry.id > (entries[at - 1] as LogEntry).id);
}
