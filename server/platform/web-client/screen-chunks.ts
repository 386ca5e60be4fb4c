import type { Plugin } from "vite";

/** How many files a screen may need. */
const filesMost = 28;
/** Opened most, and first: what it does not need counts as much as on this many other screens. */
const home = /screens\/home\/home-screen\.tsx$/;
const homeWeight = 10;
/** Hundreds of very small files, each for other screens. All screens but home share one. */
const icon = /\/lucide-react\/.+\/icons\//;

interface Chunk {
  /** The screens that need all of it. */
  screens: ReadonlySet<string>;
  modules: Set<string>;
  /** Of source. */
  bytes: number;
}

/**
 * Decides which modules share a file. Left alone, the bundler makes a file of every set of modules that the same screens
 * need: the editor would load 160 of them. Here small ones join files that few other screens load. A part that is loaded
 * later, such as a dialog, keeps a file of its own.
 */
export function screenChunks(routes: RegExp) {
  const chunkOf = new Map<string, { name: string; screens: number }>();

  const plugin: Plugin = {
    name: "miranda-screen-chunks",
    apply: "build",
    buildEnd(error) {
      // The bundler says what is wrong.
      if (error) return;
      const ids = [...this.getModuleIds()];
      const page = ids.find((id) => this.getModuleInfo(id)?.isEntry);
      const list = ids.find((id) => routes.test(id));
      if (page === undefined || list === undefined) throw new Error("The routes of the screens were not found.");
      const screens = this.getModuleInfo(list)?.dynamicallyImportedIds ?? [];
      const importsOf = (id: string) => this.getModuleInfo(id)?.importedIds ?? [];
      const all = new Set([page, ...screens]);
      const allButHome = new Set(screens.filter((screen) => !home.test(screen)));
      const screensOf = (id: string, own: ReadonlySet<string>) => {
        // What the page itself needs, every screen has.
        if (own.has(page)) return all;
        return icon.test(id) && isWithin(own, allButHome) ? allButHome : own;
      };
      const chunks = new Map<string, Chunk>();
      for (const [id, own] of screensByModule([page, ...screens], importsOf)) {
        const needing = screensOf(id, own);
        const key = [...needing].toSorted().join();
        const chunk = chunks.get(key) ?? { screens: needing, modules: new Set(), bytes: 0 };
        chunks.set(key, chunk);
        chunk.modules.add(id);
        chunk.bytes += this.getModuleInfo(id)?.code?.length ?? 0;
      }
      for (const [at, { modules, screens: needing }] of mergeChunks([...chunks.values()]).entries())
        if (needing.size > 1) for (const id of modules) chunkOf.set(id, { name: `part-${at}`, screens: needing.size });
    },
    // The widest first: a file takes what its modules import along, unless a wider one has it already.
    outputOptions: (options) => ({
      ...options,
      codeSplitting: {
        groups: Array.from({ length: widest + 1 }, (_, screens) => ({
          priority: screens,
          name(id: string) {
            const chunk = chunkOf.get(id);
            return chunk && Math.min(chunk.screens, widest) === screens ? chunk.name : null;
          },
        })),
      },
    }),
  };
  return plugin;
}

/** More screens than there are. */
const widest = 200;

/** The screens that load each module when they open. */
function screensByModule(screens: readonly string[], importsOf: (id: string) => readonly string[]) {
  const found = new Map<string, Set<string>>();
  for (const screen of screens) {
    const waiting = [screen];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const known = found.get(id) ?? new Set();
      if (known.has(screen)) continue;
      found.set(id, known.add(screen));
      waiting.push(...importsOf(id));
    }
  }
  return found;
}

/** Merges chunks, those first that make screens load least for nothing, until no screen needs too many files. */
function mergeChunks(chunks: readonly Chunk[]): Chunk[] {
  const kept = new Set(chunks);
  for (;;) {
    const counts = new Map<string, number>();
    for (const { screens } of kept) for (const screen of screens) counts.set(screen, (counts.get(screen) ?? 0) + 1);
    const crowded = new Set([...counts].filter(([, count]) => count > filesMost).map(([screen]) => screen));
    const best = crowded.size > 0 ? cheapestMerge(kept, crowded) : undefined;
    if (!best) return [...kept];
    const { chunk, into } = best;
    kept.delete(chunk);
    into.bytes += chunk.bytes;
    for (const id of chunk.modules) into.modules.add(id);
  }
}

/** Of the chunks that crowded screens need, the one that best joins a chunk of the same screens and more. */
function cheapestMerge(chunks: ReadonlySet<Chunk>, crowded: ReadonlySet<string>) {
  let best: { chunk: Chunk; into: Chunk; waste: number } | undefined;
  for (const chunk of chunks) {
    if (chunk.screens.size === 1 || ![...crowded].some((screen) => chunk.screens.has(screen))) continue;
    for (const into of chunks) {
      if (into.screens.size <= chunk.screens.size) continue;
      const waste = chunk.bytes * (weightOf(into.screens) - weightOf(chunk.screens));
      if ((!best || waste < best.waste) && isWithin(chunk.screens, into.screens)) best = { chunk, into, waste };
    }
  }
  return best;
}

function isWithin(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  for (const one of some) if (!all.has(one)) return false;
  return true;
}

function weightOf(screens: ReadonlySet<string>): number {
  return screens.size + ([...screens].some((screen) => home.test(screen)) ? homeWeight : 0);
}
