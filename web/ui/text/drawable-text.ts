// Text by other people must not freeze the reader's page. The browser's time grows with the square of the letters in a
// word that must be wrapped, of the marks on one letter, and of the direction changes.
const limits = {
  word: 160,
  // The length of the parts of a long word: a line ends at most this much before the margin.
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

/** The text without parts that nobody reads and no browser draws in time. Ordinary text stays as it is. */
export function drawableText(text: string): string {
  if (text.length <= limits.marksOnLetter) return text;
  const readable = text.replace(tooManyMarks, "$1").replace(tooManyLines, "$1");
  if (readable.length <= limits.directionMarks) return readable;
  const directions = readable.match(directionMarks)?.length ?? 0;
  return directions > limits.directionMarks ? readable.replace(directionMarks, "") : readable;
}

/** The start of a text, for a line that is cut off anyway. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return drawableText(text);
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return drawableText(text.slice(0, isHalf ? length - 1 : length));
}

/** One line of a text: more of it would not be visible. */
export function oneLine(text: string): string {
  return text.length <= 500 ? drawableText(text) : `${startOf(text, 500)}…`;
}

export interface Parts {
  /** The text, split where a line may end. */
  parts: string[];
  /** The length of its last word: the next text may continue it. */
  lastWordLength: number;
}

/** Splits long words, so that the browser need not search for their end again for every line. */
export function wordParts(text: string, wordLengthBefore = 0): Parts {
  const parts: string[] = [];
  let wordLength = wordLengthBefore;
  let from = 0;
  let at = 0;
  for (const letter of text) {
    if (letter === " " || letter === "\n" || letter === "\t") wordLength = 0;
    else {
      if (wordLength >= limits.word && !mark.test(letter)) {
        parts.push(text.slice(from, at));
        from = at;
        wordLength = limits.word - limits.wordPart;
      }
      wordLength += 1;
    }
    at += letter.length;
  }
  parts.push(text.slice(from));
  return { parts, lastWordLength: wordLength };
}

export interface AreaText {
  value: string;
  wrap: "off" | undefined;
  dir: "auto" | undefined;
}

/**
 * A text field cannot split a long word, only leave it unwrapped, and detects the text direction again for each line.
 */
export function areaText(text: string): AreaText {
  const value = drawableText(text);
  return {
    value,
    wrap: value.split(/[ \t\n]/).some(({ length }) => length > limits.wordInField) ? "off" : undefined,
    dir: manyLines.test(value) ? undefined : "auto",
  };
}
