import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { root, sourceFiles } from "./source-files.ts";

const testFile = /\.(test|spec|fault)\.tsx?$|\/test_\w+\.py$/;

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function tagsIn(text: string): string[] {
  const statements = text.match(/\bS\d+-\d+\b/g) ?? [];
  const faults = [...text.matchAll(/\bfaults? (\d+(?:, \d+)*)/gi)].flatMap(([, numbers = ""]) =>
    numbers.split(", ").map((number) => `fault ${number}`),
  );
  return [...statements, ...faults];
}

const statements = read("docs/spec/checklist.tsv").trim().split("\n").slice(1);
const statementIds = statements.map((line) => line.split("\t")[0] ?? "");
const faultIds = [...read("docs/spec/faults.md").matchAll(/^\| (\d+) \|/gm)].map(([, number]) => `fault ${number}`);

it("finds statements and faults in docs/spec, each id once", () => {
  expect(statementIds.length).toBeGreaterThan(0);
  expect(faultIds.length).toBeGreaterThan(0);
  const ids = [...statementIds, ...faultIds];
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

it("reads the tags of a name", () => {
  expect(tagsIn("S4-053 to S4-063 shows it (fault 9; 100 times)")).toEqual(["S4-053", "S4-063", "fault 9"]);
  expect(tagsIn("goes on when its machine dies (faults 21, 22)")).toEqual(["fault 21", "fault 22"]);
});

it("finds every tag of a test in docs/spec", () => {
  const ids = new Set([...statementIds, ...faultIds]);
  // The examples above are read too, so they must be real ids.
  const unknown = sourceFiles()
    .filter((path) => testFile.test(path))
    .flatMap((path) => tagsIn(read(path)).map((tag) => ({ path, tag })))
    .filter(({ tag }) => !ids.has(tag));
  expect(unknown).toEqual([]);
});
