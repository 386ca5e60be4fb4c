const linkSchemes = new Set(["http:", "https:", "mailto:", "tel:"]);
const imageSchemes = new Set(["http:", "https:"]);
// No SVG: it is a document with its own scripts and links, and "open image in new tab" would run them.
const pictureData = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp)(?:;[\w-]+=[\w-]*)*(?:;base64)?,/i;

// Stands for the page's own address, against which relative addresses are resolved.
const here = "https://here.invalid/";

/**
 * An address that untrusted text may link to or load from; undefined when it is not safe. The scheme is read as a
 * browser reads it: its parser skips leading control characters, and tabs and newlines inside.
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

/** The host of an address, as a browser reads it. */
export function hostOf(address: string): string {
  return parse(address.trim())?.host ?? "";
}

function parse(address: string): URL | undefined {
  return URL.canParse(address, here) ? new URL(address, here) : undefined;
}

/**
 * A colon in the first segment of a relative address: a scheme spelled with look-alikes, or split by invisible
 * characters.
 */
function hidesScheme(address: string): boolean {
  const [start = ""] = address.split(/[/\\?#]/, 1);
  return start.includes(":") && !/^[a-z][a-z0-9+.-]*:/i.test(start);
}
