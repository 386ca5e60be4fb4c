import { describe, expect, it } from "vitest";

import { indentOf, tidyWhitespace } from "./whitespace.ts";

describe("how a text is indented", () => {
  it.each([
    ["", "    "],
    ["a\nb\n", "    "],
    ["def f():\n  return 1\n", "  "],
    ["def f():\n    return 1\n", "    "],
    ["def f():\n\treturn 1\n", "\t"],
  ])("%j", (text, indent) => {
    expect(indentOf(text)).toBe(indent);
  });
});

describe("tidying whitespace", () => {
  it.each([
    ["", ""],
    ["a", "a\n"],
    ["a  \n\n\n", "a\n"],
    ["def f():\n\treturn 1 \t\n", "def f():\n    return 1\n"],
    ["a\n   \nb\n", "a\n\nb\n"],
  ])("%j", (before, after) => {
    expect(tidyWhitespace(before)).toBe(after);
  });

  it.each([
    'x = """one  \n\ttwo  \n"""\n',
    "x = '''it's \"\"\" here  \n  \n'''\n",
    "y = \"not ''' open\"\nz = 1\n",
    "# a ''' in a comment\nz = 1\n",
  ])("leaves the inside of texts alone: %j", (text) => {
    expect(tidyWhitespace(text)).toBe(text);
  });

  it("goes on after a text", () => {
    expect(tidyWhitespace('x = """a  \n  b"""  \ny = 1  \n')).toBe('x = """a  \n  b"""  \ny = 1\n');
  });

  it("changes nothing twice", () => {
    const once = tidyWhitespace("class A:\n\tx = 1  \n\n\n");
    expect(tidyWhitespace(once)).toBe(once);
  });
});
