import { gzipSync } from "node:zlib";
import { GraphmlError } from "./parse/graphml-error.ts";
import type { GraphmlLimits } from "./types.ts";
import { describe, expect, test } from "vitest";
import { parseGraphml } from "./import.ts";
import type { GraphmlSource } from "./parse/parser.ts";

const small = `<?xml version="1.0" encoding="UTF-8"?>\n<graphml>\n<graph edgedefault="directed">\n<node id="é"/>\n</graph>\n</graphml>\n`;
const bytesOf = (text: string, encoding: BufferEncoding = "utf8") => [Buffer.from(text, encoding)];

async function refusal(source: GraphmlSource, limits?: Partial<GraphmlLimits>): Promise<GraphmlError> {
  const error: unknown = await parseGraphml(source, limits).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GraphmlError);
  return error as GraphmlError;
}

describe("a file that is not GraphML", () => {
  test.each<[string, GraphmlSource, string]>([
    ["nothing", "", "The file is empty."],
    ["no bytes", [], "The file is empty."],
    ["only spaces", " \n ", "The file ends before its first element. (line 2, column 1)"],
    ["words", "Dear reader,\nhello", "This is not an XML file. (line 1, column 1)"],
    ["words after a byte order mark and spaces", "\ufeff\n  words", "This is not an XML file. (line 2, column 3)"],
    ["JSON", '{"nodes": []}', "This is not an XML file. (line 1, column 1)"],
    [
      "a picture",
      [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a])],
      "The file is not written in the encoding it claims: these bytes are not UTF-8. (line 1, column 1)",
    ],
    [
      "HTML",
      "<!DOCTYPE html><html><body/></html>",
      "This is XML, but not GraphML: its first element is <html>. (line 1, column 21)",
    ],
    [
      "GEXF",
      '<?xml version="1.0"?>\n<gexf version="1.2"/>',
      "This is XML, but not GraphML: its first element is <gexf>. (line 2, column 21)",
    ],
    ["gzip", [gzipSync(small)], "This file is compressed. Unpack it first."],
    ["gzip read as text", gzipSync(small).toString("utf8"), "This file is compressed. Unpack it first."],
    ["zip", [Buffer.from("PK\u0003\u0004rest")], "This file is compressed. Unpack it first."],
  ])("%s", async (_, source, message) => {
    expect((await refusal(source)).message).toBe(message);
  });
});

