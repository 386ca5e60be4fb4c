// Writes TOML in one fixed shape, so that the same workflow is always the same text and a change is a small diff.

/** A key of TOML. */
export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}

/** A text of several lines takes several lines, so that a diff shows which one changed. */
export function tomlText(text: string): string {
  return text.includes("\n") ? severalLines(text.toWellFormed()) : quoted(text);
}

/** JSON escapes as TOML does, except for the delete character. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u007f", String.raw`\u007f`);
}

function severalLines(text: string): string {
  const escaped = text
    .split("\n")
    .map((line) =>
      quoted(line)
        .slice(1, -1)
        .replaceAll(String.raw`\"`, '"'),
    )
    .join("\n")
    // Three quotes in a row would end the text.
    .replaceAll(/"(?="|$)/g, String.raw`\"`);
  return `"""\n${escaped}"""`;
}

/** A value in one line. Undefined when TOML has nothing like it: null, or a number that it cannot hold. */
export function tomlValue(value: unknown): string | undefined {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return tomlNumber(value);
  if (Array.isArray(value)) return listed(value.map(tomlValue), "[", "]");
  if (typeof value !== "object" || value === null) return undefined;
  const parts = Object.entries(value).map(([key, inner]) => {
    const text = tomlValue(inner);
    return text === undefined ? undefined : `${tomlKey(key)} = ${text}`;
  });
  return listed(parts, "{ ", " }");
}

function tomlNumber(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (!Number.isInteger(value)) return String(value);
  // A whole number that a double cannot count exactly would be refused when it is read.
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function listed(parts: readonly (string | undefined)[], open: string, close: string): string | undefined {
  if (parts.includes(undefined)) return undefined;
  return parts.length === 0 ? open.trim() + close.trim() : open + parts.join(", ") + close;
}
