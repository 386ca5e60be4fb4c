export interface Token {
  kind: "keyword" | "string" | "number" | "comment" | "function" | "type" | "self" | "plain";
  text: string;
}

const keywords = new Set(
  "and as assert async await break class continue def del elif else except finally for from if import in is lambda match nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
const values = new Set(["True", "False", "None"]);

const token =
  /(?<comment>#.*)|(?<string>[bfru]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))|(?<number>\b\d[\d_.]*(?:e[-+]?\d+)?)|(?<word>[\p{L}_][\p{L}\p{N}_]*)/giu;

/** Cuts Python into pieces to colour. It knows as much as examples need; a whole parser would be a large download. */
export function pythonTokens(code: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  let before = "";
  for (const match of code.matchAll(token)) {
    if (match.index > end) tokens.push({ kind: "plain", text: code.slice(end, match.index) });
    end = match.index + match[0].length;
    tokens.push({ kind: kindOf(match.groups ?? {}, before, code[end]), text: match[0] });
    before = match[0];
  }
  if (end < code.length) tokens.push({ kind: "plain", text: code.slice(end) });
  return tokens;
}

function kindOf(groups: Record<string, string | undefined>, before: string, next: string | undefined): Token["kind"] {
  if (groups["comment"] !== undefined) return "comment";
  if (groups["string"] !== undefined) return "string";
  if (groups["number"] !== undefined) return "number";
  const word = groups["word"] ?? "";
  if (keywords.has(word)) return "keyword";
  if (values.has(word)) return "number";
  if (word === "self") return "self";
  if (before === "class" || /^[A-Z][a-z]/.test(word)) return "type";
  if (before === "def" || next === "(") return "function";
  return "plain";
}
