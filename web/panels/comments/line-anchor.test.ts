import { expect, it } from "vitest";
import * as Y from "yjs";

import type { CommentTarget } from "@miranda/contract/schemas/comments/comments.ts";

import { anchorOf, findLine } from "./line-anchor.ts";

function textOf(content: string): Y.Text {
  const text = new Y.Doc().getText("code");
  text.insert(0, content);
  return text;
}

function targetAt(text: Y.Text, line: number): CommentTarget {
  return {
    ...{ kind: "line", metadata_id: 1, node_name: "Train", node_deleted: false, line, epoch: "e" },
    ...{ run_id: null, run_number: null },
    ...anchorOf(text, line),
  };
}

const code = "import os\n\ndef run():\n    return os.name\n";

it("moves with edits above it, of its indentation and of its words", () => {
  const text = textOf(code);
  const target = targetAt(text, 4);
  text.insert(0, "# one\n# two\n");
  const at = text.toJSON().indexOf("    return");
  text.insert(at, "    ");
  text.insert(text.toJSON().indexOf("os.name"), "str(");
  expect(findLine(target, text, "e")).toEqual({ line: 6 });
});

it("says that a deleted line is gone, although the same text is elsewhere", () => {
  const text = textOf("a = 1\nb = 2\na = 1\n");
  const target = targetAt(text, 3);
  text.delete(text.toJSON().lastIndexOf("a = 1"), 5);
  expect(findLine(target, text, "e")).toBe("gone");
  const again = textOf("a = 1\nb = 2\na = 1\n");
  const first = targetAt(again, 1);
  again.delete(0, 6);
  expect(findLine(first, again, "e")).toBe("gone");
});

it("stays with a line that another person's undo writes again", () => {
  const text = textOf(code);
  const target = targetAt(text, 4);
  const line = "    return os.name\n";
  const other = new Y.Doc();
  Y.applyUpdate(other, Y.encodeStateAsUpdate(text.doc as Y.Doc));
  const theirs = other.getText("code");
  const undo = new Y.UndoManager(theirs);
  theirs.delete(code.indexOf(line), line.length);
  const take = () => Y.applyUpdate(text.doc as Y.Doc, Y.encodeStateAsUpdate(other));
  take();
  expect(findLine(target, text, "e")).toBe("gone");
  undo.undo();
  take();
  expect(text.toJSON()).toBe(code);
  expect(findLine(target, text, "e")).toEqual({ line: 4 });
});

it("finds the nearest line of the same text in another document, or none", () => {
  const target = targetAt(textOf(code), 4);
  expect(findLine(target, textOf(`# new\n${code}`), "other")).toEqual({ line: 5 });
  expect(findLine(target, textOf("pass\n"), "other")).toBe("gone");
});

it("falls back to the line text when the anchor is invalid", () => {
  const text = textOf(code);
  const target = { ...targetAt(text, 4), anchor: btoa("\u0007\u00ff\u00ff\u00ff\u00ff\u00ff") };
  expect(findLine(target, text, "e")).toEqual({ line: 4 });
});
