import type { Resolution } from "@miranda/contract/schemas/versions.ts";
import { describe, expect, it } from "vitest";

import { type Facts, factsOf } from "../../testing/versions/content-facts.ts";
import {
  type Author,
  createRandom,
  draftOf,
  type Random,
  randomContent,
  randomEdits,
} from "../../testing/versions/random-edits.ts";
import type { VersionContent } from "../versions/version-content.ts";
import type { Resolutions } from "./decisions.ts";
import { mergeContents, type MergeSides } from "./merge-contents.ts";

const pairs = 1_000;

/** A workflow and two histories of edits on it. */
function randomSides(random: Random): MergeSides & { base: VersionContent } {
  const base = randomContent(random);
  const [theirs, mine] = [draftOf(base), draftOf(base)];
  randomEdits(theirs, random, { name: "theirs", written: 0 }, random.below(14));
  randomEdits(mine, random, { name: "mine", written: 0 }, random.below(14));
  return { base, theirs, mine };
}

function randomResolutions(sides: MergeSides, random: Random): Record<string, Resolution> {
  const chosen = mergeContents(sides, {}).conflicts.map(({ id, kind }) => {
    const isWritten = (kind === "code" || kind === "value") && random.below(4) === 0;
    const side = random.below(2) === 0 ? "mine" : "theirs";
    return [id, isWritten ? { value: `written-${random.below(99)}\n` } : side] as const;
  });
  return Object.fromEntries(chosen);
}

function mirrored(resolutions: Resolutions): Record<string, Resolution> {
  const other = { mine: "theirs", theirs: "mine" } as const;
  const swapped = Object.entries(resolutions).map(
    ([id, side]) => [id, typeof side === "string" ? other[side] : side] as const,
  );
  return Object.fromEntries(swapped);
}

function forEachPair(check: (sides: MergeSides & { base: VersionContent }, random: Random) => void): void {
  for (let seed = 1; seed <= pairs; seed++) {
    try {
      const random = createRandom(seed);
      check(randomSides(random), random);
    } catch (error) {
      throw new Error(`Seed ${seed}`, { cause: error });
    }
  }
}

/** As one text: comparing long lists takes many times longer. */
const textOf = (content: VersionContent): string =>
  [...factsOf(content)]
    .map((fact) => fact.join(" "))
    .toSorted()
    .join("\n");

/** What must exist for a fact to mean something: its node, the ends of its edge, its group and the member. */
function neededBy(fact: string): string[] {
  const [kind = "", key = "", part, member = ""] = fact.split(" ");
  const self = part === undefined ? [] : [`${kind} ${key}`];
  if (kind === "edge") return [...self, ...key.split('"').flatMap((end) => (end.length === 36 ? [`node ${end}`] : []))];
  return part === "member" ? [...self, `node ${member}`] : self;
}

/** The id of the conflict about a fact. */
function conflictAbout(fact: string): string {
  const [kind = "", key = "", part = "", field = ""] = fact.split(" ");
  if (kind !== "node") return [kind, key, part].join(":");
  if (part === "") return `deleted:${key}:`;
  return part === "value" ? `value:${key}:${field}` : `setting:${key}:${part === "body" ? `body.${field}` : part}`;
}

