import { type Replacement, replacement } from "@miranda/contract/replacement.ts";
import { diffArrays } from "diff";

/** Lines that may differ before the texts are compared as a whole. While they are compared, nobody else is served. */
const maxEditLength = 500;
const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

/** The ranges in which two texts differ, first to last. Lines that both have are in none of them. */
export function replacements(before: string, after: string): Replacement[] {
  const parts = diffArrays(linesOf(before), linesOf(after), { maxEditLength }) ?? [
    { removed: true, added: false, value: [before] },
    { removed: false, added: true, value: [after] },
  ];
  const found: Replacement[] = [];
  let at = 0;
  let [removed, added] = ["", ""];
  const end = (): void => {
    const change = replacement(removed, added);
    if (change) found.push({ ...change, from: at + change.from });
    at += removed.length;
    [removed, added] = ["", ""];
  };
  for (const part of parts) {
    const text = part.value.join("");
    if (part.removed) removed += text;
    else if (part.added) added += text;
    else {
      end();
      at += text.length;
    }
  }
  end();
  return found;
}
