import type { ImportedGraph, ImportedNode } from "./types.ts";
import { describe, expect, test } from "vitest";
import { parseGraphml } from "./import.ts";

async function read(inside: string, keys = ""): Promise<ImportedGraph> {
  return parseGraphml(`<?xml version="1.0"?><graphml>${keys}<graph edgedefault="directed">${inside}</graph></graphml>`);
}

async function readNode(inside: string, keys = ""): Promise<ImportedNode> {
  const { nodes } = await read(`<node id="n0">${inside}</node>`, keys);
  return nodes[0]!;
}

const key = (id: string, more = "") => `<key id="${id}" for="node" attr.name="${id}" attr.type="string">${more}</key>`;
const yed = (inside: string) => `<data key="d6"><y:ShapeNode>${inside}</y:ShapeNode></data>`;

describe("names", () => {
  const keys = ["labels", "labelV", "id", "caption", "title", "name", "Label"].map((id) => key(id)).join("");
  const data = (id: string) => `<data key="${id}">from ${id}</data>`;

  test("come from the first documented place that is not empty", async () => {
    const order = ["Label", "name", "title", "caption", "id", "labelV", "labels"];
    for (let from = 0; from < order.length; from++) {
      const node = await readNode(order.slice(from).toReversed().map(data).join(""), keys);
      expect(node.name).toBe(`from ${order[from]}`);
      expect(node.attributes.map(({ name }) => name)).not.toContain(order[from]);
    }
    expect((await readNode(order.map(data).join("") + yed("<y:NodeLabel>drawn</y:NodeLabel>"), keys)).name).toBe(
      "drawn",
    );
    expect((await readNode("")).name).toBe("n0");
    expect((await readNode(`<data key="name">  </data><data key="title">T</data>`, keys)).name).toBe("T");
  });

  test("are one line, and the other drawn labels are kept", async () => {
    const node = await readNode(
      yed(`<y:NodeLabel>two
  lines<y:LabelModel>no</y:LabelModel></y:NodeLabel><y:NodeLabel>second</y:NodeLabel>
        <y:UML><y:AttributeLabel>a: int</y:AttributeLabel><y:MethodLabel>run()</y:MethodLabel></y:UML>`),
    );
    expect(node.name).toBe("two lines");
    expect(node.attributes).toEqual([
      { name: "label 2", kind: "string", value: "second" },
      { name: "attributes", kind: "string", value: "a: int" },
      { name: "methods", kind: "string", value: "run()" },
    ]);
    expect(
      (
        await readNode(
          yed("<y:NodeLabel>&lt;html&gt;&lt;b&gt;Bold&lt;/b&gt;&lt;br&gt;A &amp;amp; B&lt;/html&gt;</y:NodeLabel>"),
        )
      ).name,
    ).toBe("Bold A & B");
    expect((await readNode(`<data key="labels">:Person</data>`, key("labels"))).name).toBe("Person");
  });

  test("longer than a megabyte are cut, with a note", async () => {
    const long = "word ".repeat(200_000);
    const { nodes, notes } = await read(`<node id="n0"><data key="label">${long}</data></node>`, key("label"));
    expect(nodes[0]?.name).toHaveLength(200);
    expect(nodes[0]?.attributes[0]).toMatchObject({ name: "label", kind: "string" });
    expect(String(nodes[0]?.attributes[0]?.value)).toHaveLength(10_000);
    expect(notes.join("\n")).toMatch(
      /A name longer than 200 characters was cut[\s\S]*Text longer than 10,000 characters was cut: "label"/,
    );
  });
});