describe("a merge of 1,000 random pairs of edit histories", () => {
  it("has every edit of either side, except where a person decided", () => {
    forEachPair((sides, random) => {
      const resolutions = randomResolutions(sides, random);
      const { merged, conflicts } = mergeContents(sides, resolutions);
      const ids = new Set(conflicts.map(({ id }) => id));
      const [base, theirs, mine] = [factsOf(sides.base), factsOf(sides.theirs), factsOf(sides.mine)];
      const result = factsOf(merged);
      const wrong = [...new Set([base, theirs, mine, result].flatMap((facts) => [...facts.keys()]))].filter((fact) => {
        const isThere = (facts: Facts): boolean => neededBy(fact).every((other) => facts.has(other));
        // The test of lines checks code. What belongs to a deleted object goes with it.
        if (fact.endsWith(" source_code") || !isThere(result)) return false;
        const [was, is] = [base.get(fact), result.get(fact)];
        // Where one side deleted the object and the deletion lost, that side did not change what belongs to it.
        const [there, here] = [theirs, mine].map((facts) => (isThere(facts) ? facts.get(fact) : was));
        const id = conflictAbout(fact);
        const isConflict = there !== here && was !== there && was !== here;
        if (!ids.has(id)) return isConflict || is !== (was === there ? here : there);
        const isObject = fact.split(" ").length === 2;
        if (!isConflict && !isObject) return true;
        const resolution = resolutions[id] ?? "mine";
        if (typeof resolution !== "string") return is !== JSON.stringify(resolution.value);
        return is !== (resolution === "mine" ? here : there);
      });
      expect(wrong).toEqual([]);
    });
  });

  it("asks about every object that one side deleted and the other edited", () => {
    forEachPair((sides) => {
      const ids = new Set(mergeContents(sides, {}).conflicts.map(({ id }) => id));
      const [base, theirs, mine] = [factsOf(sides.base), factsOf(sides.theirs), factsOf(sides.mine)];
      const wrong = [...sides.base.nodes.keys()].filter((lineage) => {
        const left = sides.mine.nodes.has(lineage) ? mine : theirs;
        const isDeleted = sides.mine.nodes.has(lineage) !== sides.theirs.nodes.has(lineage);
        const about = (facts: Facts): string =>
          [...facts]
            .flatMap(([fact, value]) => (fact.startsWith(`node ${lineage}`) ? `${fact} ${value}` : []))
            .toSorted()
            .join("\n");
        return ids.has(`deleted:${lineage}:`) !== (isDeleted && about(left) !== about(base));
      });
      expect(wrong).toEqual([]);
    });
  });

  it("has every line that one side wrote and none that one side removed, except where a person decided", () => {
    forEachPair((sides, random) => {
      const resolutions = randomResolutions(sides, random);
      const { merged, conflicts } = mergeContents(sides, resolutions);
      for (const [lineage, node] of merged.nodes) {
        const codes = [sides.base, sides.theirs, sides.mine].map((side) => side.nodes.get(lineage)?.source_code);
        const [base, theirs, mine] = codes.map((code) => code?.split("\n"));
        if (!base || !theirs || !mine) continue;
        const decided = new Set(
          conflicts
            .filter((conflict) => conflict.kind === "code" && conflict.lineage === lineage)
            .flatMap(({ base: old, theirs: there, mine: here }) => [old, there, here].join("\n").split("\n")),
        );
        const result = node.source_code.split("\n");
        const wrong = [...new Set([...base, ...theirs, ...mine])].filter((line) => {
          if (line === "    pass" || line === "" || decided.has(line)) return false;
          const stays = [theirs, mine].every((side) => side.includes(line)) || !base.includes(line);
          return result.includes(line) !== stays;
        });
        expect(wrong).toEqual([]);
      }
    });
  });

  it("gives the same workflow whichever side merges", () => {
    forEachPair((sides, random) => {
      const resolutions = randomResolutions(sides, random);
      const one = mergeContents(sides, resolutions);
      const swapped = { base: sides.base, theirs: sides.mine, mine: sides.theirs };
      const other = mergeContents(swapped, mirrored(resolutions));
      const ids = (conflicts: readonly { id: string }[]) => conflicts.map(({ id }) => id).toSorted();
      expect(ids(one.conflicts)).toEqual(ids(other.conflicts));
      expect(textOf(one.merged)).toBe(textOf(other.merged));
    });
  });

  it("has no edge and no member without its node, and the keys of its objects", () => {
    forEachPair((sides, random) => {
      const { nodes, edges, groups } = mergeContents(sides, randomResolutions(sides, random)).merged;
      expect([...edges.values()].filter(({ source, target }) => !nodes.has(source) || !nodes.has(target))).toEqual([]);
      const members = [...groups.values()].flatMap((group) => [...new Set(group.members)]);
      expect(members.filter((member) => !nodes.has(member))).toEqual([]);
      expect(members.length).toBe([...groups.values()].flatMap((group) => group.members).length);
      expect([...nodes].filter(([lineage, node]) => node.lineage !== lineage)).toEqual([]);
    });
  });

  it("changes nothing when it is repeated, in either direction", () => {
    forEachPair((sides, random) => {
      const { merged } = mergeContents(sides, randomResolutions(sides, random));
      const base = sides.theirs;
      const again = mergeContents({ base, theirs: sides.theirs, mine: merged }, {});
      expect(again.conflicts).toEqual([]);
      expect(textOf(again.merged)).toBe(textOf(merged));
      const back = mergeContents({ base, theirs: merged, mine: sides.theirs }, {});
      expect(back.conflicts).toEqual([]);
      expect(textOf(back.merged)).toBe(textOf(merged));
    });
  });

  it("brings two workflows together that merge to and fro and go on editing", () => {
    forEachPair((first, random) => {
      const authors: [Author, Author] = [
        { name: "theirs", written: 100 },
        { name: "mine", written: 100 },
      ];
      let { base, theirs: clone, mine: origin } = first;
      for (let round = 0; round < 3; round++) {
        const isBack = random.below(2) === 0;
        const sides = isBack ? { base, theirs: clone, mine: origin } : { base, theirs: origin, mine: clone };
        const { merged } = mergeContents(sides, randomResolutions(sides, random));
        base = sides.theirs;
        const [edited, other] = [draftOf(merged), draftOf(sides.theirs)];
        randomEdits(edited, random, authors[1], random.below(3));
        randomEdits(other, random, authors[0], random.below(3));
        [clone, origin] = isBack ? [other, edited] : [edited, other];
      }
      const last = { base, theirs: clone, mine: origin };
      const { merged } = mergeContents(last, randomResolutions(last, random));
      const both = mergeContents({ base: clone, theirs: merged, mine: clone }, {});
      expect(both.conflicts).toEqual([]);
      expect(textOf(both.merged)).toBe(textOf(merged));
    });
  });
});
