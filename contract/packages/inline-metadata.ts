// PEP 723: comments in a script that list its packages. `runtime/miranda/script_blocks.py` finds them the same way.

const opening = /^# \/\/\/ (?<type>[a-zA-Z0-9-]+)$/;
const closing = "# ///";
const name = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?/;

/** The result of adding a package to a node's code. */
export type Added = { source: string } | "declared" | "unreadable";

/** Adds a package to the inline metadata of the code, and creates the metadata when there is none. */
export function addPackage(source: string, requirement: string): Added {
  const lineEnd = source.includes("\r\n") ? "\r\n" : "\n";
  const text = source.replaceAll("\r\n", "\n");
  const blocks = scriptBlocks(text);
  if (blocks.length > 1) return "unreadable";
  const [found] = blocks;
  if (!found) return { source: withBlock(text, requirement).replaceAll("\n", lineEnd) };
  const { content, from } = found;
  const added = addTo(content, requirement);
  if (typeof added === "string") return added;
  const whole = text.slice(0, from) + added.content + text.slice(from + content.length);
  return { source: whole.replaceAll("\n", lineEnd) };
}

/** The packages that the code declares. None when the declaration cannot be read. */
export function packagesOf(source: string): string[] {
  const text = source.replaceAll("\r\n", "\n");
  const blocks = scriptBlocks(text);
  const content = blocks.length === 1 ? (blocks[0]?.content ?? "") : "";
  const table = /^# *\[/m.exec(content)?.index ?? content.length;
  const start = /^# *dependencies *= *\[/m.exec(content.slice(0, table));
  const list = start && readList(content, start.index + start[0].length);
  return list?.strings.map(({ value }) => value) ?? [];
}

interface Block {
  content: string;
  /** Where the content begins. */
  from: number;
}

/**
 * The blocks of the type `script`. A block ends at the last closing line of its comment. Line by line: the pattern that the
 * PEP gives needs minutes for a text that somebody made for it.
 */
function scriptBlocks(text: string): Block[] {
  const lines = text.split("\n");
  const found: Block[] = [];
  let at = 0;
  for (let first = 0; first < lines.length; first += 1) {
    let end = first;
    while (isComment(lines[end])) end += 1;
    const comment = lines.slice(first, end);
    const start = comment.findIndex((line) => opening.test(line));
    const last = comment.lastIndexOf(closing);
    if (start !== -1 && last > start + 1 && opening.exec(comment[start] ?? "")?.groups?.["type"] === "script")
      found.push({
        content: `${comment.slice(start + 1, last).join("\n")}\n`,
        from: at + lengthOf(comment.slice(0, start + 1)),
      });
    at += lengthOf(lines.slice(first, end + 1));
    first = end;
  }
  return found;
}

const isComment = (line: string | undefined): boolean => line === "#" || line?.startsWith("# ") === true;
const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

function withBlock(text: string, requirement: string): string {
  // The first two lines may name an interpreter and an encoding. They must stay first.
  const head = /^(?:\uFEFF)?(?:#!.*\n)?(?:#.*coding[:=].*\n)?/.exec(text)?.[0] ?? "";
  return `${head}# /// script\n# dependencies = ["${requirement}"]\n# ///\n${text.slice(head.length)}`;
}

function addTo(content: string, requirement: string): { content: string } | "declared" | "unreadable" {
  const table = /^# *\[/m.exec(content)?.index ?? content.length;
  const start = /^# *dependencies *= *\[/m.exec(content.slice(0, table));
  if (!start) {
    if (/^# *(?:dependencies|"dependencies"|'dependencies')\b/m.test(content.slice(0, table))) return "unreadable";
    return { content: `# dependencies = ["${requirement}"]\n${content}` };
  }
  const list = readList(content, start.index + start[0].length);
  if (!list) return "unreadable";
  const wanted = normal(requirement);
  if (list.strings.some(({ value }) => normal(value) === wanted)) return "declared";
  return { content: insertInto(content, list, requirement) };
}

interface List {
  strings: { from: number; to: number; value: string }[];
  /** Where the last comma after the last string is, if there is one. */
  comma: number | undefined;
  end: number;
}

const tokens = {
  long: /"""|'''/y,
  string: /"((?:[^"\\\n]|\\["\\])*)"|'([^'\n]*)'/y,
  comma: /,/y,
  end: /\]/y,
  space: /[ \t]+|\n#/y,
  comment: /#[^\n]*/y,
};

/** The strings of a TOML list, which may span several comment lines. Undefined when it contains something else. */
function readList(content: string, from: number): List | undefined {
  const strings: List["strings"] = [];
  let comma: number | undefined;
  for (let at = from; at < content.length;) {
    const token = (kind: keyof typeof tokens): RegExpExecArray | null => {
      tokens[kind].lastIndex = at;
      return tokens[kind].exec(content);
    };
    if (token("long")) return undefined;
    if (token("end")) return { strings, comma, end: at };
    const string = token("string");
    if (string) {
      strings.push({ from: at, to: at + string[0].length, value: string[1] ?? string[2] ?? "" });
      comma = undefined;
    } else if (token("comma")) comma = at;
    const length = (string ?? token("comma") ?? token("space") ?? token("comment"))?.[0].length;
    if (length === undefined) return undefined;
    at += length;
  }
  return undefined;
}

function insertInto(content: string, { strings, comma, end }: List, requirement: string): string {
  const last = strings.at(-1);
  if (!last) return `${content.slice(0, end)}"${requirement}"${content.slice(end)}`;
  const lineStart = content.lastIndexOf("\n", last.from - 1) + 1;
  const before = content.slice(lineStart, last.from);
  const isOnOwnLine = /^#\s*$/.test(before) && content.slice(last.to, end).includes("\n");
  const after = comma === undefined ? last.to : comma + 1;
  const separator = comma === undefined ? "," : "";
  if (!isOnOwnLine) return `${content.slice(0, after)}${separator} "${requirement}"${content.slice(after)}`;
  return `${content.slice(0, after)}${separator}\n${before}"${requirement}",${content.slice(after)}`;
}

/** One spelling for each package: PEP 503. */
function normal(requirement: string): string {
  return (name.exec(requirement.trim())?.[0] ?? "").replaceAll(/[-_.]+/g, "-").toLowerCase();
}