describe("data", () => {
  test("keeps its type, and applies defaults", async () => {
    const typed = (id: string, type: string, value: string) =>
      `<key id="${id}" for="node" attr.name="${id}" attr.type="${type}"><default>${value}</default></key>`;
    const node = await readNode(
      `<data key="i">7</data><data key="b"> FALSE </data><data key="text"></data><data key="long">9007199254740993</data>`,
      [
        typed("i", "int", "1"),
        typed("b", "boolean", "true"),
        typed("f", "double", "1.5e3"),
        typed("s", "string", "x"),
        typed("long", "long", "1"),
        key("text"),
      ].join(""),
    );
    expect(node.attributes).toEqual([
      { name: "i", kind: "int", value: 7 },
      { name: "b", kind: "boolean", value: false },
      { name: "text", kind: "string", value: "" },
      { name: "long", kind: "string", value: "9007199254740993" },
      { name: "f", kind: "float", value: 1500 },
      { name: "s", kind: "string", value: "x" },
    ]);
  });

  test("that does not fit its key, has no key or has two keys of one name is kept", async () => {
    const keys = `<key id="a" for="node" attr.name="weight" attr.type="double"/><key id="b" for="node" attr.name="weight" attr.type="int"/>`;
    const { nodes, notes } = await read(
      `<node id="n0" colour2="x"><data key="a">many</data><data key="b">2</data><data key="c">3</data></node>`,
      keys,
    );
    expect(nodes[0]?.attributes).toEqual([
      { name: "colour2", kind: "string", value: "x" },
      { name: "weight", kind: "string", value: "many" },
      { name: "weight 2", kind: "int", value: 2 },
      { name: "c", kind: "string", value: "3" },
    ]);
    expect(notes).toEqual([
      'Data with a key that the file does not declare was read as text: "c".',
      'Values of "weight" that are no double were kept as text: "many".',
    ]);
  });

  test("that a label replaced is not reported: nothing uses the ids of a labelled file", async () => {
    const { nodes, notes } = await read(`<node id="n0"><data key="label">Load</data></node>`, key("label"));
    expect([nodes[0]?.name, notes]).toEqual(["Load", []]);
  });

  test("describes: desc, description, and the text of elements", async () => {
    expect((await readNode("<desc> Says what it does. </desc>")).description).toBe("Says what it does.");
    expect((await readNode(`<data key="Description">D</data>`, key("Description"))).description).toBe("D");
    const { nodes, notes } = await read(
      `<node id="n0"><data key="k"><x:List><x:Item>one</x:Item><x:Item>two</x:Item></x:List></data><data key="k2"><x:Nil/></data></node>`,
    );
    expect(nodes[0]?.attributes).toEqual([{ name: "k", kind: "string", value: "one two" }]);
    expect(notes.join("\n")).toContain("Structured data is not kept");
  });

  test("of edges and graphs is noted once each", async () => {
    const keys = `<key id="w" for="edge" attr.name="weight" attr.type="double"/><key id="g" for="graph" attr.name="Creator" attr.type="string"/>`;
    const { notes, edges } = await read(
      `<data key="g">me</data><node id="a"/><node id="b"/>${'<edge source="a" target="b"><data key="w">1</data></edge>'.repeat(3)}`,
      keys,
    );
    expect(edges).toHaveLength(3);
    expect(notes).toEqual([
      'Data of the graph itself is not kept: "Creator".',
      'Data of edges is not kept: "weight". (3 times)',
      "A parallel edge got a receiver of its own. (2 times)",
    ]);
  });
});

describe("colours", () => {
  test.each([
    [yed(`<y:Fill color="#FFCC00" transparent="false"/>`), "#ffcc00"],
    [yed(`<y:Fill color="#FFCC0080"/>`), "#ffcc00"],
    [yed(`<y:Fill hasColor="false" transparent="false"/>`), undefined],
    [`<data key="d"><yjs:ShapeNodeStyle fill="#80FF8C00"/></data>`, "#ff8c00"],
    [`<data key="d"><yjs:ShapeNodeStyle fill="ALICE_BLUE"/></data>`, "#f0f8ff"],
    [`<data key="color">turquoise</data>`, "#40e0d0"],
    [`<data key="colour">#abc</data>`, "#aabbcc"],
    [`<data key="color">rgb(1, 2,3)</data>`, "#010203"],
    [`<data key="r">245</data><data key="g">91</data><data key="b">91</data>`, "#f55b5b"],
    [`<data key="r">245</data><data key="g">91</data>`, undefined],
    [`<data key="color">url(javascript:alert(1))</data>`, undefined],
  ])("%s", async (inside, colour) => {
    const node = await readNode(inside);
    expect(node.colour).toBe(colour);
    // A value that became a colour is not repeated. Any other value is kept.
    expect(node.attributes.length > 0).toBe(
      colour === undefined && inside.includes('key="') && !inside.includes("y:Fill"),
    );
  });

  test("may be shared by key", async () => {
    const { nodes } =
      await parseGraphml(`<graphml><data key="s"><y:SharedData><yjs:ShapeNodeStyle x:Key="4" fill="#FF123456"/></y:SharedData></data>
      <graph><node id="n0"><data key="d"><y:GraphMLReference ResourceKey="4"/></data></node></graph></graphml>`);
    expect(nodes[0]?.colour).toBe("#123456");
  });
});

