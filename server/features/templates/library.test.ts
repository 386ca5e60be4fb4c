import { edgeRefusal } from "@miranda/contract/graph/edge-rules.ts";
import { readAttributeValue } from "@miranda/contract/graph/attributes/attribute-value.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createDeclarations, type DeclaredApi } from "../declarations/declarations-service.ts";
import { blueprintPlans } from "./blueprints/blueprint-plans.ts";
import { plainBlueprints } from "./blueprints/plain-blueprints.ts";
import { cardSize, libraryFiles, libraryFolder, readLibrary, requirementsOf } from "./library.ts";
import { findPicture } from "./library-pictures.ts";
import { apiOf } from "./template-content.ts";

const library = readLibrary();
const prefabs = library.filter(({ kind }) => kind === "prefab");
const blueprints = library.filter(({ kind }) => kind === "blueprint");
const plain = prefabs.filter(({ tags }) => tags[0] === "plain" || tags[0] === "flow");
const declarations = createDeclarations();
const declared = new Map<string, DeclaredApi>();

beforeAll(async () => {
  const sources = prefabs.map(({ name, content }) => ({ name, source_code: content.nodes[0]?.source_code ?? "" }));
  const apis = await declarations.declare({ accountId: "library" }, sources);
  apis.forEach((api, at) => declared.set(sources[at]?.name ?? "", api));
});
afterAll(() => declarations.close());

describe("the shipped library", () => {
  it("has at least 60 nodes and 15 blueprints beside the plain ones, and exactly one file per node", () => {
    expect(prefabs.length - plain.length).toBeGreaterThanOrEqual(60);
    expect(blueprintPlans.length - plainBlueprints.length).toBeGreaterThanOrEqual(15);
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

  it("has a name for every template that no other has, and keeps descriptions to one line", () => {
    for (const shelf of [prefabs, blueprints]) {
      const names = shelf.map(({ name }) => name.toLowerCase());
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
      expect(shelf.filter(({ description }) => description.length < 20 || description.length > 120)).toEqual([]);
    }
  });

  it("waits for every value that is on the way: no node has an optional receiver beside one it waits for", () => {
    const careless = [...declared].filter(([, { attributes }]) => {
      const receivers = attributes.filter(({ direction }) => direction === "RECEIVER");
      return receivers.some(({ optional }) => optional) && !receivers.every(({ optional }) => optional);
    });
    expect(careless.map(([name]) => name)).toEqual([]);
  });

  it("pins the packages of its nodes to ranges that can be installed together", () => {
    const ranges = new Map<string, Set<string>>();
    for (const { content } of prefabs) {
      for (const requirement of requirementsOf(content.nodes[0]?.source_code ?? "")) {
        const [, name = "", range = ""] = /^([\w-]+)(.*)$/.exec(requirement) ?? [];
        ranges.set(name, (ranges.get(name) ?? new Set()).add(range));
      }
    }
    expect([...ranges].filter(([, asked]) => asked.size > 1 || asked.has(""))).toEqual([]);
  });

  it("has a small picture of every node, and none that belongs to no node", () => {
    const files = readdirSync(join(libraryFolder, "pictures"));
    expect(files.toSorted()).toEqual(
      prefabs.map(({ library_key }) => `${library_key.slice("prefab:".length)}.webp`).toSorted(),
    );
    const total = files.reduce((sum, file) => sum + statSync(join(libraryFolder, "pictures", file)).size, 0);
    expect(total).toBeLessThan(1_500_000);
    const drawn = blueprints.map(({ library_key }) => findPicture(library_key)?.body.toString() ?? "");
    expect(drawn.filter((svg) => !/^<svg [^>]*>(?:<(?:rect|path) [^<>]*\/>)+<\/svg>$/.test(svg))).toEqual([]);
  });

  it("every plain node runs on the standard library alone and does what it says", () => {
    const script = readFileSync(join(import.meta.dirname, "library-checks", "check_plain.py"), "utf8");
    const runtime = join(import.meta.dirname, "..", "..", "..", "runtime");
    const { status, stderr, stdout } = spawnSync("python3", ["-I", "-S", "-c", script, runtime, libraryFolder], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.trim().split("\n").at(-1)).toBe(`${plain.length} nodes run`);
  });

  it.each(blueprints.map((blueprint) => [blueprint.name, blueprint] as const))(
    "%s has no overlapping cards and frames, and edges from left to right",
    (_name, { content }) => {
      const cards = content.nodes.map((node) => ({ ref: node.ref, x: node.x, y: node.y, ...cardSize(node) }));
      const frames = (content.groups ?? []).map(({ name, members }) => ({
        ref: name,
        members,
        ...frameAround(cards.filter(({ ref }) => members.includes(ref))),
      }));
      const overlapping = [...pairs(cards), ...pairs(frames)]
        .filter(([one, other]) => areOver(one, other))
        .map(([one, other]) => `${one.ref} and ${other.ref}`);
      const covered = frames.flatMap((frame) =>
        cards
          .filter((one) => !frame.members.includes(one.ref) && areOver(frame, one))
          .map(({ ref }) => `${frame.ref} and ${ref}`),
      );
      const columnOf = new Map(cards.map(({ ref, x }) => [ref, x]));
      const backwards = content.edges.filter(
        ({ source, target }) => (columnOf.get(source) ?? 0) >= (columnOf.get(target) ?? 0),
      );
      expect({ overlapping, covered, backwards }).toEqual({ overlapping: [], covered: [], backwards: [] });
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

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function pairs<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((one, at) => items.slice(at + 1).map((other): [Item, Item] => [one, other]));
}

function areOver(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** As the editor draws it: 44 above, 20 on the other sides. */
function frameAround(members: readonly Box[]): Box {
  const [left, top] = [Math.min(...members.map(({ x }) => x)), Math.min(...members.map(({ y }) => y))];
  const right = Math.max(...members.map(({ x, width }) => x + width));
  const bottom = Math.max(...members.map(({ y, height }) => y + height));
  return { x: left - 20, y: top - 44, width: right - left + 40, height: bottom - top + 64 };
}
