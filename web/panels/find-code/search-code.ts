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

export interface FoundSymbol {
  id: number;
  /** Of the node. */
  file: string;
  name: string;
  kind: "class" | "function" | "variable";
  /** From 1. */
  line: number;
}

const declared = /^(\s*)(?:async\s+)?(def|class)\s+(\w+)/;
const assigned = /^([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)/;

/** Classes, functions and top-level variables whose name has the letters in their order, the best first. */
export function findSymbols(files: readonly CodeFile[], wanted: string): FoundSymbol[] {
  const symbols: FoundSymbol[] = [];
  for (const { id, name: file, code } of files)
    for (const [index, text] of code.split("\n").entries()) {
      const line = index + 1;
      const [, , word, declaredName] = declared.exec(text) ?? [];
      if (declaredName !== undefined)
        symbols.push({ id, file, name: declaredName, kind: word === "class" ? "class" : "function", line });
      const variable = assigned.exec(text)?.[1];
      if (variable !== undefined) symbols.push({ id, file, name: variable, kind: "variable", line });
    }
  return filesNamed(symbols, wanted).slice(0, mostFound);
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
