// Text that anybody wrote must not freeze the page of whoever looks at it. The browser's time grows with the square of
// the letters of one word that has to be wrapped, the marks on one letter, and the changes of direction.
const limits = {
  word: 160,
  // What a long word is cut into. Lines end that much before the margin at the most.
  wordPart: 20,
  marksOnLetter: 50,
  directionMarks: 1_000,
  emptyLines: 1_000,
  wordInField: 1_000,
  linesInField: 2_000,
} as const;

const tooManyMarks = new RegExp(`(\\p{M}{${limits.marksOnLetter}})\\p{M}+`, "gu");
const tooManyLines = new RegExp(`(\\n{${limits.emptyLines}})\\n+`, "g");
const directionMarks = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const manyLines = new RegExp(`^(?:[^\\n]*\\n){${limits.linesInField}}`);
const mark = /\p{M}/u;

/** The same text without what no person reads and no browser draws in time. Ordinary text comes back as it is. */
export function tamed(text: string): string {
  if (text.length <= limits.marksOnLetter) return text;
  const readable = text.replace(tooManyMarks, "$1").replace(tooManyLines, "$1");
  if (readable.length <= limits.directionMarks) return readable;
  const directions = readable.match(directionMarks)?.length ?? 0;
  return directions > limits.directionMarks ? readable.replace(directionMarks, "") : readable;
}

/** The start of a text, for a line that is cut off anyway. */
export function startOf(text: string, most: number): string {
  if (text.length <= most) return tamed(text);
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  return tamed(text.slice(0, isHalf ? most - 1 : most));
}

/** One line of a text: what is beyond would not be seen. */
export function oneLine(text: string): string {
  return text.length <= 500 ? tamed(text) : `${startOf(text, 500)}…`;
}

export interface Parts {
  /** The text, cut where a line may end. */
  parts: string[];
  /** How long the word is that it ends with: the next text may go on with it. */
  word: number;
}

/** Cuts long words, so that the browser need not look for the end of one again for every line. */
export function wordParts(text: string, before = 0): Parts {
  const parts: string[] = [];
  let word = before;
  let from = 0;
  let at = 0;
  for (const letter of text) {
    if (letter === " " || letter === "\n" || letter === "\t") word = 0;
    else {
      if (word >= limits.word && !mark.test(letter)) {
        parts.push(text.slice(from, at));
        from = at;
        word = limits.word - limits.wordPart;
      }
      word += 1;
    }
    at += letter.length;
  }
  parts.push(text.slice(from));
  return { parts, word };
}

export interface AreaText {
  value: string;
  wrap: "off" | undefined;
  dir: "auto" | undefined;
}

/** A field cannot cut a long word, only not wrap it, and looks for the direction of a text anew for each of its lines. */
export function areaText(text: string): AreaText {
  const value = tamed(text);
  return {
    value,
    wrap: value.split(/[ \t\n]/).some(({ length }) => length > limits.wordInField) ? "off" : undefined,
    dir: manyLines.test(value) ? undefined : "auto",
  };
}
