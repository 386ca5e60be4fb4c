import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type EngineWithServer, isAvailable, openEngineWithServer } from "../../../testing/engine-under-test.ts";
import { asksFor, hasPackageIndex } from "../../../testing/services/package-index.ts";
import { script } from "../../../testing/workbench.ts";

// What processes started by node code can import, in a normal session.

const grounds = (["local", "sandbox"] as const).filter(isAvailable);

describe.each(grounds)("processes that node code starts on %s", { timeout: 180_000 }, (name) => {
  let underTest: EngineWithServer;
  beforeAll(async () => {
    underTest = await openEngineWithServer(name);
  }, 60_000);
  afterAll(() => underTest.close());

  async function linesOf(code: string): Promise<string[]> {
    const bench = await underTest.fault.workbench();
    await bench.node(code);
    await bench.start();
    await bench.run();
    const lines = (await bench.lines()).map(([, text]) => text);
    await bench.until("stop", "", "EXITED");
    bench.close();
    return lines;
  }

  it("import the node's own functions under spawn, in the present version", async () => {
    const code = (factor: number) => `import multiprocessing
from miranda import *

def scaled(number):
    return number * ${factor}

class Script(Node):
    def run(self):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(scaled, [1, 2]))
`;
    const bench = await underTest.fault.workbench();
    const node = await bench.node(code(2));
    await bench.start();
    await bench.run();
    await bench.code(node, code(3));
    await bench.run();
    expect((await bench.lines()).map(([, text]) => text)).toEqual(["[2, 4]", "[3, 6]"]);
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it.skipIf(!hasPackageIndex)("see the packages of the run: subprocesses, console scripts, spawn", async () => {
    const body = [
      "import os, subprocess, sys",
      "import humanize",
      "print(subprocess.run([sys.executable, '-c', 'import humanize, miranda; print(humanize.intcomma(12345))'], capture_output=True, text=True))",
      "print(subprocess.run(['pygmentize', '-V'], capture_output=True, text=True))",
      "print(os.environ['VIRTUAL_ENV'] in sys.executable)",
    ];
    const lines = await linesOf(asksFor("humanize", "pygments") + script(...body));
    const printed = lines.slice(-3);
    expect(printed[0]).toContain("stdout='12,345\\n', stderr=''");
    expect(printed[1]).toContain("Pygments version");
    expect(printed[2]).toBe("True");
  });

  it.skipIf(!hasPackageIndex)("work as GridSearchCV's workers with n_jobs", async () => {
    const code = `${asksFor("scikit-learn")}from miranda import *
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

class Own(ClassifierMixin, BaseEstimator):
    def __init__(self, answer=0):
        self.answer = answer
    def fit(self, rows, labels):
        self.classes_ = sorted(set(labels))
        return self
    def predict(self, rows):
        return [self.answer] * len(rows)

class Script(Node):
    def run(self):
        rows, labels = load_iris(return_X_y=True)
        search = GridSearchCV(LogisticRegression(max_iter=500), {"C": [0.1, 1.0]}, n_jobs=2, error_score="raise").fit(rows, labels)
        print(sorted(search.best_params_))
        search = GridSearchCV(Own(), {"answer": [0, 1]}, n_jobs=2, error_score="raise").fit(rows, labels)
        print(round(search.best_score_, 2))
`;
    const lines = await linesOf(code);
    expect(lines.slice(-2)).toEqual(["['C']", "0.33"]);
  });
});
