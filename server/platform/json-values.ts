import { setImmediate as othersTurn } from "node:timers/promises";

const [quote, backslash, comma, bracket, brace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];
/** Scanning this many bytes takes a few milliseconds, in which other requests wait. */
const sliceBytes = 1024 * 1024;

/**
 * Whether a JSON text has more than `most` list items and object members. A long text is parsed quickly, but a long
 * list of short values blocks the server. So large bodies are scanned before they are parsed.
 */
export async function hasMoreValuesThan(most: number, text: Buffer): Promise<boolean> {
  let values = 0;
  let sliceEnd = sliceBytes;
  for (let at = 0; at < text.length; at++) {
    if (at >= sliceEnd) {
      await othersTurn();
      sliceEnd = at + sliceBytes;
    }
    const byte = text[at];
    if (byte === quote) at = endOfString(text, at);
    else if (byte === comma || byte === bracket || byte === brace) values += 1;
    if (values > most) return true;
  }
  return false;
}

/** The end of the string that begins here, or the end of the text. */
function endOfString(text: Buffer, start: number): number {
  for (let at = start; ;) {
    at = text.indexOf(quote, at + 1);
    if (at === -1) return text.length;
    let slashes = 0;
    while (text[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}