describe("a file that is malformed", () => {
  test.each<[string, string, RegExp]>([
    [
      "cut off in an element",
      small.slice(0, -12),
      /^The file ends in the middle: <graphml> is never closed\. \(line 5, column 8\)$/,
    ],
    [
      "cut off in a tag",
      small.slice(0, small.indexOf('"é"')),
      /^The file ends in the middle: <graph> is never closed\. \(line 4, column 9\)$/,
    ],
    [
      "crossed tags",
      "<graphml><graph></graphml></graph>",
      /^This is not well-formed XML: unexpected close tag\. \(line 1, column 26\)$/,
    ],
    [
      "a stray ampersand",
      "<graphml>\n<desc>a & b</desc></graphml>",
      /^This is not well-formed XML: an & that is not written as &amp;\. \(line 2, column 9\)$/,
    ],
    [
      "a stray ampersand before a semicolon far away",
      `<graphml><desc>\n a &\n b; </desc></graphml>`,
      /an & that is not written as &amp;\. \(line 2, column 1\)$/,
    ],
    [
      "a stray ampersand before a large rest",
      `<graphml><desc>&${"x".repeat(100_000)}</desc></graphml>`,
      /an & that is not written as &amp;\. \(line 1/,
    ],
    ["an attribute twice", '<graphml><graph id="a" id="b"/></graphml>', /duplicate attribute: id/],
    ["a control character", "<graphml>\u0001</graphml>", /disallowed character\. \(line 1, column 10\)$/],
    ["text after the end", "<graphml/>\nmore", /^There is text after the end of the GraphML\. \(line 1, column 10\)$/],
    ["two roots", "<graphml/><graphml/>", /only one root/],
  ])("%s", async (_, source, message) => {
    const error = await refusal(source);
    expect(error.message).toMatch(message);
    expect(error.line).toBeGreaterThan(0);
    expect(error.column).toBeGreaterThan(0);
  });

  test("is refused wherever it is cut", async () => {
    const bytes = Buffer.from(small.trim());
    for (let length = 1; length < bytes.length; length++) {
      const error = await refusal([bytes.subarray(0, length)]);
      expect(error.message).toMatch(/^The file (?:ends|is not written)/);
    }
  });
});

describe("entities", () => {
  const bomb = `<!DOCTYPE graphml [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, level) => `<!ENTITY lol${level + 1} "${`&lol${level || ""};`.repeat(10)}">`).join("")}]>`;

  test.each([
    [
      "a bomb",
      `${bomb}\n<graphml><desc>&lol9;</desc></graphml>`,
      "The entity &lol9; is not one of XML's own. Entities of a DTD are never resolved. (line 2, column 16)",
    ],
    [
      "an external one",
      `<!DOCTYPE graphml [<!ENTITY xxe SYSTEM "file:///etc/passwd">]><graphml><desc>&xxe;</desc></graphml>`,
      /^The entity &xxe; is not one/,
    ],
    [
      "an external one in an attribute",
      `<!DOCTYPE graphml [<!ENTITY xxe SYSTEM "file:///etc/passwd">]><graphml><graph id="&xxe;"/></graphml>`,
      /^The entity &xxe; is not one/,
    ],
    ["one of HTML", "<graphml><desc>&nbsp;</desc></graphml>", /^The entity &nbsp; is not one/],
    [
      "a name that objects have",
      "<graphml><desc>&constructor;</desc></graphml>",
      /^The entity &constructor; is not one/,
    ],
    ["an impossible character", "<graphml><desc>&#0;</desc></graphml>", /malformed character entity/],
  ])("refuses %s at once", async (_, source, message) => {
    const before = process.threadCpuUsage();
    expect((await refusal(source)).message).toMatch(message);
    expect(process.threadCpuUsage(before).user).toBeLessThan(500_000);
  });

  test("reads XML's five entities and numeric references", async () => {
    const { nodes } = await parseGraphml(
      "<graphml><graph><node id='a&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;'/></graph></graphml>",
    );
    expect(nodes[0]?.name).toBe("a&<>\"'A😀");
  });
});

describe("encodings", () => {
  const declared = (encoding: string) => small.replace("UTF-8", encoding);
  const swapped = (text: string) => Buffer.from(text, "utf16le").swap16();
  const mark = "\ufeff";

  test.each<[string, GraphmlSource]>([
    ["UTF-8", bytesOf(small)],
    ["UTF-8 with a byte order mark", bytesOf(mark + small)],
    ["UTF-8 with a byte order mark, although it names ISO-8859-1", bytesOf(mark + declared("ISO-8859-1"))],
    ["UTF-16 LE", bytesOf(mark + declared("UTF-16"), "utf16le")],
    ["UTF-16 BE", [swapped(mark + declared("UTF-16"))]],
    ["UTF-16 LE without a byte order mark", bytesOf(declared("UTF-16"), "utf16le")],
    ["UTF-16 BE without a byte order mark", [swapped(declared("UTF-16"))]],
    ["ISO-8859-1", bytesOf(declared("ISO-8859-1"), "latin1")],
    ["windows-1252", bytesOf(declared("windows-1252"), "latin1")],
    ["text that claims any encoding", declared("UTF-16")],
    ["text with a byte order mark", mark + small],
  ])("reads %s", async (_, source) => {
    expect((await parseGraphml(source)).nodes[0]?.name).toBe("é");
  });

  test("reads single-byte chunks", async () => {
    for (const [bytes] of [bytesOf(small), bytesOf(mark + declared("UTF-16"), "utf16le")]) {
      expect((await parseGraphml(Array.from(bytes!, (byte) => Uint8Array.of(byte)))).nodes[0]?.name).toBe("é");
    }
  });

  test.each<[string, GraphmlSource, RegExp]>([
    ["Latin 1 that claims UTF-8", bytesOf(small, "latin1"), /these bytes are not UTF-8\. \(line 4, column 11\)$/],
    [
      "half a character at the end",
      [Buffer.concat([Buffer.from(small), Uint8Array.of(0xc3)])],
      /these bytes are not UTF-8/,
    ],
    ["an overlong slash", [Buffer.from([0x3c, 0xc0, 0xaf])], /these bytes are not UTF-8/],
    [
      "a surrogate in UTF-8",
      [Buffer.concat([Buffer.from("<graphml>"), Uint8Array.of(0xed, 0xa0, 0x80)])],
      /these bytes are not UTF-8\. \(line 1, column 10\)$/,
    ],
    [
      "half a character in UTF-16",
      [Buffer.concat([Buffer.from(`${mark}<graphml/>`, "utf16le"), Uint8Array.of(0x20)])],
      /these bytes are not UTF-16LE/,
    ],
    [
      "ASCII that claims UTF-16",
      bytesOf(declared("UTF-16")),
      /^The file says that it is written in UTF-16, but it is not\. \(line 1, column 1\)$/,
    ],
    ["an unknown encoding", bytesOf(declared("klingon-8")), /^The encoding "klingon-8" is not known/],
    ["UTF-32", [Buffer.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0])], /UTF-32/],
  ])("refuses %s", async (_, source, message) => {
    expect((await refusal(source)).message).toMatch(message);
  });
});

