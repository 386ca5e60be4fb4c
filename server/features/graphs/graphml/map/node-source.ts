import { className, uniqueIdentifier } from "@miranda/contract/graph/python-names.ts";
import type { AttributeValue, ImportedNode } from "../types.ts";
import { defaultReceiver, defaultTransmitter } from "@miranda/contract/graph/python-names.ts";

export interface SourceAttribute {
  name: string;
  kind: string;
  direction: "RECEIVER" | "TRANSMITTER" | "RECEIVER_FIELD";
  value: AttributeValue | null;
}

export interface ImportedSource {
  source_code: string;
  attributes: SourceAttribute[];
}

type SourceNode = Pick<ImportedNode, "name" | "description" | "attributes" | "receivers" | "transmitters">;

const longestDocstring = 500;

/**
 * The code of a node from another program. Everything from the file becomes a literal or a sanitised name, so no text
 * of a file can become code.
 */
export function importedNodeSource(node: SourceNode): ImportedSource {
  const attributes = sourceAttributes(node);
  const lines = [
    "from miranda import Field, Node, Receiver, Transmitter",
    "",
    "",
    `class ${className(node.name)}(Node):`,
    ...docstring(node.description),
    ...attributes.map((attribute) => `    ${attribute.name} = ${declaration(attribute)}`),
    "",
    "    def run(self):",
    "        pass",
    "",
  ];
  return { source_code: lines.join("\n"), attributes };
}

function sourceAttributes(node: SourceNode): SourceAttribute[] {
  const receivers = [defaultReceiver, ...node.receivers];
  const transmitters = [defaultTransmitter, ...node.transmitters];
  const used = new Set([...receivers, ...transmitters]);
  return [
    ...receivers.map((name): SourceAttribute => ({ name, kind: "any", direction: "RECEIVER", value: null })),
    ...transmitters.map((name): SourceAttribute => ({ name, kind: "any", direction: "TRANSMITTER", value: null })),
    ...node.attributes.map(({ name, kind, value }): SourceAttribute => {
      return { name: uniqueIdentifier(name, used, "field"), kind, direction: "RECEIVER_FIELD", value };
    }),
  ];
}

function declaration({ direction, kind, value }: SourceAttribute): string {
  if (direction === "RECEIVER") return `Receiver(${pythonString(kind)})`;
  if (direction === "TRANSMITTER") return `Transmitter(${pythonString(kind)})`;
  return `Field(${pythonLiteral(value, kind)})`;
}

function docstring(description: string): string[] {
  const text = description.trim();
  if (text === "") return [];
  const cut = text.length > longestDocstring ? `${text.slice(0, longestDocstring).toWellFormed()}…` : text;
  return [`    ${pythonString(cut)}`, ""];
}

function pythonLiteral(value: AttributeValue | null, kind: string): string {
  if (typeof value === "string") return pythonString(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null || !Number.isFinite(value)) return "None";
  const digits = Object.is(value, -0) ? "-0" : String(value);
  return kind === "float" && /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}

/** On one line: invisible, directional and line-breaking characters are escaped. */
function pythonString(text: string): string {
  return `"${text.replaceAll(/["\\\p{C}\p{Zl}\p{Zp}]/gu, escapeCharacter)}"`;
}

const shortEscapes: Record<string, string> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
