import * as Y from "yjs";

import { comment as limits } from "@miranda/contract/limits.ts";
import type { CommentTarget } from "@miranda/contract/schemas/comments/comments.ts";

import { lineByText, linesByText } from "./source-line.ts";

/** Where a thread is in a text now. `gone`: its line was deleted or rewritten. */
type FoundLine = { line: number } | "gone";

/** The start of a line, the line itself, and its first character that is no space. */
function lineAt(text: string, line: number): { start: number; content: string; first: number } {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf("\n", start);
    if (end < 0) break;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  const content = text.slice(start, end < 0 ? undefined : end);
  const indentation = content.length - content.trimStart().length;
  return { start, content, first: start + (content.trim() === "" ? 0 : indentation) };
}

/** What a new thread keeps of its line. Its anchor is the first character that is no space: indenting does not lose it. */
export function anchorOf(text: Y.Text, line: number): { line_text: string; anchor: string } {
  const { content, first } = lineAt(text.toJSON(), line);
  const position = Y.encodeRelativePosition(Y.createRelativePositionFromTypeIndex(text, first));
  return { line_text: content.slice(0, limits.lineTextMax), anchor: btoa(String.fromCharCode(...position)) };
}

/** Finds the line of a thread: by its anchor in the same document, else by its text. */
export function findLine(target: CommentTarget, text: Y.Text, epoch: string | null): FoundLine {
  const all = text.toJSON();
  const known = target.epoch === epoch ? byAnchor(target, text, all) : undefined;
  return known ?? byText(target, all);
}

function byAnchor(target: CommentTarget, text: Y.Text, all: string): FoundLine | undefined {
  const { anchor } = target;
  const { doc } = text;
  if (!doc || anchor === null) return undefined;
  try {
    // The anchor is from another person's browser: it may be anything.
    const position = Y.decodeRelativePosition(Uint8Array.from(atob(anchor), (one) => one.charCodeAt(0)));
    const found = Y.createAbsolutePositionFromRelativePosition(position, doc);
    if (!found || found.type !== text) return undefined;
    const line = all.slice(0, found.index).split("\n").length;
    const { item } = position;
    return item && Y.getItem(doc.store, item).deleted ? writtenAgain(target, all, line) : { line };
  } catch {
    return undefined;
  }
}

/** Undo and a commit from elsewhere write a deleted line again: in its old place, or just before it. */
function writtenAgain(target: CommentTarget, all: string, place: number): FoundLine {
  const same = target.line_text.trim() === "" ? [] : linesByText(target, all);
  const line = [place, place - 1].find((one) => same.includes(one));
  return line === undefined ? "gone" : { line };
}

function byText(target: CommentTarget, all: string): FoundLine {
  const line = lineByText(target, all);
  return line === undefined ? "gone" : { line };
}
