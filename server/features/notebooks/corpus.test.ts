import { spawn } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";

import { afterAll, describe, expect, it } from "vitest";

import { corpusFolder, findNotebookPython, hasCorpus } from "../../../scripts/notebook-environment.ts";

// Each file runs twice: by Jupyter or Python, and imported as one node in a worker.
const python = findNotebookPython();
if (!python) process.stderr.write("Notebooks are not compared with Jupyter: npm test installs it from pypi.org.\n");

/** All files that the archives have, instead of a few: some minutes for notebooks, an hour for scripts. */
const wanted = process.env["MIRANDA_CORPUS"] ?? "";

interface Compared {
  file: string;
  differences: string[];
  lines?: number;
  shown?: number;
}

async function compare(files: readonly string[]): Promise<Compared[]> {
  const script = join(import.meta.dirname, "corpus", "compare.py");
  const child = spawn(python ?? "", [script, ...files], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const found = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Compared);
  if (found.length !== files.length) throw new Error(errors);
  return found;
}

/** Files that cannot give the same, and why. */
const explained = JSON.parse(readFileSync(join(import.meta.dirname, "corpus", "explained.json"), "utf8")) as Record<
  string,
  string
>;
const unexplained = (found: readonly Compared[]) =>
  found
    .filter(({ file, differences }) => differences.length > 0 && !(basename(file) in explained))
    .map(({ file, differences }) => [basename(file), ...differences]);

const folder = mkdtempSync(join(tmpdir(), "miranda-corpus-"));
afterAll(() => rmSync(folder, { recursive: true }));

function put(name: string, source: string | readonly string[]): string {
  const place = join(folder, name.replace(/\W/g, "-"));
  mkdirSync(place);
  const path = join(place, name);
  const cells = (cell: string) => ({
    ...{ cell_type: "code", metadata: {}, outputs: [], execution_count: null, id: `c${cell.length}` },
    source: cell,
  });
  const whole = (lines: readonly string[]) => ({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: lines.map(cells),
  });
  writeFileSync(path, typeof source === "string" ? source : JSON.stringify(whole(source)));
  return path;
}

const plots = [
  "import matplotlib.pyplot as plt\nimport numpy as np\nfrom sklearn.linear_model import LinearRegression",
  "rng = np.random.RandomState(0)\nX = rng.rand(40, 1)\ny = 3 * X[:, 0] + rng.rand(40)",
  "plt.scatter(X[:, 0], y)\nplt.title('Points')",
  "model = LinearRegression().fit(X, y)\nmodel.coef_.round(3)",
  "fig, ax = plt.subplots(figsize=(4, 3))\nax.plot(X[:, 0], model.predict(X))\nax.set_xlabel('x')\nfig",
  "plt.figure(figsize=(3, 2))\nplt.plot(y)\nplt.title('Residuals')\nplt.show()",
];

describe.skipIf(!python)("imported as one node", { timeout: 300_000 }, () => {
  it.each([
    ["six cells that plot and train", "plots.ipynb", plots, { shown: 6 }],
    [
      "a view of an array that another cell changes",
      "views.ipynb",
      [
        "import numpy as np\nx2 = np.arange(9).reshape(3, 3)",
        "x2_sub = x2[:2, :2]",
        "x2_sub[0, 0] = 99",
        "print(x2)\nx2",
      ],
      { lines: 3 },
    ],
    [
      "magics, names in texts, files and a class that reads a name",
      "magics.ipynb",
      [
        "from __future__ import annotations\nimport numpy as np\nimport timeit",
        "def f():\n    return 3\ntimeit.timeit('f()', globals=globals(), number=2) > 0",
        "%%capture kept\n%timeit -n1 -r1 a, b = 1, 2",
        "'a' in globals(), 'loop' in kept.stdout",
        "size = 2\nclass Box:\n    sides = [size for _ in range(2)]\nBox.sides",
        "np.savetxt('a.txt', [1, 2])\nnp.savez('b', x=[3])",
        "print(np.loadtxt('a.txt'), np.load('b.npz')['x'])\n!echo done",
        "import pandas as pd\ndf = pd.DataFrame({'x': range(200)})\ndf",
        "list(range(100))",
      ],
      { shown: 5, lines: 2 },
    ],
    [
      "a program with a guard, its own path, threads and things to do at its end",
      "program.py",
      [
        "from __future__ import annotations",
        "import atexit, os, sys, threading",
        "os.makedirs('lib', exist_ok=True)",
        "open('lib/own_helpers.py', 'w').write('value = 7\\n')",
        "sys.path.insert(0, 'lib')",
        "from own_helpers import value",
        "def work(n: Missing): return n * value",
        "if __name__ == '__main__':",
        "    from multiprocessing import Pool",
        "    with Pool(1) as pool:",
        "        print(pool.map(work, [1, 2]), sys.argv, os.path.basename(__file__))",
        "    atexit.register(print, 'bye')",
        "    threading.Timer(0.1, print, ['late']).start()",
        "    print('main')",
      ].join("\n"),
      { lines: 4 },
    ],
    ["an exception", "fails.ipynb", ["print(1)", "def f():\n    return 1 / 0\nf()", "print(2)"], { lines: 1 }],
    ["a program that exits", "exits.py", "import sys\nprint(1)\nsys.exit(3)\n", { lines: 1 }],
  ] as const)("%s gives the same prints, values and pictures", async (_what, name, source, counts) => {
    const [found] = await compare([put(name, source)]);
    expect(found).toMatchObject({ differences: [], ...counts });
  });

  it.skipIf(!hasCorpus())("notebooks that others wrote give the same", async () => {
    const all = globSync("**/*.ipynb", { cwd: corpusFolder }).map((file) => join(corpusFolder, file));
    const few = all.filter((file) => /(simple_execute|broken1|notebook_tags)\.ipynb$/.test(file));
    expect(few.length).toBeGreaterThan(1);
    expect(unexplained(await compare(few))).toEqual([]);
  });
});

describe.skipIf(!hasCorpus() || wanted === "")("the whole corpus", { timeout: 4 * 3_600_000 }, () => {
  it.skipIf(wanted === "scripts")("notebooks", async () => {
    const files = globSync("**/*.ipynb", { cwd: corpusFolder }).map((file) => join(corpusFolder, file));
    expect(unexplained(await compare(files))).toEqual([]);
  });

  it.skipIf(wanted === "notebooks")("example scripts of scikit-learn that need no download", async () => {
    const downloads = /fetch_|urlretrieve|urlopen|requests|plotly|polars|openml|skops/;
    const files = globSync("scikit*/**/*.py", { cwd: corpusFolder })
      .map((file) => join(corpusFolder, file))
      .filter((file) => !downloads.test(readFileSync(file, "utf8")));
    expect(unexplained(await compare(files))).toEqual([]);
  });
});
