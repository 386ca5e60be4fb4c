import type { TextPiece } from "@miranda/contract/text/merge-text.ts";

import { mergeLines } from "../merges/text-merge.ts";

/** A draft and the code that was stored below it, as one text. */
export interface PutTogether {
  text: string;
  /** The places where both changed the same lines. They are marked as git marks them, so that nobody misses them. */
  conflicts: number;
}

export function putTogether(base: string, stored: string, draft: string): PutTogether {
  const pieces = mergeLines(base, stored, draft);
  const text = pieces.map(textOf).join("");
  return { text, conflicts: pieces.filter((piece) => typeof piece !== "string").length };
}

function textOf(piece: TextPiece): string {
  if (typeof piece === "string") return piece;
  return `<<<<<<< Draft\n${whole(piece.mine)}=======\n${whole(piece.theirs)}>>>>>>> Stored code\n`;
}

/** The last line may have no line end, and the next marker must not stand on it. */
const whole = (lines: string): string => (lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`);
