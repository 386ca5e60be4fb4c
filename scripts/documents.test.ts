import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { version } from "../server/platform/version.ts";
import { root, sourceFiles } from "./source-files.ts";

// The documents use these names as examples of people's own files.
const exampleFiles = new Set(["train_model.py"]);

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

it("names every folder with sources in docs/architecture.md", () => {
  const map = read("docs/architecture.md");
  const folders = [...new Set(sourceFiles().map((path) => dirname(path)))];
  expect(folders.filter((folder) => !map.includes(`| \`${folder}/\` |`))).toEqual([]);
});

it("names no folder in docs/architecture.md that is gone", () => {
  const folders = new Set(sourceFiles().flatMap(withParents));
  const named = [...read("docs/architecture.md").matchAll(/^\| `([\w/-]+)\/` \|/gm)].map(([, folder]) => folder ?? "");
  expect(named.filter((folder) => !folders.has(folder))).toEqual([]);
});

it("names no file in docs/ that is gone", () => {
  const files = sourceFiles();
  const documents = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".md"),
  );
  const gone = documents.flatMap((document) =>
    [...read(join("docs", document)).matchAll(/`([\w./-]+\.(?:tsx?|py))`/g)]
      .map(([, name]) => name ?? "")
      .filter((name) => !exampleFiles.has(name) && !files.some((file) => `/${file}`.endsWith(`/${name}`)))
      .map((name) => `${document}: ${name}`),
  );
  expect(gone).toEqual([]);
});

it("has only small pictures in docs/", () => {
  const pictures = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.(?:webp|png)$/.test(path),
  );
  expect(pictures.filter((path) => statSync(join(root, "docs", path)).size > 150_000)).toEqual([]);
  const shown = [...read("README.md").matchAll(/docs\/(pictures\/[\w-]+\.webp)/g)].map(([, path]) => path ?? "");
  expect(shown.filter((path) => !pictures.includes(path))).toEqual([]);
});

it("has the version of package.json in every copy, and in the changelog", () => {
  const contract = JSON.parse(read("contract/package.json")) as { version: string };
  expect(contract.version).toBe(version);
  expect(read("runtime/miranda/version.py").trim()).toBe(`VERSION = "${version}"`);
  expect(read("CHANGELOG.md")).toContain(`## [${version}]`);
});

function withParents(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...withParents(folder)];
}
