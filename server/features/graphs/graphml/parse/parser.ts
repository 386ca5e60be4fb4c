import type { Place } from "./graphml-error.ts";
import { GraphmlError } from "./graphml-error.ts";
import type { Notes } from "../notes.ts";
import type { RawDocument } from "./raw-graph.ts";
import type { GraphmlLimits } from "../types.ts";
import { SaxesParser } from "saxes";
import { createDecoder, refuseCompressedText } from "./decode.ts";
import type { DocumentBuilder } from "./document.ts";
import { createDocumentBuilder } from "./document.ts";

export type GraphmlSource = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string> | string;

/** Parses a GraphML file as it arrives. Throws a GraphmlError that says what is wrong and where. */
export async function readDocument(source: GraphmlSource, notes: Notes, limits: GraphmlLimits): Promise<RawDocument> {
  const reader = createReader(notes, limits);
  if (typeof source === "string") reader.write(source);
  else for await (const chunk of source) reader.write(chunk);
  return reader.end();
}

function createReader(notes: Notes, limits: GraphmlLimits) {
  const builder = createDocumentBuilder(notes, limits);
  const xml = createXmlParser(builder);
  const decoder = createDecoder();
  let size = 0;
  let isText = false;

  function writeDecoded({ text, problem }: { text: string; problem?: string }): void {
    xml.write(text);
    if (problem !== undefined) throw new GraphmlError(problem, xml.nextPlace());
  }
  return {
    write(chunk: Uint8Array | string) {
      if (typeof chunk === "string" && size === 0) refuseCompressedText(chunk);
      size += chunk.length;
      if (size > limits.bytes)
        throw new GraphmlError(`The file is larger than ${Math.floor(limits.bytes / 2 ** 20)} MB.`);
      isText ||= typeof chunk === "string";
      if (typeof chunk === "string") xml.write(chunk.toWellFormed());
      else writeDecoded(decoder.write(chunk));
    },
    end(): RawDocument {
      if (size === 0) throw new GraphmlError("The file is empty.");
      if (!isText) writeDecoded(decoder.end());
      xml.end();
      return builder.document;
    },
  };
}

// No XML entity is longer. A longer one is an unescaped ampersand.
const longestEntity = 1000;

function createXmlParser(builder: DocumentBuilder) {
  // Namespaces are off: many files use undeclared prefixes, and their elements are still clear.
  const parser = new SaxesParser({ xmlns: false, position: true });
  const place = () => ({ line: parser.line, column: Math.max(1, parser.column) });
  let depth = 0;
  let isBeforeMarkup = true;
  let rootEnd: Place | undefined;

  parser.ENTITIES = onlyPredefinedEntities((name) => entityError(name, parser.line, parser.column - name.length - 1));
  parser.on("error", (error) => {
    const problem = error.message.replace(/^\d+:\d+: /, "");
    if (problem.startsWith("unclosed") || problem === "unexpected end.") refuseOpenEntity();
    const isStrayText = rootEnd !== undefined && problem.startsWith("text data outside");
    throw new GraphmlError(describe(problem, rootEnd !== undefined), isStrayText ? rootEnd : place());
  });
  parser.on("opentag", ({ name, attributes }) => {
    depth += 1;
    guard(() => builder.open(localName(name), attributes));
  });
  parser.on("closetag", () => {
    depth -= 1;
    if (depth === 0) rootEnd = place();
    builder.close();
  });
  parser.on("text", (text) => builder.text(text));
  parser.on("cdata", (text) => builder.text(text));

  function guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      throw error instanceof GraphmlError && !error.place ? new GraphmlError(error.reason, place()) : error;
    }
  }
  /** After a stray ampersand the parser would read on to the next semicolon, maybe to the end of the file. */
  function refuseOpenEntity(longest = 0): void {
    const open: unknown = Reflect.get(parser, "entity");
    if (typeof open === "string" && open.length > longest)
      throw entityError(open, parser.line, parser.column - open.length);
  }
  return {
    /** The position of the next character. */
    nextPlace: () => ({ line: parser.line, column: parser.column + 1 }),
    write(text: string) {
      if (isBeforeMarkup) isBeforeMarkup = !beginsMarkup(text, parser);
      parser.write(text);
      refuseOpenEntity(longestEntity);
    },
    end: () => void parser.close(),
  };
}

/** Refuses a file that is not XML at its first character, not at the end of its first line. */
function beginsMarkup(text: string, { line, column }: Place): boolean {
  const space = /^\ufeff?\s*/.exec(text)?.[0] ?? "";
  if (space.length === text.length) return false;
  if (text[space.length] === "<") return true;
  const lines = space.split("\n");
  const last = lines.at(-1)?.length ?? 0;
  const place = { line: line + lines.length - 1, column: (lines.length === 1 ? column : 0) + last + 1 };
  throw new GraphmlError("This is not an XML file.", place);
}

function entityError(name: string, line: number, column: number): GraphmlError {
  const breaks = name.split("\n").length - 1;
  const place = { line: line - breaks, column: breaks > 0 ? 1 : Math.max(1, column) };
  if (!/^[\p{L}_:][\p{L}\p{N}_:.-]*$/u.test(name) || name.length > 100)
    return new GraphmlError("This is not well-formed XML: an & that is not written as &amp;.", place);
  return new GraphmlError(`The entity &${name}; is not one of XML's own. Entities of a DTD are never resolved.`, place);
}

// The parser looks names up in this object: with a prototype, &constructor; would be an entity.
function onlyPredefinedEntities(refuse: (name: string) => GraphmlError): Record<string, string> {
  const predefined = new Map([
    ["amp", "&"],
    ["lt", "<"],
    ["gt", ">"],
    ["quot", '"'],
    ["apos", "'"],
  ]);
  return new Proxy<Record<string, string>>(Object.create(null), {
    get(_target, name) {
      const text = predefined.get(String(name));
      if (text === undefined) throw refuse(String(name));
      return text;
    },
  });
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function describe(problem: string, isAfterEnd: boolean): string {
  const detail = problem.replace(/\.$/, "");
  const unclosed = /^unclosed tag: (.*)$/s.exec(detail)?.[1];
  if (unclosed !== undefined) return `The file ends in the middle: <${unclosed.slice(0, 60)}> is never closed.`;
  if (detail === "unexpected end") return "The file ends in the middle.";
  if (detail === "document must contain a root element") return "The file ends before its first element.";
  if (isAfterEnd && detail === "text data outside of root node") return "There is text after the end of the GraphML.";
  return `This is not well-formed XML: ${detail.slice(0, 120)}.`;
}
