const defaultIndent = "    ";

/** How a text is indented: a tab, or as many spaces as its first indented line has beyond the line before. */
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

/**
 * No spaces at the ends of lines, tabs of the indentation as spaces, and one newline at the end. Lines inside a text of several
 * lines are left alone: their spaces are part of a value.
 */
export function tidyWhitespace(text: string, tab = defaultIndent): string {
  const inside = linesInsideStrings(text);
  const lines = text.split("\n").map((line, at) => {
    if (inside.has(at)) return line;
    const indent = /^[\t ]*/.exec(line)?.[0] ?? "";
    const end = inside.has(at + 1) ? line.slice(indent.length) : line.slice(indent.length).trimEnd();
    return end === "" && !inside.has(at + 1) ? "" : indent.replaceAll("\t", tab) + end;
  });
  while (lines.length > 1 && lines.at(-1) === "" && lines.at(-2) === "" && !inside.has(lines.length - 1)) lines.pop();
  return lines.length === 1 && lines[0] === "" ? "" : lines.at(-1) === "" ? lines.join("\n") : `${lines.join("\n")}\n`;
}

/** The lines that begin inside a triple-quoted text. */
function linesInsideStrings(text: string): Set<number> {
  const inside = new Set<number>();
  const token = /\\[\s\S]|#[^\n]*|"""|'''|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|\n/g;
  let quote: string | undefined;
  let line = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match;
    if (quote !== undefined) {
      // Inside, only the same three quotes end it; whatever else the pattern took is looked at again from its second letter.
      if (found === quote) quote = undefined;
      else if (found !== "\n" && !found.startsWith("\\")) token.lastIndex = match.index + 1;
    } else if (found === '"""' || found === "'''") quote = found;
    for (const letter of found.slice(0, token.lastIndex - match.index)) if (letter === "\n") line += 1;
    if (quote !== undefined && found.includes("\n")) inside.add(line);
  }
  return inside;
}
