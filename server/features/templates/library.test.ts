import { edgeRefusal } from "@miranda/contract/graph/edge-rules.ts";
import { readAttributeValue } from "@miranda/contract/graph/attributes/attribute-value.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createDeclarations, type DeclaredApi } from "../declarations/declarations-service.ts";
import { cardSize, libraryFiles, libraryFolder, readLibrary } from "./library.ts";
import { apiOf } from "./template-content.ts";

const library = readLibrary();
const prefabs = library.filter(({ kind }) => kind === "prefab");
const blueprints = library.filter(({ kind }) => kind === "blueprint");
const declarations = createDeclarations();
const declared = new Map<string, DeclaredApi>();

beforeAll(async () => {
  const sources = prefabs.map(({ name, content }) => ({ name, source_code: content.nodes[0]?.source_code ?? "" }));
  const apis = await declarations.declare(sources);
  apis.forEach((api, at) => declared.set(sources[at]?.name ?? "", api));
});
afterAll(() => declarations.close());

describe("the shipped library", () => {
  it("has at least 25 nodes and 5 blueprints, and exactly one file per node", () => {
    expect(prefabs.length).toBeGreaterThanOrEqual(25);
    expect(blueprints.length).toBeGreaterThanOrEqual(5);
    expect([...libraryFiles().keys()].map((key) => `prefab:${key}`).sort()).toEqual(
      prefabs.map((one) => one.library_key).sort(),
    );
  });

  // `vitest -u` writes the file again.
  it("has the attributes that the declarations reader finds", async () => {
    const attributes = Object.fromEntries(
      prefabs.map(({ name, library_key }) => [library_key.slice("prefab:".length), declared.get(name)?.attributes]),
    );
    const sorted = Object.fromEntries(Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1)));
    await expect(`${JSON.stringify(sorted, null, 2)}\n`).toMatchFileSnapshot(join(libraryFolder, "attributes.json"));
  });

  it.each(prefabs.map((prefab) => [prefab.name, prefab] as const))(
    "%s is valid and described by its code",
    (name, { description, content }) => {
      const api = declared.get(name);
      expect([api?.error, api?.description]).toEqual([null, description]);
      const [node] = content.nodes;
      if (!node) throw new Error("no node");
      expect(apiOf(node).attributes).toEqual(withPolicyReceivers(api?.attributes ?? []));
      expect(apiOf(node)).toMatchObject({ compiled: true, error: null });
    },
  );

  it("every node runs on the standard library alone and does what it says", () => {
    const script = readFileSync(join(import.meta.dirname, "library-check.py"), "utf8");
    const runtime = join(import.meta.dirname, "..", "..", "..", "runtime");
    const { status, stderr, stdout } = spawnSync("python3", ["-I", "-S", "-c", script, runtime, libraryFolder], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.trim().split("\n").at(-1)).toBe(`${prefabs.length} nodes run`);
  });

  it.each(blueprints.map((blueprint) => [blueprint.name, blueprint] as const))(
    "%s has no overlapping cards",
    (_name, { content }) => {
      const boxes = content.nodes.map((node) => ({ ref: node.ref, x: node.x, y: node.y, ...cardSize(node) }));
      const overlapping = boxes.flatMap((one, at) =>
        boxes
          .slice(at + 1)
          .filter(
            (other) =>
              one.x < other.x + other.width &&
              other.x < one.x + one.width &&
              one.y < other.y + other.height &&
              other.y < one.y + one.height,
          )
          .map((other) => `${one.ref} and ${other.ref}`),
      );
      expect(overlapping).toEqual([]);
    },
  );

  it.each(blueprints.map((blueprint) => [blueprint.name, blueprint] as const))(
    "%s connects matching attributes and sets existing ones",
    (_name, { content }) => {
      const byRef = new Map(content.nodes.map((node, key) => [node.ref, { key, attributes: apiOf(node).attributes }]));
      for (const edge of content.edges) {
        const [source, target] = [byRef.get(edge.source), byRef.get(edge.target)];
        if (!source || !target) throw new Error(`an edge from ${edge.source} to ${edge.target}`);
        const refusal = edgeRefusal(source, target, {
          source_wob_key: source.key,
          source_transmitter_key: edge.transmitter,
          destination_wob_key: target.key,
          destination_receiver_key: edge.receiver,
        });
        expect([edge.transmitter, edge.receiver, refusal]).toEqual([edge.transmitter, edge.receiver, undefined]);
      }
      for (const node of content.nodes) {
        for (const [name, value] of Object.entries(node.field_values as Record<string, unknown>)) {
          const attribute = apiOf(node).attributes.find((one) => one.name === name);
          expect(attribute && readAttributeValue(attribute, value)).toEqual({ value });
        }
      }
    },
  );
});
