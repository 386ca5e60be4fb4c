// Characters that XML 1.0 cannot contain, not even as a character reference.
const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const illegalEverywhere = new RegExp(illegal.source, "gu");
const jsonMark = "json:";

/** For the text of an element. An attribute would also need its quotes escaped. */
export function escapeXml(text: string): string {
  // A bare carriage return is read back as a line feed.
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");
}

/** For other programs: characters that XML cannot contain are replaced. */
export function readableText(text: string): string {
  return text.replaceAll(illegalEverywhere, "\ufffd");
}

export function isReadable(text: string): boolean {
  return !illegal.test(text) && !text.startsWith(jsonMark);
}

/** For our own import: every string is read back unchanged. */
export function encodeText(text: string): string {
  return isReadable(text) ? text : `${jsonMark}${encodeJson(text)}`;
}

export function decodeText(text: string): string {
  if (!text.startsWith(jsonMark)) return text;
  try {
    const decoded: unknown = JSON.parse(text.slice(jsonMark.length));
    return typeof decoded === "string" ? decoded : text;
  } catch {
    return text;
  }
}

/** JSON escapes controls and lone surrogates, but not U+FFFE and U+FFFF, which XML refuses. */
export function encodeJson(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replaceAll(/[\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16)}`;
  });
}
