/** The ports of an imported node that has none. */
export const defaultReceiver = "input";
export const defaultTransmitter = "output";

const keywords = `False None True and as assert async await break class continue def del elif else except finally for from
global if import in is lambda nonlocal not or pass raise return try while with yield`;
// Names that the Node class or the generated code uses. A field of that name would replace them.
const taken = "Node Receiver Transmitter Field Constant Slider Select run setup log show cache compute storage self";

const reserved = new Set(`${keywords} ${taken} ${defaultReceiver} ${defaultTransmitter}`.split(/\s+/));

// Letters that every Python from 3.11 on accepts. Newer Unicode letters are syntax errors in an older Python.
const unsafe =
  /[^A-Za-z0-9_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0386-\u03ff\u0400-\u0481\u048a-\u04ff\u05d0-\u05ea\u0620-\u064a\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fef\uac00-\ud7a3]+/gu;
const notIdentifier = /[^\p{XID_Continue}]+/gu;
const longest = 60;

/** Makes a valid Python name that still reads like the text and is not in `used`. Adds it to `used`. */
export function uniqueIdentifier(text: string, used: Set<string>, fallback: string): string {
  const base = identifier(text, fallback);
  let name = base;
  for (let number = 2; used.has(name) || reserved.has(name); number++) {
    name = reserved.has(base) && number === 2 ? `${base}_` : `${base}_${number}`;
  }
  used.add(name);
  return name;
}

export function className(text: string): string {
  const words = identifier(text, "Imported").split("_");
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  const safe = identifier(name, "Imported");
  return reserved.has(safe) ? `${safe}Block` : safe;
}

function identifier(text: string, fallback: string): string {
  // Python compares names after NFKC. Without it the name in the code would differ from the name in the api.
  const words = text
    .slice(0, 4 * longest)
    .normalize("NFKC")
    .replaceAll(unsafe, "_")
    .replaceAll(notIdentifier, "_");
  const name = trimUnderscores(words.slice(0, longest)).normalize("NFKC");
  if (name === "") return fallback;
  return /^\p{XID_Start}/u.test(name) ? name : `${fallback}_${name}`;
}

// Names that begin with two underscores are mangled inside a Python class.
function trimUnderscores(text: string): string {
  return text.replaceAll(/_+/g, "_").replace(/^_/, "").replace(/_$/, "");
}