describe("sizes", () => {
  test("refuses 100,000 nested levels anywhere", async () => {
    for (const [open, close] of [
      ["<graph>", "</graph>"],
      ["<node id='a'><graph>", "</graph></node>"],
      ["<x>", "</x>"],
      ["<data key='k'><y>", "</y></data>"],
    ] as const) {
      const text = `<graphml>${open.repeat(100_000)}${close.repeat(100_000)}</graphml>`;
      expect((await refusal(text)).message).toMatch(
        /^This file has more than 256 elements inside each other\. \(line 1, column \d+\)$|^This is not/,
      );
    }
    const inData = `<graphml><graph><node id="a"><data key="k">${"<y>".repeat(100_000)}`;
    expect((await refusal(inData)).message).toMatch(/more than 256 elements/);
  });

  test.each<[string, string, Partial<GraphmlLimits>, RegExp]>([
    [
      "nodes",
      `<graph>${[1, 2, 3].map((id) => `<node id="${id}"/>`).join("\n")}</graph>`,
      { nodes: 2 },
      /^This file has more than 2 nodes.*\(line 3/,
    ],
    [
      "nodes that only edges name",
      '<graph><edge source="a" target="b"/><edge source="c" target="d"/></graph>',
      { nodes: 3 },
      /more than 3 nodes/,
    ],
    ["junctions", '<graph><node id="a"/><hyperedge/><hyperedge/></graph>', { nodes: 2 }, /more than 2 nodes/],
    [
      "edges",
      `<graph><node id="a"/>${'<edge source="a" target="a"/>'.repeat(3)}</graph>`,
      { edges: 2 },
      /^This file has more than 2 edges/,
    ],
    [
      "ends of hyperedges",
      `<graph><node id="a"/><hyperedge>${'<endpoint node="a"/>'.repeat(3)}</hyperedge></graph>`,
      { edges: 2 },
      /more than 2 edges/,
    ],
    ["graphs", "<graph/><graph/><graph/>", { nodes: 2 }, /too many graphs/],
    ["keys", '<key id="a"/>'.repeat(10_001), {}, /more than 10,000 keys/],
    ["bytes", `<graph>${" ".repeat(2 ** 20)}</graph>`, { bytes: 2 ** 20 }, /^The file is larger than 1 MB\.$/],
  ])("refuses too many %s with clear words", async (_, inside, limits, message) => {
    expect((await refusal(`<graphml>${inside}</graphml>`, limits)).message).toMatch(message);
  });

  test("refuses a short file whose defaults expand to gigabytes", async () => {
    const keys = Array.from(
      { length: 100 },
      (_, index) => `<key id="k${index}" for="node"><default>${"x".repeat(9000)}</default></key>`,
    );
    const nodes = Array.from({ length: 1000 }, (_, index) => `<node id="${index}"/>`);
    expect((await refusal(`<graphml>${keys.join("")}<graph>${nodes.join("")}</graph></graphml>`)).message).toMatch(
      /unfold to more data/,
    );
  });

  test("keeps the first values, ports and labels of a node with too many", async () => {
    const many = Array.from(
      { length: 3000 },
      (_, at) =>
        `<data key="k${at}">v</data><port name="p${at}"/><data key="g"><y:NodeLabel>l${at}</y:NodeLabel></data>`,
    );
    const { nodes, notes } = await parseGraphml(
      `<graphml><graph><node id="a">${many.join("")}</node></graph></graphml>`,
    );
    expect(nodes[0]?.attributes).toHaveLength(200);
    expect(nodes[0]?.ports).toHaveLength(200);
    expect(notes.join("\n")).toMatch(/more than 200 ports[\s\S]*more than 200 values/);
  });

  test("says when an element has more attributes than are kept", async () => {
    const attributes = Array.from({ length: 250 }, (_, at) => `a${at}="${at}"`).join(" ");
    const { nodes, notes } = await parseGraphml(
      `<graphml><graph><node id="a" ${attributes}/><node id="b"/><edge source="a" target="b" ${attributes}/></graph></graphml>`,
    );
    expect(nodes[0]?.attributes).toHaveLength(200);
    expect(notes).toContain(
      'An element has more than 200 attributes; the others are not kept: "a200", "a201", "a202", …. (100 times)',
    );
  });

  test("keeps the list of notes readable", async () => {
    const edges = Array.from(
      { length: 1000 },
      (_, at) => `<edge source="a" target="a"><data key="k${at}">v</data></edge>`,
    );
    const { notes } = await parseGraphml(
      `<graphml><graph edgedefault="directed"><node id="a"/>${edges.join("")}</graph></graphml>`,
    );
    expect(notes).toHaveLength(101);
    expect(notes.at(-1)).toMatch(/^More was found that is not listed here\./);
  });

  test("parses endless digits and texts without tags quickly", async () => {
    const before = process.threadCpuUsage();
    const digits = `${"1".repeat(300_000)}x`;
    const label = `&lt;html${"&lt;".repeat(300_000)}`;
    await parseGraphml(`<graphml><key id="x" for="node" attr.name="x" attr.type="double"/><graph><node id="a"><data key="x">${digits}</data>
      <data key="y">${digits}</data><data key="color">${"1,".repeat(300_000)}</data><data key="l"><y:NodeLabel>${label}</y:NodeLabel></data></node></graph></graphml>`);
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });
});
