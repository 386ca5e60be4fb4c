import { invalid } from "../http/mlflow-error.ts";

/** `word`: a bare name, number or keyword. `quoted`: in backticks or double quotes. `text`: in single quotes. */
export interface Token {
  kind: "word" | "quoted" | "text" | "sign" | "mark";
  value: string;
  /** As it was written. */
  source: string;
}

const signs = ["!=", "<>", ">=", "<=", "=", ">", "<"];
const closers: Record<string, Token["kind"]> = { "'": "text", '"': "quoted", "`": "quoted" };

/** Reads a filter once from left to right: a hostile one takes no longer than its length. */
export function tokensOf(filter: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < filter.length) {
    const letter = filter.charAt(at);
    if (/\s/.test(letter)) {
      at++;
      continue;
    }
    const token = readToken(filter, at);
    tokens.push(token);
    at += token.source.length;
  }
  return tokens;
}

function readToken(filter: string, at: number): Token {
  const letter = filter.charAt(at);
  const kind = closers[letter];
  if (kind) return quoted(filter, at, kind);
  const sign = signs.find((one) => filter.startsWith(one, at));
  if (sign) return { kind: "sign", value: sign === "<>" ? "!=" : sign, source: sign };
  if ("(),".includes(letter)) return { kind: "mark", value: letter, source: letter };
  let end = at + 1;
  while (end < filter.length && !/[\s=<>!(),'"`]/.test(filter.charAt(end))) end++;
  const value = filter.slice(at, end);
  // The rest of `metrics."a b"` is a part of the same name.
  const next = filter.charAt(end);
  if (value.endsWith(".") && closers[next] === "quoted") {
    const rest = quoted(filter, end, "quoted");
    return { kind: "word", value: value + rest.value, source: value + rest.source };
  }
  return { kind: "word", value, source: value };
}

/** A doubled quote stands for itself. */
function quoted(filter: string, at: number, kind: Token["kind"]): Token {
  const mark = filter.charAt(at);
  let end = at + 1;
  for (; end < filter.length; end++) {
    if (filter.charAt(end) !== mark) continue;
    if (filter.charAt(end + 1) !== mark) break;
    end++;
  }
  if (end >= filter.length) throw invalid(`Invalid filter '${filter.slice(0, 200)}'. A quote is not closed.`);
  const value = filter.slice(at + 1, end).replaceAll(mark + mark, mark);
  return { kind, value, source: filter.slice(at, end + 1) };
}
