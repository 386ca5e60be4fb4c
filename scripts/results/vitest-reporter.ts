import type { Reporter, SerializedError, TestModule } from "vitest/node";

import { writeResults, type Failure, type FileTime } from "./results.ts";

function toReason(errors: readonly { message?: string; stack?: string }[]): string {
  return errors.map(({ stack, message }) => stack ?? message ?? "").join("\n");
}

/** Leaves the counts and every failure, also of a file that could not be loaded and of an error outside of all tests. */
export default class VitestResults implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    let passed = 0;
    const failures: Failure[] = [];
    const files: FileTime[] = [];
    for (const module of modules) {
      const file = module.relativeModuleId;
      const { duration, collectDuration, setupDuration } = module.diagnostic();
      files.push({ name: file, seconds: (duration + collectDuration + setupDuration) / 1000 });
      if (module.errors().length > 0) failures.push({ name: file, reason: toReason(module.errors()) });
      for (const suite of module.children.allSuites())
        if (suite.errors().length > 0)
          failures.push({ name: `${file} › ${suite.fullName}`, reason: toReason(suite.errors()) });
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === "passed") passed++;
        else if (state === "failed")
          failures.push({ name: `${file} › ${test.fullName}`, reason: toReason(errors ?? []) });
      }
    }
    for (const error of unhandled) failures.push({ name: "outside of all tests", reason: toReason([error]) });
    writeResults({ passed, failures, files });
  }
}
