import type { Value } from "../parse/keys.ts";
import type { Notes } from "../notes.ts";
import { decodeText } from "../parse/text.ts";
import type { ImportedEdge, ImportedNode, Position } from "../types.ts";
import { importedClasses } from "../types.ts";

/** The data keys of our own export. Ignored in a file without the format mark. */
export const own = {
  format: "miranda.format",
  name: "miranda.name",
  description: "miranda.description",
  sourceCode: "miranda.source_code",
  api: "miranda.api",
  body: "miranda.body",
  tags: "miranda.tags",
  position: "miranda.position",
  locked: "miranda.locked",
  order: "miranda.order",
  git: "miranda.git",
  gitBranch: "miranda.git_branch",
  transmitter: "miranda.transmitter",
  receiver: "miranda.receiver",
  segments: "miranda.segments",
  isField: "miranda.is_field",
  text: "miranda.text",
} as const;
export const ownFormat = "1";
export const shared = {
  label: "label",
  description: "description",
  class: "class",
  x: "x",
  y: "y",
  colour: "color",
} as const;

const deepestJson = 100;
const farthest = 1e7;

export function isOwnNode(values: Value[]): boolean {
  return values.some(({ name }) => name === own.sourceCode);
}

export function isOwnEdge(values: Value[]): boolean {
  return values.some(({ name }) => name === own.transmitter);
}

export function ownText(values: Value[], ...names: string[]): string | undefined {
  for (const name of names) {
    const value = values.find((candidate) => candidate.name === name);
    if (value) return decodeText(value.text);
  }
  return undefined;
}

export type OwnFields = Pick<
  ImportedNode,
  "name" | "description" | "class" | "source_code" | "api" | "body" | "tags" | "locked" | "order" | "git" | "git_branch"
>;

export function readOwnNode(
  values: Value[],
  id: string,
  notes: Notes,
): { fields: OwnFields; position: Position | undefined } {
  const text = (...names: string[]) => ownText(values, ...names);
  const tags = json(values, own.tags, notes);
  const order = text(own.order);
  const fields: OwnFields = {
    name: text(own.name, shared.label) ?? id,
    description: text(own.description, shared.description) ?? "",
    class: importedClasses.find((known) => known === text(shared.class)) ?? "Code_block",
    source_code: text(own.sourceCode) ?? "",
    api: json(values, own.api, notes) ?? null,
    body: json(values, own.body, notes) ?? null,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
    git: text(own.git) ?? null,
    git_branch: text(own.gitBranch) ?? null,
  };
  const locked = text(own.locked);
  if (locked !== undefined) fields.locked = locked === "true";
  if (order !== undefined && Number.isFinite(Number(order))) fields.order = Number(order);
  noteStrangers(values, notes);
  return { fields, position: readPosition(json(values, own.position, notes)) };
}

export function readOwnEdge(
  values: Value[],
  notes: Notes,
): Pick<ImportedEdge, "transmitter" | "receiver" | "segments" | "is_field" | "text"> {
  const isField = ownText(values, own.isField);
  const text = ownText(values, own.text, shared.label);
  return {
    transmitter: ownText(values, own.transmitter) ?? "",
    receiver: ownText(values, own.receiver) ?? "",
    segments: json(values, own.segments, notes) ?? null,
    ...(isField === undefined ? {} : { is_field: isField === "true" }),
    ...(text === undefined ? {} : { text }),
  };
}

function readPosition(value: unknown): Position | undefined {
  if (typeof value !== "object" || value === null || !("x" in value) || !("y" in value)) return undefined;
  const { x, y } = value;
  if (typeof x !== "number" || typeof y !== "number") return undefined;
  return Math.abs(x) <= farthest && Math.abs(y) <= farthest ? { x, y } : undefined;
}

function json(values: Value[], name: string, notes: Notes): unknown {
  const text = values.find((candidate) => candidate.name === name)?.text;
  if (text === undefined) return undefined;
  try {
    if (isShallow(text)) return JSON.parse(text);
  } catch {
    // Noted below, like everything that is not kept.
  }
  notes.add("A part that Miranda exported was changed and could not be read", { example: name });
  return undefined;
}

// Values are sent between threads and written as JSON, which both overflow the stack on deep nesting.
function isShallow(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth > deepestJson) return false;
  }
  return true;
}

const known = new Set<string>([...Object.values(own), ...Object.values(shared)]);

function noteStrangers(values: Value[], notes: Notes): void {
  for (const { name, isDefault } of values) {
    if (!known.has(name) && !isDefault)
      notes.add("Data that another program added to a node of Miranda is not kept", { example: name });
  }
}
