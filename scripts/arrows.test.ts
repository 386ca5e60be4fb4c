import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

import { root, sourceFiles } from "./source-files.ts";

// The linter forbids plain patterns. Its regular expressions have no lookahead, so the rules with an exception are here.

interface Import {
  from: string;
  to: string;
}

const statement = /^(?:import |import [^"';]* from |export [^"';=]* from )"([^"\n]+)"|\bimport\("([^"\n]+)"\)/gm;

const imports: Import[] = sourceFiles()
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .flatMap((from) =>
    [...readFileSync(join(root, from), "utf8").matchAll(statement)]
      .map(([, named, loaded]) => named ?? loaded ?? "")
      .map((target) => ({ from, to: target.startsWith(".") ? normalize(join(dirname(from), target)) : target })),
  );

/** The folder right below `parent` that holds the path. */
const within = (parent: string, path: string) =>
  path.startsWith(`${parent}/`) ? path.slice(parent.length + 1).split("/")[0] : undefined;

const crossings = (parent: string) =>
  imports.filter(({ from, to }) => {
    const [own, other] = [within(parent, from), within(parent, to)];
    return own !== undefined && other !== undefined && own !== other;
  });

it("reads the imports of every part", () => {
  for (const part of ["contract", "server", "web", "e2e"])
    expect(imports.filter(({ from }) => from.startsWith(`${part}/`)).length).toBeGreaterThan(100);
});

it("has no screen that imports another screen", () => {
  expect(crossings("web/screens")).toEqual([]);
});

it("has a contract that imports only zod and itself", () => {
  const allowed = /^(?:contract\/|zod(?:\/mini)?$|@miranda\/contract\/)/;
  expect(imports.filter(({ from, to }) => from.startsWith("contract/") && !allowed.test(to))).toEqual([]);
});

/** Each is to become a call of the other feature's service. The list may only get shorter. */
const known = readFileSync(join(import.meta.dirname, "known-crossings.txt"), "utf8")
  .trim()
  .split("\n");

it("has no feature that imports the queries of another, except those that are listed", () => {
  const found = crossings("server/features")
    .filter(({ to }) => to.endsWith("-queries.ts"))
    .map(({ from, to }) => `${within("server/features", from)} > ${to.slice("server/features/".length)}`);
  expect([...new Set(found)].toSorted()).toEqual(known);
});
