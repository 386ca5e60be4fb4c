import type { Notes } from "../notes.ts";
import { quoted } from "../notes.ts";
import type { KeyDomain, RawKey, RawOwner } from "./raw-graph.ts";
import type { AttributeKind, AttributeValue } from "../types.ts";

/** One value of an element: written in the file, or the default of its key. */
export interface Value {
  name: string;
  /** In lower case: programs spell the same name differently. */
  plainName: string;
  type: string;
  text: string;
  isDefault: boolean;
}

export interface Keys {
  /** The element's own values in the file's order, then the defaults of the keys it does not mention. */
  valuesOf(domain: KeyDomain, owner: RawOwner): Value[];
}

interface Key extends RawKey {
  plainName: string;
}

export function createKeys(declared: RawKey[], notes: Notes, most: number): Keys {
  const byId = new Map<string, Key[]>();
  for (const raw of declared) {
    const key = { ...raw, plainName: raw.name.toLowerCase() };
    const same = byId.get(key.id);
    if (!same) byId.set(key.id, [key]);
    else if (same.some((other) => other.domain === key.domain))
      notes.add("A key is declared twice; the first declaration counts", { example: key.id });
    else same.push(key);
  }
  const withDefault = new Map<string, Key[]>();
  for (const key of byId.values().flatMap((same) => same.values())) {
    if (!key.default) continue;
    const others = withDefault.get(key.domain);
    if (others) others.push(key);
    else withDefault.set(key.domain, [key]);
  }

  function find(id: string, domain: KeyDomain): Key | undefined {
    const same = byId.get(id);
    return same?.find((key) => key.domain === domain) ?? same?.find((key) => key.domain === "all") ?? same?.[0];
  }

  return {
    valuesOf(domain, owner) {
      const values = new Map<string, Value>();
      for (const datum of owner.data) {
        const key = datum.isXmlAttribute ? undefined : find(datum.key, domain);
        if (!key && !datum.isXmlAttribute)
          notes.add("Data with a key that the file does not declare was read as text", { example: datum.key });
        const id = datum.isXmlAttribute ? `@${datum.key}` : datum.key;
        const { name, plainName, type } = key ?? {
          name: datum.key,
          plainName: datum.key.toLowerCase(),
          type: "string",
        };
        values.set(id, { name, plainName, type, text: datum.text, isDefault: false });
      }
      for (const applies of [domain, "all"] as const) {
        for (const key of withDefault.get(applies) ?? []) {
          if (values.size >= most) break;
          if (values.has(key.id)) continue;
          const { name, plainName, type } = key;
          values.set(key.id, { name, plainName, type, text: key.default ?? "", isDefault: true });
        }
      }
      return [...values.values()];
    },
  };
}

const booleans = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

/** The value in the type of its key, or as text when it does not fit. */
export function typedValue(value: Value, notes: Notes): { kind: AttributeKind; value: AttributeValue } {
  const typed = convert(value.type.trim().toLowerCase(), value.text.trim());
  if (typed) return typed;
  if (isTyped(value.type) && value.text.trim() !== "")
    notes.add(`Values of ${quoted(value.name)} that are no ${value.type} were kept as text`, { example: value.text });
  return { kind: "string", value: value.text };
}

function isTyped(type: string): boolean {
  return ["boolean", "int", "integer", "long", "float", "double"].includes(type.trim().toLowerCase());
}

function convert(type: string, text: string): { kind: AttributeKind; value: AttributeValue } | undefined {
  switch (type) {
    case "boolean": {
      const value = booleans.get(text.toLowerCase());
      return value === undefined ? undefined : { kind: "boolean", value };
    }
    case "int":
    case "integer":
    case "long": {
      const value = Number(text);
      return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(value) ? { kind: "int", value: value + 0 } : undefined;
    }
    case "float":
    case "double": {
      const value = parseDecimal(text);
      return value === undefined ? undefined : { kind: "float", value };
    }
    default:
      return undefined;
  }
}

export function parseDecimal(text: string): number | undefined {
  const trimmed = text.trim();
  // Longer than any number that fits a double, and the pattern takes quadratic time on a megabyte of digits.
  if (trimmed.length > 400) return undefined;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}
