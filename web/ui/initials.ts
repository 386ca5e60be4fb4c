const characters = new Intl.Segmenter();

/** The first letters of the first and the last word. A hyphen is inside a word: Anna-Lena is one name. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s._]+/u)
    .filter(Boolean);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return picked
    .map((word) => characters.segment(word ?? "").containing(0)?.segment ?? "")
    .join("")
    .toUpperCase();
}
