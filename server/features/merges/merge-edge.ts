import { sameJson } from "@miranda/contract/json.ts";
import type { VersionEdge } from "@miranda/contract/schemas/versions.ts";

import type { Decisions } from "./decisions.ts";
import { threeWay } from "./three-way.ts";
import { written } from "./written-values.ts";

interface EdgeSides {
  base: VersionEdge | undefined;
  theirs: VersionEdge;
  mine: VersionEdge;
}

/** An edge that is on both sides. Its bends are layout: when both moved them, mine stay. */
export function mergeEdge(
  { base, theirs, mine }: EdgeSides,
  { key, nameOf, decisions }: { key: string; nameOf: (edge: VersionEdge) => string; decisions: Decisions },
): VersionEdge {
  const labels = { base: base && { value: base.label }, theirs: theirs.label, mine: mine.label };
  const decide = (): string => {
    const about = { kind: "edge", key, lineage: mine.target, name: nameOf(mine), field: "label" } as const;
    return decisions.decide({ ...labels, ...about, base: base?.label }, written.label);
  };
  const segments = base && sameJson(base.segments, mine.segments) ? theirs.segments : mine.segments;
  const label = threeWay(labels, decide);
  // Most edges of a large workflow are like this. The same object is not compared again later.
  return label === mine.label && sameJson(segments, mine.segments) ? mine : { ...mine, segments, label };
}
