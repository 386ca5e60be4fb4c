const defaultIndent = "    ";

/** How a text is indented: by a tab, or by the spaces that its first indented line has more than the line before. */
export function indentOf(text: string): string {
  let before = 0;
  for (const line of text.split("\n", 500)) {
    if (line.trim() === "") continue;
    if (line.startsWith("\t")) return "\t";
    const spaces = line.length - line.trimStart().length;
    if (spaces > before && spaces - before <= 8 && spaces - before > 1) return " ".repeat(spaces - before);
    before = spaces;
  }
  return defaultIndent;
}
