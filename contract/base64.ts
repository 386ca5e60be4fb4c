// Base64 of UTF-8 text, in the browser and on the server. btoa alone refuses every character above U+00FF.

export function toBase64(text: string): string {
  let binary = "";
  const bytes = new TextEncoder().encode(text);
  // Join in pieces: a function call with a million arguments overflows the stack.
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}

/** The text, or undefined when it is not base64 of UTF-8. */
export function fromBase64(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
