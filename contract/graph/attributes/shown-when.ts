import { messages } from "../../words/messages.ts";
import { sameJson } from "../../json.ts";
import type { Attribute, ShownWhenCondition } from "../../schemas/attributes.ts";

type Tested = Pick<Attribute, "name" | "value" | "is_connected">;
type Warn = (message: string) => void;

// oxlint-disable-next-line no-console -- the author of the node sees in the console that the rule is invalid.
const toConsole: Warn = (message) => console.warn(message);

/** The attributes that have no rule, or whose rule holds. */
export function shownAttributes<A extends Tested & Pick<Attribute, "shown_when">>(
  attributes: readonly A[],
  warn: Warn = toConsole,
): A[] {
  const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
  return attributes.filter((attribute) => isShown(attribute, byName, warn));
}

/** Every attribute the rule names must be there and meet at least one of its conditions. */
export function isShown(
  { shown_when }: Pick<Attribute, "shown_when">,
  byName: ReadonlyMap<string, Tested>,
  warn: Warn = toConsole,
): boolean {
  return Object.entries(shown_when ?? {}).every(([name, conditions]) => {
    const tested = byName.get(name);
    return tested !== undefined && Array.isArray(conditions) && conditions.some((one) => meets(tested, one, warn));
  });
}

function meets(tested: Tested, condition: ShownWhenCondition, warn: Warn): boolean {
  return Object.entries(condition).every(([key, expected]) => {
    if (key === "connected") return tested.is_connected === expected;
    if (key === "value") return sameJson(tested.value, expected);
    warn(messages.unknownCondition(key));
    return false;
  });
}
