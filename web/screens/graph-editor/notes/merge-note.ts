import { createTextMerge, type TextPiece } from "@miranda/contract/text/merge-text.ts";
import { diffArrays } from "diff";

const { mergeLines, mergeWords } = createTextMerge(diffArrays);

interface MergedNote {
  text: string;
  /** Whether both changed the same words. The text then has both versions, one below the other. */
  isConflict: boolean;
}

/** A rule of Markdown. Without the empty lines it would make a heading of the line above. */
const rule = "\n\n---\n\n";

/** Merges what two people made of one text. Nothing that one of them wrote is lost. */
export function mergeNote(base: string, stored: string, mine: string): MergedNote {
  const pieces = mergeLines(base, stored, mine).flatMap(wordsOf).map(oneAfterTheOther);
  if (pieces.every((piece) => typeof piece === "string")) return { text: pieces.join(""), isConflict: false };
  return { text: stored.trimEnd() + rule + mine, isConflict: true };
}

function wordsOf(piece: TextPiece): TextPiece[] {
  return typeof piece === "string" ? [piece] : mergeWords(piece.base ?? "", piece.theirs, piece.mine);
}

/** Both wrote more at the same place, and a space keeps their words apart. */
function oneAfterTheOther(piece: TextPiece): TextPiece {
  if (typeof piece === "string" || piece.base !== "") return piece;
  return /\s$/.test(piece.theirs) || /^\s/.test(piece.mine) ? piece.theirs + piece.mine : piece;
}
