import type { RunDetails, RunNode } from "@miranda/contract/schemas/runs.ts";

import { type NodeState, nodeStateOf } from "../../../panels/runs/run-looks.ts";

export interface ComparedSide {
  state: NodeState;
  seconds: number;
  cost: number;
  fires: number;
}

/** A node in two runs. A side is missing when the node was not part of that run. */
export interface ComparedNode {
  key: number;
  name: string;
  before: ComparedSide | undefined;
  after: ComparedSide | undefined;
  /** How much longer it took afterwards, in seconds. */
  longer: number;
}

const sideOf = (node: RunNode): ComparedSide => ({
  state: nodeStateOf(node),
  seconds: node.seconds,
  cost: node.cost,
  fires: node.fires,
});

/** The nodes of two runs side by side: those whose time changed most come first. */
export function comparedNodes(before: RunDetails, after: RunDetails): ComparedNode[] {
  const earlier = new Map(before.run_nodes.map((node) => [node.wob_key, node]));
  const later = new Map(after.run_nodes.map((node) => [node.wob_key, node]));
  return [...new Set([...later.keys(), ...earlier.keys()])]
    .flatMap((key) => {
      const [one, other] = [earlier.get(key), later.get(key)];
      const known = other ?? one;
      if (!known) return [];
      return {
        key,
        name: known.name,
        before: one && sideOf(one),
        after: other && sideOf(other),
        longer: (other?.seconds ?? 0) - (one?.seconds ?? 0),
      };
    })
    .toSorted((one, other) => Math.abs(other.longer) - Math.abs(one.longer) || one.name.localeCompare(other.name));
}

export interface ComparedPackage {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

/** The packages that differ, and how many are the same. */
export function comparedPackages(before: RunDetails, after: RunDetails): { changed: ComparedPackage[]; same: number } {
  const names = [...new Set([...Object.keys(before.packages), ...Object.keys(after.packages)])].toSorted();
  const all = names.map((name) => ({ name, before: before.packages[name], after: after.packages[name] }));
  if (before.python !== after.python)
    all.unshift({ name: "Python", before: before.python || undefined, after: after.python || undefined });
  const changed = all.filter((one) => one.before !== one.after);
  return { changed, same: all.length - changed.length };
}

/** A node that failed or was stopped ended early: how long it took says nothing. */
export function nodeChangeWords({ before, after }: ComparedNode): string {
  if (!before || !after) return before ? "only before" : "only after";
  return before.state === "done" && after.state === "done" ? changeWords(before.seconds, after.seconds) : "";
}

/** "2.1 times as long", "30 % shorter", "as long". Less than a twentieth is noise. */
export function changeWords(before: number, after: number): string {
  if (before <= 0 || after <= 0) return "";
  const share = after / before;
  if (Math.abs(share - 1) < 0.05) return "as long";
  if (share >= 2) return `${Number(share.toPrecision(2)).toLocaleString("en")} times as long`;
  return share > 1 ? `${Math.round((share - 1) * 100)} % longer` : `${Math.round((1 - share) * 100)} % shorter`;
}