describe("edges", () => {
  test("keep direction, loops, parallels and labels", async () => {
    const { edges, notes } = await parseGraphml(`<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>
      <edge source="a" target="b"/><edge source="b" target="a" directed="true"/><edge source="a" target="a"/>
      <edge source="a" target="b"><data key="d"><y:PolyLineEdge><y:EdgeLabel>yes</y:EdgeLabel></y:PolyLineEdge></data></edge>
      <edge source="b" target="b" label="KNOWS"/></graph></graphml>`);
    expect(edges).toEqual([
      { sourceKey: "a", targetKey: "b", transmitter: "output", receiver: "input", directed: false },
      { sourceKey: "b", targetKey: "a", transmitter: "output", receiver: "input", directed: true },
      { sourceKey: "a", targetKey: "a", transmitter: "output", receiver: "input", directed: false },
      { sourceKey: "a", targetKey: "b", transmitter: "output", receiver: "input_2", directed: false, text: "yes" },
      { sourceKey: "b", targetKey: "b", transmitter: "output", receiver: "input", directed: false, text: "KNOWS" },
    ]);
    expect(notes).toContain("An undirected edge became an edge from its source to its target. (4 times)");
  });

  test("to missing nodes add them, and an edge without an end is left out", async () => {
    const { nodes, edges, notes } = await read(`<node id="a"/><edge source="a" target="ghost"/><edge source="a"/>`);
    expect(nodes.map(({ name }) => name)).toEqual(["a", "ghost"]);
    expect(edges).toHaveLength(1);
    expect(notes).toEqual([
      "An edge without a source or a target was left out.",
      'Edges lead to nodes that the file does not hold; these nodes were added: "ghost".',
    ]);
  });

  test("of a hyperedge become edges of a junction, each in its direction", async () => {
    const { nodes, edges } = await read(`<node id="a"/><node id="b"/><node id="c"/>
      <hyperedge id="h"><endpoint node="a" type="in"/><endpoint node="b" type="out" port="p"/><endpoint node="c"/></hyperedge>`);
    expect(nodes[3]).toMatchObject({ key: "h", name: "h", junction: true });
    expect(
      edges.map(({ sourceKey, targetKey, receiver, directed }) => [sourceKey, targetKey, receiver, directed]),
    ).toEqual([
      ["a", "h", "input", true],
      ["h", "b", "p", true],
      ["c", "h", "input", false],
    ]);
  });
});

