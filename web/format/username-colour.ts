/** A colour for a person. The same name always gets the same colour, readable on both themes. */
export function usernameColour(username: string): string {
  return `oklch(0.64 0.16 ${hash(username) % 360})`;
}

// FNV-1a, then mixed: without mixing, names that differ in their last letter get nearly the same hue.
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
