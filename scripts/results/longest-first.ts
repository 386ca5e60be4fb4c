import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They take minutes. Begun last, each would keep one worker busy while the others have nothing left to do. */
const LONGEST = [
  "benchmarks/benchmarks.test.ts",
  "server/platform/runtime.test.ts",
  "server/platform/runtime-libraries.test.ts",
  "server/engines/engine.test.ts",
  "server/features/mlflow/clients/clients.test.ts",
  "server/main.test.ts",
  "server/security/bodies/hostile-json.test.ts",
  "server/features/templates/library-runs.test.ts",
  "server/engines/swarm.test.ts",
  "server/engines/docker.test.ts",
  "server/features/notebooks/corpus.test.ts",
];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((path) => moduleId.endsWith(path));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
