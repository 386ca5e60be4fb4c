const linkSchemes = new Set(["http:", "https:", "mailto:", "tel:"]);
const imageSchemes = new Set(["http:", "https:"]);
// No SVG: it is a document with scripts and links of its own, and "open image in new tab" would run them.
const pictureData = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp)(?:;[\w-]+=[\w-]*)*(?:;base64)?,/i;

// Stands for the page's own address, which relative addresses are read against.
const here = "https://here.invalid/";

/**
 * An address that text written by anybody may lead to or load from, or undefined.
 * The scheme is the one a browser would see: its own parser skips leading control characters, and tabs and newlines inside.
 */
export function safeAddress(address: string, use: "link" | "image"): string | undefined {
  const trimmed = address.trim();
  const parsed = parse(trimmed);
  if (!parsed) return undefined;
  if (use === "image" && parsed.protocol === "data:") return pictureData.test(parsed.href) ? trimmed : undefined;
  if (!(use === "link" ? linkSchemes : imageSchemes).has(parsed.protocol)) return undefined;
  return hidesScheme(trimmed) ? undefined : trimmed;
}

export function isElsewhere(address: string): boolean {
  return parse(address.trim())?.origin !== new URL(here).origin;
}

/** Whom an address leads to, as a browser would read it. */
export function hostOf(address: string): string {
  return parse(address.trim())?.host ?? "";
}

function parse(address: string): URL | undefined {
  return URL.canParse(address, here) ? new URL(address, here) : undefined;
}

/** A colon in the first step of a relative address: a scheme spelled with look-alikes, or broken up by invisible characters. */
function hidesScheme(address: string): boolean {
  const [start = ""] = address.split(/[/\\?#]/, 1);
  return start.includes(":") && !/^[a-z][a-z0-9+.-]*:/i.test(start);
}
