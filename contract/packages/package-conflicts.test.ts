import { describe, expect, it } from "vitest";

import { packagesOf } from "./inline-metadata.ts";
import { packageConflicts } from "./package-conflicts.ts";

describe("packages that two nodes require", () => {
  it.each([
    ["pandas==2.1", "pandas==1.5", true],
    ["pandas==2.1", "Pandas == 2.1.0", false],
    ["pandas>=2", "pandas<2", true],
    ["pandas>=2", "pandas<3", false],
    ["pandas>2,<2.5", "pandas>=2.5", true],
    ["pandas~=2.1", "pandas==2.4", false],
    ["pandas~=2.1", "pandas==3.0", true],
    ["pandas==2.*", "pandas==2.7", false],
    ["pandas==2.*", "pandas==3.1", true],
    ["pandas!=2.0", "pandas==2.0", true],
    ["pandas>2", "pandas>=2", false],
    ["pandas<2", "pandas<=2", false],
    ["scikit_learn==1.0", "scikit-learn==1.1", true],
    ["pandas[excel]==2.1 ; python_version>'3'", "pandas==1.0", true],
    ["pandas", "pandas==1.0", false],
    ["pandas==1.0", "numpy==2.0", false],
    ["pandas @ https://example.org/p.whl", "pandas==1.0", false],
    ["pandas==1.0rc1", "pandas==1.0", false],
  ])("%s and %s exclude each other: %s", (wanted, present, expected) => {
    expect(packageConflicts([wanted], [present])).toEqual(expected ? [{ wanted, present }] : []);
  });

  it.each([
    ["a long requirement", [`a${" ".repeat(900_000)}x`], ["a==1"]],
    ["a long version", [`a==${"1.".repeat(400_000)}`], ["a==1"]],
    [
      "very many packages",
      Array.from({ length: 200_000 }, () => "a==1"),
      Array.from({ length: 200_000 }, () => "a==2"),
    ],
  ])("are compared at once: %s", (_what, wanted, present) => {
    // Comparing all of it needs minutes, which is longer than a test may take.
    expect(packageConflicts(wanted, present).length).toBeLessThanOrEqual(50);
  });

  it("are read from the comments of the code", () => {
    const code =
      "# /// script\n# dependencies = [\n#   \"pandas==2.1\", # why\n#   'numpy',\n# ]\n# ///\nimport pandas\n";
    expect(packagesOf(code)).toEqual(["pandas==2.1", "numpy"]);
    expect(packagesOf("import pandas\n")).toEqual([]);
    expect(packagesOf("# /// script\n# dependencies = 5\n# ///\n")).toEqual([]);
  });
});
