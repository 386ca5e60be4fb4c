import { relative } from "node:path";
import type { FullConfig, Reporter, Suite, TestError } from "@playwright/test/reporter";

import { writeResults, type Failure } from "./results.ts";

function toReason(errors: readonly TestError[]): string {
  return errors.map(({ stack, message, value }) => stack ?? message ?? value ?? "").join("\n");
}

/** Leaves the counts and every failure, also of what went wrong outside of all journeys. */
export default class PlaywrightResults implements Reporter {
  private suite: Suite | undefined;
  private readonly outside: Failure[] = [];

  onBegin(_config: FullConfig, suite: Suite): void {
    this.suite = suite;
  }

  onError(error: TestError): void {
    this.outside.push({ name: "outside of all journeys", reason: toReason([error]) });
  }

  onEnd(): void {
    let passed = 0;
    const failures = [...this.outside];
    const seconds = new Map<string, number>();
    for (const test of this.suite?.allTests() ?? []) {
      const outcome = test.outcome();
      const file = relative(process.cwd(), test.location.file);
      const taken = test.results.reduce((sum, result) => sum + result.duration, 0) / 1000;
      seconds.set(file, (seconds.get(file) ?? 0) + taken);
      if (outcome === "expected") passed++;
      else if (outcome !== "skipped" || test.results.length === 0) {
        const errors = test.results.flatMap((result) => result.errors);
        const [, , ...names] = test.titlePath();
        failures.push({ name: names.join(" › "), reason: toReason(errors) || "It was not run to its end." });
      }
    }
    const files = [...seconds].map(([name, taken]) => ({ name, seconds: taken }));
    writeResults({ passed, failures, files });
  }

  printsToStdio(): boolean {
    return false;
  }
}
