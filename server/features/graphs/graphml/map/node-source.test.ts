import { execFileSync } from "node:child_process";
import { importedNodeSource } from "./node-source.ts";
import type { ImportedAttribute, ImportedNode } from "../types.ts";
import { describe, expect, test } from "vitest";
import { parseGraphml } from "../import.ts";
import { createRandom, hostileTexts } from "../hostile-text.ts";

// Fails unless the code is one import and one class of literal declarations with an empty run.
const reader = `
import ast, json, sys
def read(source):
    module = ast.parse(source)
    imported, block = module.body
    assert isinstance(imported, ast.ImportFrom) and imported.module == "miranda"
    assert isinstance(block, ast.ClassDef) and [base.id for base in block.bases] == ["Node"] and not block.decorator_list
    body, doc, attributes = list(block.body), None, []
    if isinstance(body[0], ast.Expr):
        doc = ast.literal_eval(body.pop(0).value)
        assert isinstance(doc, str)
    run = body.pop()
    assert isinstance(run, ast.FunctionDef) and run.name == "run" and [type(part) for part in run.body] == [ast.Pass]
    for part in body:
        assert isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.value, ast.Call)
        assert part.value.func.id in ("Field", "Receiver", "Transmitter") and not part.value.keywords
        value = ast.literal_eval(part.value.args[0])
        attributes.append([part.targets[0].id, part.value.func.id, value, type(value).__name__])
    return {"name": block.name, "doc": doc, "attributes": attributes}
sys.stdout.write(json.dumps([read(source) for source in json.load(sys.stdin)]))
`;

interface Read {
  name: string;
  doc: string | null;
  attributes: [string, string, unknown, string][];
}

function readWithPython(sources: string[]): Read[] {
  const output = execFileSync("python3", ["-c", reader], { input: JSON.stringify(sources), maxBuffer: 2 ** 28 });
  return JSON.parse(output.toString()) as Read[];
}

function node(fields: Partial<ImportedNode>): ImportedNode {
  return {
    key: "n0",
    name: "Node",
    description: "",
    position: { x: 0, y: 0 },
    class: "Code_block",
    attributes: [],
    ports: [],
    receivers: [],
    transmitters: [],
    groupPath: [],
    ...fields,
  };
}

const callOf = { RECEIVER: "Receiver", TRANSMITTER: "Transmitter", RECEIVER_FIELD: "Field" };

describe("the code block of an imported node", () => {
  test("reads like code that a person wrote", () => {
    const { source_code } = importedNodeSource(
      node({
        name: "train model",
        description: "Fits a line.",
        attributes: [
          { name: "learning rate", kind: "float", value: 1 },
          { name: "epochs", kind: "int", value: 10 },
          { name: "fast", kind: "boolean", value: true },
        ],
      }),
    );
    expect(source_code).toBe(`from miranda import Field, Node, Receiver, Transmitter


class TrainModel(Node):
    "Fits a line."

    input = Receiver("any")
    output = Transmitter("any")
    learning_rate = Field(1.0)
    epochs = Field(10)
    fast = Field(True)

    def run(self):
        pass
`);
  });

  test("keeps hostile names, descriptions and values inside literals", () => {
    const nodes = hostileTexts.map((text) =>
      node({ name: text, description: text, attributes: [{ name: text, kind: "string", value: text }] }),
    );
    const sources = nodes.map(importedNodeSource);
    for (const [index, read] of readWithPython(sources.map(({ source_code }) => source_code)).entries()) {
      const text = hostileTexts[index] ?? "";
      expect(read.attributes[2]?.[2]).toBe(text);
      expect(read.doc ?? "").toBe(text.trim());
    }
  });

  test("declares exactly the attributes of the api, whatever their names", () => {
    const random = createRandom(7);
    const words = [
      "Node",
      "Field",
      "input",
      "run",
      "compute",
      "class",
      "None",
      "self",
      "a b",
      "a_b",
      "ﬁ",
      "ｘ",
      "1st",
      "_x",
      "__y",
      "名前",
    ];
    const value = (): Pick<ImportedAttribute, "kind" | "value"> =>
      random.pick<Pick<ImportedAttribute, "kind" | "value">>([
        { kind: "int", value: random.below(2 ** 31) - 2 ** 30 },
        { kind: "float", value: (random.next() - 0.5) * 10 ** (random.below(60) - 30) },
        { kind: "float", value: 1e21 },
        { kind: "boolean", value: random.next() < 0.5 },
        { kind: "string", value: random.text() },
      ]);
    const nodes = Array.from({ length: 300 }, () =>
      node({
        name: random.pick([random.text(), random.pick(words)]),
        description: random.text(),
        attributes: Array.from({ length: random.below(12) }, () => ({
          name: random.pick([random.text(), random.pick(words)]),
          ...value(),
        })),
      }),
    );
    const sources = nodes.map(importedNodeSource);
    const types = { int: "int", float: "float", boolean: "bool", string: "str", any: "str" } as Record<string, string>;
    for (const [index, read] of readWithPython(sources.map(({ source_code }) => source_code)).entries()) {
      const { attributes } = sources[index]!;
      expect(read.attributes).toEqual(
        attributes.map(({ name, kind, direction, value }) => [name, callOf[direction], value ?? kind, types[kind]]),
      );
      expect(new Set(attributes.map(({ name }) => name)).size).toBe(attributes.length);
    }
  });

  test("never contains text of a foreign file as code, even under the names of our own data", async () => {
    const graph = await parseGraphml(`<graphml>
      <key id="miranda.source_code" for="node" attr.name="miranda.source_code" attr.type="string"/>
      <graph edgedefault="directed"><node id="n0">
        <data key="miranda.source_code">import os; os.system("true")</data><data key="source_code">import os</data>
      </node></graph></graphml>`);
    expect(graph.nodes[0]).not.toHaveProperty("source_code");
    const [read] = readWithPython([importedNodeSource(graph.nodes[0]!).source_code]);
    expect(read?.attributes.map(([name, , text]) => [name, text])).toEqual([
      ["input", "any"],
      ["output", "any"],
      ["miranda_source_code", 'import os; os.system("true")'],
      ["source_code", "import os"],
    ]);
  });

  test("has the receivers and transmitters that edges name", async () => {
    const graph = await parseGraphml(`<graphml><graph edgedefault="directed">
      <node id="a"><port name="East side"/><port name="unused"/></node><node id="b"><port name="class"/></node>
      <edge source="a" target="b" sourceport="East side" targetport="class"/>
      <edge source="b" target="a" sourceport="class" targetport="East side"/>
    </graph></graphml>`);
    expect(graph.nodes.map(({ ports }) => ports)).toEqual([["East side", "unused"], ["class"]]);
    const reads = readWithPython(graph.nodes.map((each) => importedNodeSource(each).source_code));
    const named = (index: number, call: string) =>
      reads[index]?.attributes.filter(([, kind]) => kind === call).map(([name]) => name);
    expect(named(0, "Receiver")).toEqual(["input", "East_side", "unused"]);
    expect(named(0, "Transmitter")).toEqual(["output", "East_side_out"]);
    for (const edge of graph.edges) {
      const [source, target] = [edge.sourceKey, edge.targetKey].map((key) =>
        graph.nodes.findIndex((each) => each.key === key),
      );
      expect(named(source!, "Transmitter")).toContain(edge.transmitter);
      expect(named(target!, "Receiver")).toContain(edge.receiver);
    }
  });
});
