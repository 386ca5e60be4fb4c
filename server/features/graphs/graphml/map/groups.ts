import type { RawDocument } from "../parse/raw-graph.ts";
import type { ImportedGroup } from "../types.ts";
import { cut } from "./labels.ts";

// Tags have at most 100 characters, and a number may follow.
const longestName = 90;

export interface Groups {
  list: ImportedGroup[];
  /** The path of the nodes directly inside each graph. */
  paths: string[][];
}

/** Turns nested graphs, and several graphs side by side, into groups. Equal names get a number. */
export function readGroups(
  document: RawDocument,
  nameOfNode: (index: number) => string,
  nameOfGraph: (index: number) => string | undefined,
  keyOfNode: (index: number) => string,
): Groups {
  const tops = document.graphs.filter(({ parent }) => parent === undefined).length;
  const taken = new Map<string, number>();
  const byHolder = new Map<number, string[]>();
  const list: ImportedGroup[] = [];
  const paths: string[][] = [];

  function unique(parent: string[], name: string): string[] {
    const wanted = JSON.stringify([...parent, name]);
    const count = (taken.get(wanted) ?? 0) + 1;
    taken.set(wanted, count);
    return count === 1 ? [...parent, name] : unique(parent, `${name} (${count})`);
  }

  // A graph comes after the graph around it, so its parent's path is already known.
  for (const [index, graph] of document.graphs.entries()) {
    const around = graph.parent === undefined ? [] : (paths[graph.parent] ?? []);
    if (graph.parent === undefined && tops === 1) {
      paths.push([]);
      continue;
    }
    const known = graph.holder === undefined ? undefined : byHolder.get(graph.holder);
    if (known) {
      paths.push(known);
      continue;
    }
    const name = (graph.holder === undefined ? nameOfGraph(index) : nameOfNode(graph.holder)) ?? `Graph ${index + 1}`;
    const path = unique(around, cut(name, longestName));
    paths.push(path);
    if (graph.holder !== undefined) byHolder.set(graph.holder, path);
    list.push({ path, ...(graph.holder === undefined ? {} : { nodeKey: keyOfNode(graph.holder) }) });
  }
  return { list, paths };
}
