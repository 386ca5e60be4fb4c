export interface CodeFile {
  id: number;
  name: string;
  code: string;
}

export interface FoundLine {
  id: number;
  name: string;
  /** From 1. */
  line: number;
  text: string;
  /** Where the searched text begins in it. */
  at: number;
}

/** Nobody reads more. */
export const mostFound = 200;

/** Every line of these files that has the text, whatever its case. Stops when there are too many. */
export function searchCode(files: readonly CodeFile[], wanted: string): FoundLine[] {
  const found: FoundLine[] = [];
  const text = wanted.toLowerCase();
  if (text.trim() === "") return found;
  for (const { id, name, code } of files) {
    if (!code.toLowerCase().includes(text)) continue;
    for (const [index, line] of code.split("\n").entries()) {
      const at = line.toLowerCase().indexOf(text);
      if (at < 0) continue;
      found.push({ id, name, line: index + 1, text: line, at });
      if (found.length === mostFound) return found;
    }
  }
  return found;
}

/** The files whose name has the letters in their order, the best first: a start, then a part, then scattered letters. */
export function filesNamed<File extends { name: string }>(files: readonly File[], wanted: string): File[] {
  const text = wanted.trim().toLowerCase();
  const rank = ({ name }: File) => {
    const low = name.toLowerCase();
    if (low.startsWith(text)) return 0;
    return low.includes(text) ? 1 : hasLetters(low, text) ? 2 : 3;
  };
  return files
    .map((file) => ({ file, rank: rank(file) }))
    .filter((one) => one.rank < 3)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ file }) => file);
}

function hasLetters(name: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = name.indexOf(letter, from);
    if (at < 0) return false;
    from = at + letter.length;
  }
  return true;
}
