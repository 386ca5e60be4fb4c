import { setImmediate as breathe } from "node:timers/promises";

import { AppError } from "../errors/app-error.ts";

/** Of one form, urlencoded or multipart. */
export const formFieldsMax = 200;

const small = 256 * 1024;
const stretch = 1024 * 1024;

const [percent, plus, space, equals, ampersand] = [0x25, 0x2b, 0x20, 0x3d, 0x26];

/** Decodes a urlencoded form. A large one is read in slices, so that other requests run in between. */
export async function decodeForm(body: Buffer): Promise<Record<string, unknown>> {
  refuseTooMany(body);
  const pairs: [string, string][] = [];
  if (body.length <= small) pairs.push(...new URLSearchParams(body.toString()));
  else {
    for (let at = 0; at < body.length;) {
      const end = indexOrEnd(body, ampersand, at);
      const middle = Math.min(indexOrEnd(body, equals, at), end);
      pairs.push([await unescape(body.subarray(at, middle)), await unescape(body.subarray(middle + 1, end))]);
      at = end + 1;
    }
  }
  // A map: names such as __proto__ are names like any other.
  const form = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const earlier = form.get(name);
    if (earlier) earlier.push(value);
    else form.set(name, [value]);
  }
  return Object.fromEntries([...form].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}

/** Reading so many fields would take too long, and no call uses them. */
function refuseTooMany(body: Buffer): void {
  let count = 1;
  for (let at = body.indexOf(ampersand); at >= 0; at = body.indexOf(ampersand, at + 1))
    if (++count > formFieldsMax) throw new AppError("bad_request", `A form can have at most ${formFieldsMax} fields.`);
}

function indexOrEnd(body: Buffer, byte: number, from: number): number {
  const found = body.indexOf(byte, from);
  return found < 0 ? body.length : found;
}

async function unescape(escaped: Buffer): Promise<string> {
  const plain = Buffer.allocUnsafe(escaped.length);
  let length = 0;
  for (let at = 0; at < escaped.length; at++) {
    const byte = escaped[at]!;
    if (byte === percent && isHex(escaped[at + 1]) && isHex(escaped[at + 2])) {
      plain[length++] = Number.parseInt(escaped.toString("latin1", at + 1, at + 3), 16);
      at += 2;
    } else plain[length++] = byte === plus ? space : byte;
    if (at % stretch === stretch - 1) await breathe();
  }
  return plain.toString("utf8", 0, length);
}

function isHex(byte: number | undefined): boolean {
  return (
    byte !== undefined &&
    ((byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66))
  );
}
