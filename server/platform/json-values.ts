import { setImmediate as othersTurn } from "node:timers/promises";

const [quote, backslash, comma, bracket, brace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];
/** So many bytes take a few milliseconds; everybody else at this server waits meanwhile. */
const sliceBytes = 1024 * 1024;

/**
 * Whether a JSON text has more than so many members of lists and objects. A long text is parsed in no time, a long list
 * of short values holds up the whole server: who sends much is looked at before it is parsed.
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

/** Where the string that begins here ends; the end of all when it does not. */
function endOfString(text: Buffer, start: number): number {
  for (let at = start; ;) {
    at = text.indexOf(quote, at + 1);
    if (at === -1) return text.length;
    let slashes = 0;
    while (text[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}
