import { GraphmlError } from "./graphml-error.ts";

interface Decoded {
  text: string;
  /** What is wrong with the bytes after the text. */
  problem?: string;
}

export interface Decoder {
  write(bytes: Uint8Array): Decoded;
  end(): Decoded;
}

const compressed = "This file is compressed. Unpack it first.";
const notUtf8 = "The file is not written in the encoding it claims: these bytes are not UTF-8.";
// Long enough for any XML declaration.
const headLength = 512;

/** Decodes the bytes of a file, in the encoding that the first of them reveal. */
export function createDecoder(): Decoder {
  let head: Uint8Array = new Uint8Array(0);
  let decoder: Decoder | undefined;
  const start = (): Decoded => {
    const encoding = detectEncoding(head);
    decoder = encoding === "utf-8" ? createUtf8Decoder() : createOtherDecoder(encoding);
    return decoder.write(head);
  };
  return {
    write(bytes) {
      if (decoder) return decoder.write(bytes);
      head = join(head, bytes);
      return head.length < headLength ? { text: "" } : start();
    },
    end() {
      const first = decoder ? { text: "" } : start();
      if (first.problem !== undefined) return first;
      const rest = decoder?.end() ?? { text: "" };
      return { ...rest, text: first.text + rest.text };
    },
  };
}

/** Detects a gzip file that was read as text: its second byte is invalid in UTF-8. */
export function refuseCompressedText(text: string): void {
  if (text.startsWith("\u001f\ufffd") || text.startsWith("\u001f\u008b") || text.startsWith("PK\u0003\u0004"))
    throw new GraphmlError(compressed);
}

const magic = [
  [0x1f, 0x8b],
  [0x50, 0x4b, 0x03, 0x04],
  [0x42, 0x5a, 0x68],
  [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  [0x28, 0xb5, 0x2f, 0xfd],
];

function detectEncoding(head: Uint8Array): string {
  const begins = (...bytes: number[]) => bytes.length <= head.length && bytes.every((byte, at) => head[at] === byte);
  if (magic.some((bytes) => begins(...bytes))) throw new GraphmlError(compressed);
  if (begins(0xff, 0xfe, 0, 0) || begins(0, 0, 0xfe, 0xff) || begins(0, 0, 0, 0x3c) || begins(0x3c, 0, 0, 0))
    throw new GraphmlError("The file is written in UTF-32, which is not supported. Save it as UTF-8.", firstCharacter);
  if (begins(0xef, 0xbb, 0xbf)) return "utf-8";
  if (begins(0xff, 0xfe) || begins(0x3c, 0)) return "utf-16le";
  if (begins(0xfe, 0xff) || begins(0, 0x3c)) return "utf-16be";
  return declaredEncoding(head);
}

const firstCharacter = { line: 1, column: 1 };

function declaredEncoding(head: Uint8Array): string {
  const ascii = String.fromCharCode(...head.subarray(0, headLength));
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']/.exec(ascii)?.[1]?.toLowerCase();
  if (declared === undefined || declared === "us-ascii" || declared === "ascii") return "utf-8";
  if (/^(?:utf-?16|ucs-?2|iso-10646)/.test(declared))
    throw new GraphmlError(
      `The file says that it is written in ${declared.toUpperCase()}, but it is not.`,
      firstCharacter,
    );
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    throw new GraphmlError(
      `The encoding "${declared.slice(0, 40)}" is not known. Save the file as UTF-8.`,
      firstCharacter,
    );
  }
}

function createUtf8Decoder(): Decoder {
  let carry: Uint8Array = new Uint8Array(0);
  let isFirst = true;
  const decode = (bytes: Uint8Array): Decoded => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: !isFirst });
    isFirst = false;
    try {
      return { text: decoder.decode(bytes) };
    } catch {
      return { text: validStart(bytes), problem: notUtf8 };
    }
  };
  return {
    write(bytes) {
      const all = join(carry, bytes);
      const complete = completeLength(all);
      carry = all.slice(complete);
      return decode(all.subarray(0, complete));
    },
    end: () => (carry.length > 0 ? { text: "", problem: notUtf8 } : { text: "" }),
  };
}

/** The length without an incomplete character at the end. */
function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function validStart(bytes: Uint8Array): string {
  const lossy = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const encoder = new TextEncoder();
  let offset = 0;
  let from = 0;
  for (let at = lossy.indexOf("\ufffd"); at >= 0; at = lossy.indexOf("\ufffd", at + 1)) {
    offset += encoder.encode(lossy.slice(from, at)).length;
    from = at;
    const isWritten = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isWritten) return lossy.slice(0, at);
  }
  return lossy;
}

function createOtherDecoder(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const problem = `The file is not written in the encoding it claims: these bytes are not ${encoding.toUpperCase()}.`;
  const decode = (bytes: Uint8Array, stream: boolean): Decoded => {
    try {
      return { text: decoder.decode(bytes, { stream }) };
    } catch {
      return { text: "", problem };
    }
  };
  return { write: (bytes) => decode(bytes, true), end: () => decode(new Uint8Array(0), false) };
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
