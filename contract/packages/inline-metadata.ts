// PEP 723: comments in a script that list its packages. `runtime/miranda/declare.py` reads them the same way.

const block = /^# \/\/\/ (?<type>[a-zA-Z0-9-]+)$\s(?<content>(?:^#(?:| .*)$\s)+)^# \/\/\/$/gm;
const name = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?/;

/** The result of adding a package to a node's code. */
export type Added = { source: string } | "declared" | "unreadable";

/** Adds a package to the inline metadata of the code, and creates the metadata when there is none. */
export function addPackage(source: string, requirement: string): Added {
  const lineEnd = source.includes("\r\n") ? "\r\n" : "\n";
  const text = source.replaceAll("\r\n", "\n");
  const blocks = [...text.matchAll(block)].filter(({ groups }) => groups?.["type"] === "script");
  if (blocks.length > 1) return "unreadable";
  const [found] = blocks;
  if (!found) return { source: withBlock(text, requirement).replaceAll("\n", lineEnd) };
  const content = found.groups?.["content"] ?? "";
  const from = found.index + found[0].indexOf("\n") + 1;
  const added = addTo(content, requirement);
  if (typeof added === "string") return added;
  const whole = text.slice(0, from) + added.content + text.slice(from + content.length);
  return { source: whole.replaceAll("\n", lineEnd) };
}

/** The packages that the code declares. None when the declaration cannot be read. */
export function packagesOf(source: string): string[] {
  const text = source.replaceAll("\r\n", "\n");
  const blocks = [...text.matchAll(block)].filter(({ groups }) => groups?.["type"] === "script");
  const content = blocks.length === 1 ? (blocks[0]?.groups?.["content"] ?? "") : "";
  const table = /^# *\[/m.exec(content)?.index ?? content.length;
  const start = /^# *dependencies *= *\[/m.exec(content.slice(0, table));
  const list = start && readList(content, start.index + start[0].length);
  return list?.strings.map(({ value }) => value) ?? [];
}

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

/** The strings of a TOML list, which may span several comment lines. Undefined when it contains something else. */
function readList(content: string, from: number): List | undefined {
  const strings: List["strings"] = [];
  let comma: number | undefined;
  let at = from;
  while (at < content.length) {
    const rest = content.slice(at);
    const string = /^(?:"((?:[^"\\\n]|\\["\\])*)"|'([^'\n]*)')/.exec(rest);
    const space = /^(?:[ \t]+|\n#)/.exec(rest);
    const comment = /^#[^\n]*/.exec(rest);
    if (/^("""|''')/.test(rest)) return undefined;
    if (string) {
      strings.push({ from: at, to: at + string[0].length, value: string[1] ?? string[2] ?? "" });
      comma = undefined;
      at += string[0].length;
    } else if (rest.startsWith(",")) {
      comma = at;
      at += 1;
    } else if (rest.startsWith("]")) return { strings, comma, end: at };
    else if (space) at += space[0].length;
    else if (comment) at += comment[0].length;
    else return undefined;
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
