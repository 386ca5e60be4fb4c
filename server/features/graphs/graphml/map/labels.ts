import type { Value } from "../parse/keys.ts";
import { parseDecimal } from "../parse/keys.ts";
import type { RawGraphics, RawOwner } from "../parse/raw-graph.ts";
import { colourOfChannels, parseColour } from "../parse/colour.ts";
import type { Position } from "../types.ts";

// The order documented in docs/graphml.md. A drawn label (yEd's y:NodeLabel) comes first.
const nameKeys = ["label", "name", "title", "caption", "id", "labelv", "labels"];
const edgeTextKeys = ["label", "name", "title", "caption", "labele"];
const descriptionKeys = ["description", "desc", "graphdescription"];
const colourKeys = ["color", "colour", "fill", "dcolor"];
// yEd writes these for every node, mostly without a value.
const boringWhenEmpty = new Set(["url", ...descriptionKeys]);
const farthest = 1e9;

/** Removes the first of the named values that is not empty from the list, and returns it. */
function take(values: Value[], names: readonly string[]): string | undefined {
  for (const name of names) {
    const index = values.findIndex((value) => value.plainName === name && value.text.trim() !== "");
    if (index >= 0) return values.splice(index, 1)[0]?.text;
  }
  return undefined;
}

/** The node's name in the file. The value it is taken from leaves the list. */
export function takeLabel(values: Value[], graphics: RawGraphics | undefined): string | undefined {
  const drawn = graphics?.labels[0];
  if (drawn !== undefined) return plainText(drawn);
  return take(values, nameKeys);
}

export function takeGraphName(values: Value[]): string | undefined {
  return take(values, ["label", "name", "title"]);
}

export function takeEdgeText(values: Value[], owner: RawOwner): string | undefined {
  const drawn = owner.graphics?.labels.map(plainText).join("\n");
  if (drawn) return drawn;
  return take(values, edgeTextKeys) ?? takeDescription(values, owner);
}

export function takeDescription(values: Value[], owner: RawOwner): string | undefined {
  if (owner.description.trim() !== "") return owner.description.trim();
  return take(values, descriptionKeys)?.trim();
}

export function takeCentre(values: Value[], graphics: RawGraphics | undefined): Position | undefined {
  const geometry = graphics?.geometry;
  if (geometry) return near({ x: geometry.x + geometry.width / 2, y: geometry.y + geometry.height / 2 });
  const [x, y] = [numberOf(values, "x"), numberOf(values, "y")];
  const centre = x === undefined || y === undefined ? undefined : near({ x, y });
  if (centre) drop(values, ["x", "y"]);
  return centre;
}

export function takeColour(
  values: Value[],
  graphics: RawGraphics | undefined,
  resources: ReadonlyMap<string, string>,
): string | undefined {
  const drawn = graphics?.fill ?? resources.get(graphics?.fillReference ?? "");
  if (drawn !== undefined) return drawn;
  for (const name of colourKeys) {
    const text = values.find((value) => value.plainName === name)?.text ?? "";
    const colour = parseColour(text);
    if (colour === undefined) continue;
    drop(values, [name]);
    return colour;
  }
  const channels = ["r", "g", "b"].flatMap((name) => numberOf(values, name) ?? []);
  const mixed = colourOfChannels(channels);
  if (mixed !== undefined) drop(values, ["r", "g", "b"]);
  return mixed;
}

export function dropEmpty(values: Value[]): Value[] {
  return values.filter(({ plainName, text }) => text.trim() !== "" || !boringWhenEmpty.has(plainName));
}

function numberOf(values: Value[], name: string): number | undefined {
  return parseDecimal(values.find((value) => value.plainName === name)?.text ?? "");
}

function drop(values: Value[], names: string[]): void {
  for (const name of names) {
    const index = values.findIndex((value) => value.plainName === name);
    if (index >= 0) values.splice(index, 1);
  }
}

function near(position: Position): Position | undefined {
  return Math.abs(position.x) <= farthest && Math.abs(position.y) <= farthest ? position : undefined;
}

/** The text of yEd's labels, which may be HTML. */
export function plainText(label: string): string {
  if (!/^\s*<html/i.test(label)) return label;
  const text = label.slice(0, 4000).replaceAll(/<[^<>]*>/g, " ");
  return text.replaceAll("&nbsp;", " ").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** One line without control characters, fit for a name. Neo4j's labels begin with a colon. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .replace(/^:(?=\S)/, "");
}

/** At most `length` characters, never half a character. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 2);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 2 : length - 1)}…`;
}
