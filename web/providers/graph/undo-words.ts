import type { Skipped } from "@miranda/contract/graph/commands/command.ts";
import type { GraphPart, PartField } from "@miranda/contract/graph/graph-part.ts";

export type Direction = "undo" | "redo";

const mostNamed = 3;
const past = { undo: "undone", redo: "redone" } as const;

export const anywayWords = { undo: "Undo anyway", redo: "Redo anyway" } as const;

export function nothingLeftWords(direction: Direction): string {
  return `Somebody else has already ${past[direction]} this.`;
}

/** Says what was left as it is, and who changed it. `hasRest`: the rest of the change was undone. */
export function skippedWords(
  skipped: readonly Skipped[],
  changer: (parts: readonly GraphPart[]) => string | undefined,
  direction: Direction,
  hasRest: boolean,
): string {
  const sentences = new Map<string, Set<string>>();
  for (const one of skipped) {
    const { verb, object } = partWords(one);
    const start = `${changer(one.differs) ?? "Somebody"} ${verb}`;
    sentences.set(start, (sentences.get(start) ?? new Set()).add(object));
  }
  const said = [...sentences].map(([start, objects]) => `${start} ${listed([...objects])} since.`);
  const count = [...sentences.values()].reduce((sum, objects) => sum + objects.size, 0);
  const rest = hasRest ? " The rest was." : "";
  return `${said.join(" ")} ${count === 1 ? "It was" : "They were"} not ${past[direction]}.${rest}`;
}

function listed(objects: readonly string[]): string {
  const more = objects.length - mostNamed;
  const named = more > 0 ? [...objects.slice(0, mostNamed), `${more} more`] : objects;
  const last = named.at(-1) ?? "";
  return named.length > 1 ? `${named.slice(0, -1).join(", ")} and ${last}` : last;
}

const fieldVerbs: Record<PartField, string> = {
  name: "renamed",
  description: "changed the description of",
  colour: "changed the colour of",
  body: "changed the settings of",
  locked: "locked or unlocked",
  git: "changed the git address of",
  git_branch: "changed the git branch of",
  update_policy: "linked or detached",
  position: "moved",
  disabled: "enabled or disabled",
  tags: "changed the tags of",
  code: "changed the code of",
};

function partWords({ part, why, names }: Skipped): { verb: string; object: string } {
  const [name = "", other = ""] = names;
  switch (part.type) {
    case "node":
      return { verb: why, object: `“${name}”` };
    case "field":
      return { verb: fieldVerbs[part.field], object: `“${name}”` };
    case "value":
      return { verb: why === "deleted" ? "removed" : "changed the value of", object: part.name };
    case "edge":
      return { verb: why, object: `the edge from “${name}” to “${other}”` };
    case "group":
      return { verb: why, object: `the group “${name}”` };
  }
}
