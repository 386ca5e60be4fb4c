import { sameJson } from "../../json.ts";
import type { Attribute } from "../../schemas/attributes.ts";
import type { Node } from "../../schemas/nodes.ts";
import { readAttributeValue } from "./attribute-value.ts";
import { readUnfitText } from "./unfit-text.ts";

const longest = 40;

export interface FieldProblem {
  field: string;
  /** A sentence that begins with the field's name: what is wrong, and what is expected. */
  words: string;
}

/**
 * Why no run may use a field as it is set: its text cannot be read, or its value no longer fits what the code declares. What the code
 * declares itself is never wrong, and neither is a field whose value comes through an edge.
 */
export function fieldProblem(attribute: Attribute): string | undefined {
  const { direction, kind, name, is_connected } = attribute;
  if (!direction.endsWith("_FIELD") || kind.endsWith("_policy") || !("default" in attribute)) return undefined;
  if (is_connected && direction === "RECEIVER_FIELD") return undefined;
  const text = readUnfitText(attribute.value);
  if (text !== undefined) {
    return problemOfText(attribute, text) ?? `${name} could not be read when it was typed. Type it again.`;
  }
  // A text in a JSON field is a value, not JSON that has still to be read.
  if (attribute.control?.type === "json" || sameJson(attribute.value, attribute.default)) return undefined;
  return problemOfText(attribute, attribute.value);
}

/** What is wrong with a text that somebody types into a field, or with a value that a field has. */
export function problemOfText(attribute: Attribute, given: unknown): string | undefined {
  const read = readAttributeValue(attribute, given);
  if ("value" in read) return undefined;
  // JSON is long. There the sentence shows the text as it could be written.
  return attribute.control?.type === "json" ? read.refusal : read.refusal.replace(/\.$/, `, not ${shown(given)}.`);
}

function shown(given: unknown): string {
  const text = typeof given === "string" ? given.trim() : JSON.stringify(given ?? null);
  if (text === "") return "empty";
  return `“${text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text}”`;
}

const kept = new WeakMap<Node["api"], readonly FieldProblem[]>();

/** What is wrong with the fields of a node. The same list for the same api. */
export function problemsOf({ api }: Pick<Node, "api">): readonly FieldProblem[] {
  const known = kept.get(api);
  if (known) return known;
  const problems = api.attributes.flatMap((attribute) => {
    const words = fieldProblem(attribute);
    return words === undefined ? [] : [{ field: attribute.name, words }];
  });
  kept.set(api, problems);
  return problems;
}