describe("groups", () => {
  test("come from nested graphs, with their inner edges and a path of names", async () => {
    const group = (
      id: string,
      label: string,
      inside: string,
    ) => `<node id="${id}" yfiles.foldertype="group"><data key="d6"><y:ProxyAutoBoundsNode><y:Realizers active="1">
      <y:GroupNode><y:NodeLabel>closed</y:NodeLabel></y:GroupNode><y:GroupNode><y:NodeLabel>${label}</y:NodeLabel></y:GroupNode>
      </y:Realizers></y:ProxyAutoBoundsNode></data><graph id="${id}:">${inside}</graph></node>`;
    const inner = group(
      "g::h",
      "Inner",
      `<node id="g::h::x"/><node id="g::h::y"/><edge source="g::h::x" target="g::h::y"/>`,
    );
    const { nodes, edges, groups } = await read(
      `${group("g", "Outer", inner)}${group("k", "Outer", '<node id="z"/>')}<edge source="g" target="g::h::x"/>`,
    );
    expect(nodes.map(({ name, groupPath }) => [name, groupPath])).toEqual([
      ["Outer", []],
      ["Inner", ["Outer"]],
      ["g::h::x", ["Outer", "Inner"]],
      ["g::h::y", ["Outer", "Inner"]],
      ["Outer", []],
      ["z", ["Outer (2)"]],
    ]);
    expect(edges).toHaveLength(2);
    expect(edges.every(({ directed }) => directed)).toBe(true);
    expect(groups).toEqual([
      { path: ["Outer"], nodeKey: "g" },
      { path: ["Outer", "Inner"], nodeKey: "g::h" },
      { path: ["Outer (2)"], nodeKey: "k" },
    ]);
  });

  test("come from several graphs in one file, whose ids may repeat", async () => {
    const graph = (id: string) =>
      `<graph id="${id}" edgedefault="directed"><node id="n0"/><node id="n1"/><edge source="n0" target="n1"/></graph>`;
    const { nodes, edges, notes } = await parseGraphml(`<graphml>${graph("First")}${graph("Second")}</graphml>`);
    expect(nodes.map(({ key, name, groupPath }) => [key, name, groupPath])).toEqual([
      ["n0", "n0", ["First"]],
      ["n1", "n1", ["First"]],
      ["n0@1", "n0", ["Second"]],
      ["n1@1", "n1", ["Second"]],
    ]);
    expect(edges.map(({ sourceKey, targetKey }) => [sourceKey, targetKey])).toEqual([
      ["n0", "n1"],
      ["n0@1", "n1@1"],
    ]);
    expect(notes).toEqual([
      "The file holds several graphs; they are side by side in one workflow, each as a group. (2 times)",
    ]);
  });
});

describe("common mistakes in files", () => {
  test("merges nodes with the same id", async () => {
    const { nodes, notes } = await read(
      `<node id="1"><data key="a">x</data></node><node id="1"><data key="b">y</data></node>`,
      key("a") + key("b"),
    );
    expect(nodes).toHaveLength(1);
    expect(nodes[0]?.attributes.map(({ value }) => value)).toEqual(["x", "y"]);
    expect(notes).toEqual(['Several nodes share an id and became one node: "1".']);
  });

  test("notes unknown elements and linked content, and never fetches it", async () => {
    const { nodes, notes } = await read(
      `<badlabel><node id="no"/></badlabel><node id="a"><locator xlink:href="http://localhost:1/"/></node>`,
    );
    expect(nodes.map(({ key }) => key)).toEqual(["a"]);
    expect(notes).toEqual([
      'Elements that GraphML does not know were left out: "<badlabel>".',
      "Content that the file only links to is never fetched.",
    ]);
  });

  test("treats names of JavaScript object members as ordinary names", async () => {
    const { nodes, edges } = await read(
      `<node id="__proto__"><data key="constructor">x</data></node><node id="toString"/><edge source="__proto__" target="toString"/>`,
    );
    expect(nodes.map(({ name }) => name)).toEqual(["__proto__", "toString"]);
    expect(nodes[0]?.attributes).toEqual([{ name: "constructor", kind: "string", value: "x" }]);
    expect(edges).toHaveLength(1);
  });

  test("a DOCTYPE is ignored, prefixes need no declaration, an empty file of GraphML is an empty graph", async () => {
    const doctype = `<!DOCTYPE graphml SYSTEM "http://localhost:1/graphml.dtd" [ <!ENTITY unused SYSTEM "file:///etc/passwd"> ]>`;
    const { nodes } = await parseGraphml(`${doctype}<g:graphml><g:graph><g:node id="a"/></g:graph></g:graphml>`);
    expect(nodes).toHaveLength(1);
    expect(await parseGraphml("<graphml/>")).toMatchObject({
      nodes: [],
      edges: [],
      notes: ["The file holds no graph."],
    });
  });
});
