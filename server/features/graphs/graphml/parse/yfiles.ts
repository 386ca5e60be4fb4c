import { parseColour } from "./colour.ts";
import type { RawElement, RawGraphics } from "./raw-graph.ts";

/**
 * Reads the elements of yEd, yFiles and a few others inside `data`: labels, geometry and fill. Undefined when nothing
 * is known.
 */
export function readGraphics(children: RawElement[]): RawGraphics | undefined {
  const graphics: RawGraphics = { labels: [], texts: [], bends: 0, pictures: 0 };
  const seen = { known: false };
  for (const child of children) {
    if (child.name === "rect" || child.name === "point") {
      readGeometry(child, graphics);
      seen.known = true;
    } else {
      visit(child, graphics, seen);
    }
  }
  return seen.known ? graphics : undefined;
}

const readers: Record<string, (element: RawElement, graphics: RawGraphics) => void> = {
  NodeLabel: readLabel,
  EdgeLabel: readLabel,
  Label: readLabel,
  AttributeLabel: (element, graphics) => readText("attributes", element, graphics),
  MethodLabel: (element, graphics) => readText("methods", element, graphics),
  Geometry: readGeometry,
  RectD: readGeometry,
  Fill: readFill,
  Point: countBend,
  Bend: countBend,
  Image: countPicture,
  ImageNodeStyle: countPicture,
  SVGContent: countPicture,
  SVGNode: countPicture,
  GraphMLReference: (element, graphics) => {
    graphics.fillReference ??= element.attributes["ResourceKey"] ?? "";
  },
};

const drawingElement = /(?:Node|Edge|Style|Realizers|Arrows|Path|Shape)$/;

function visit(element: RawElement, graphics: RawGraphics, seen: { known: boolean }): void {
  const read = Object.hasOwn(readers, element.name) ? readers[element.name] : undefined;
  if (read) read(element, graphics);
  if (element.name.endsWith("NodeStyle")) readStyleFill(element, graphics);
  if (read || drawingElement.test(element.name)) seen.known = true;
  if (read === readLabel) return;
  for (const child of visibleChildren(element)) visit(child, graphics, seen);
}

/** A yEd group has one drawing per state. Only the active one is visible. */
function visibleChildren(element: RawElement): RawElement[] {
  if (element.name !== "Realizers") return element.children;
  const active = element.children[Number(element.attributes["active"] ?? 0)] ?? element.children[0];
  return active ? [active] : [];
}

function readLabel(element: RawElement, graphics: RawGraphics): void {
  const written = element.children.find((child) => child.name === "Label.Text");
  const text = written?.text ?? element.attributes["Text"] ?? element.text;
  if (text.trim() !== "") graphics.labels.push(text);
}

function readText(name: string, element: RawElement, graphics: RawGraphics): void {
  if (element.text.trim() !== "") graphics.texts.push({ name, text: element.text });
}

function readGeometry(element: RawElement, graphics: RawGraphics): void {
  const { attributes } = element;
  const x = number(attributes["x"] ?? attributes["X"]);
  const y = number(attributes["y"] ?? attributes["Y"]);
  if (x === undefined || y === undefined) return;
  const width = number(attributes["width"] ?? attributes["Width"]) ?? 0;
  const height = number(attributes["height"] ?? attributes["Height"]) ?? 0;
  graphics.geometry ??= { x, y, width, height };
}

function readFill(element: RawElement, graphics: RawGraphics): void {
  if (element.attributes["transparent"] === "true" || element.attributes["hasColor"] === "false") return;
  const colour = parseColour(element.attributes["color"] ?? "");
  if (colour !== undefined) graphics.fill ??= colour;
}

// yFiles writes the opacity first (#AARRGGBB), yEd last. Mixing them up turns orange into blue.
function readStyleFill(element: RawElement, graphics: RawGraphics): void {
  const fill = element.attributes["fill"] ?? element.attributes["tabFill"] ?? "";
  const reference = /^\{y:GraphMLReference (.+)\}$/.exec(fill)?.[1];
  if (reference !== undefined) graphics.fillReference ??= reference;
  const colour = parseColour(fill, "first");
  if (colour !== undefined) graphics.fill ??= colour;
}

function countBend(_element: RawElement, graphics: RawGraphics): void {
  graphics.bends += 1;
}

function countPicture(_element: RawElement, graphics: RawGraphics): void {
  graphics.pictures += 1;
}

/** Colours that nodes refer to by key instead of repeating them. */
export function readSharedColours(children: RawElement[], resources: Map<string, string>): void {
  for (const shared of children.filter((child) => child.name === "SharedData")) {
    for (const resource of shared.children) {
      const key = resource.attributes["x:Key"];
      const colour = sharedColour(resource);
      if (key !== undefined && colour !== undefined) resources.set(key, colour);
    }
  }
}

function sharedColour(resource: RawElement): string | undefined {
  const { fill, tabFill, value, color } = resource.attributes;
  const written = fill ?? tabFill ?? value ?? color;
  return written === undefined ? undefined : parseColour(written, "first");
}

function number(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
