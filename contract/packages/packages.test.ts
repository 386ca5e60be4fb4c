import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

import { packageFor, packageOfDiagnostic, packageOfTraceback } from "./import-names.ts";
import { addPackage, packagesOf } from "./inline-metadata.ts";

const added = (source: string, name: string): string => {
  const result = addPackage(source, name);
  return typeof result === "string" ? result : result.source;
};

describe("adding a package to a node's code", () => {
  it("creates the block when there is none, below the lines that must stay first", () => {
    expect(added("import six\n", "six")).toBe('# /// script\n# dependencies = ["six"]\n# ///\nimport six\n');
    const head = "#!/usr/bin/python3\n# -*- coding: utf-8 -*-\n";
    expect(added(`${head}x = 1\n`, "six")).toBe(`${head}# /// script\n# dependencies = ["six"]\n# ///\nx = 1\n`);
    expect(added("", "six")).toBe('# /// script\n# dependencies = ["six"]\n# ///\n');
  });

  it.each([
    ['# dependencies = ["numpy"]', '# dependencies = ["numpy", "six"]'],
    ['# dependencies = ["numpy",]', '# dependencies = ["numpy", "six"]'],
    ["# dependencies = []", '# dependencies = ["six"]'],
    ["# dependencies = ['numpy<2', \"a[b]\"]", '# dependencies = [\'numpy<2\', "a[b]", "six"]'],
    ['# dependencies = [\n#   "numpy",\n# ]', '# dependencies = [\n#   "numpy",\n#   "six",\n# ]'],
    ['# dependencies = [\n#   "numpy"\n# ]', '# dependencies = [\n#   "numpy",\n#   "six",\n# ]'],
    [
      '# dependencies = [\n#   "numpy", # for ] arrays\n# ]',
      '# dependencies = [\n#   "numpy",\n#   "six", # for ] arrays\n# ]',
    ],
    ['# requires-python = ">=3.11"', '# dependencies = ["six"]\n# requires-python = ">=3.11"'],
    ['# [tool.x]\n# dependencies = ["no"]', '# dependencies = ["six"]\n# [tool.x]\n# dependencies = ["no"]'],
  ])("adds to %s", (before, after) => {
    const around = (content: string) => `import x\n# /// script\n${content}\n# ///\ny = 1\n`;
    expect(addPackage(around(before), "six")).toEqual({ source: around(after) });
  });

  it("keeps the line endings of the code", () => {
    expect(added('# /// script\r\n# dependencies = ["a"]\r\n# ///\r\n', "six")).toBe(
      '# /// script\r\n# dependencies = ["a", "six"]\r\n# ///\r\n',
    );
  });

  it("changes nothing when the package is already listed, however it is spelled", () => {
    const source = '# /// script\n# dependencies = ["Scikit_Learn[extra]>=1.5"]\n# ///\n';
    expect(addPackage(source, "scikit-learn")).toBe("declared");
  });

  it.each(["dependencies = 3", "dependencies = [1]", 'dependencies = ["a"', 'dependencies = ["""a"""]'])(
    "changes nothing that it cannot read: %s",
    (line) => {
      expect(addPackage(`# /// script\n# ${line}\n# ///\n`, "six")).toBe("unreadable");
    },
  );

  it("reads the block up to its last closing line, wherever its comment begins", () => {
    const source = '# Tides\n# /// script\n# dependencies = ["six"]\n# ///\n# more\n# ///\n# end\nx = 1\n';
    expect(packagesOf(source)).toEqual(["six"]);
    expect(addPackage(source, "six")).toBe("declared");
    expect(added(source, "numpy")).toBe(source.replace('["six"]', '["six", "numpy"]'));
  });

  it.each([
    ["lines that each open a block", "# /// a\n".repeat(120_000)],
    ["lines that each open and close one", "# /// script\n# ///\n".repeat(50_000)],
    ["a list that never ends", `# /// script\n# dependencies = [${'"a",'.repeat(200_000)}\n# ///\n`],
  ])("reads a megabyte of %s at once", (_what, source) => {
    // What reads it again and again needs minutes, which is longer than a test may take.
    expect(addPackage(source, "six")).toBeDefined();
    expect(packagesOf(source)).toEqual([]);
  });

  it("changes nothing when there are two blocks", () => {
    const one = "# /// script\n# dependencies = []\n# ///\n";
    expect(addPackage(`${one}\n${one}`, "six")).toBe("unreadable");
  });
});

describe("the package for an import", () => {
  it.each([
    ["sklearn", "scikit-learn"],
    ["sklearn.model_selection", "scikit-learn"],
    ["cv2", "opencv-python-headless"],
    ["PIL", "pillow"],
    ["yaml", "pyyaml"],
    ["google.protobuf.message", "protobuf"],
    ["pandas", "pandas"],
    ["my_package", "my-package"],
  ])("%s is %s", (name, expected) => {
    expect(packageFor(name)).toBe(expected);
  });

  it.each([
    "os",
    "os.path",
    "tomllib",
    "distutils",
    "miranda",
    "miranda_node_7",
    "google",
    "_private",
    "a b",
    "",
    "x".repeat(99),
  ])("offers none for %s", (name) => {
    expect(packageFor(name)).toBe(undefined);
  });

  it("is the one that a run would install by itself", async () => {
    const file = resolve(import.meta.dirname, "../../runtime/miranda/packages/well_known.json");
    const known = Object.entries(JSON.parse(await readFile(file, "utf8")) as Record<string, string>);
    expect(known.length).toBeGreaterThan(100);
    for (const [name, distribution] of known) expect([name, packageFor(name)]).toEqual([name, distribution]);
  });

  it("is read from the last line of a traceback", () => {
    const text = "Traceback (most recent call last):\n  File …\nModuleNotFoundError: No module named 'sklearn'\n";
    expect(packageOfTraceback(text)).toBe("scikit-learn");
    expect(packageOfTraceback("ModuleNotFoundError: No module named 'pandas.nothing'")).toBe(undefined);
    expect(packageOfTraceback("ModuleNotFoundError: No module named 'sklearn'\nValueError: no")).toBe(undefined);
    expect(packageOfTraceback("")).toBe(undefined);
  });

  it("is read from a diagnostic of the language help", () => {
    expect(packageOfDiagnostic('Import "sklearn.svm" could not be resolved')).toBe("scikit-learn");
    expect(packageOfDiagnostic('"x" is not defined')).toBe(undefined);
  });
});
