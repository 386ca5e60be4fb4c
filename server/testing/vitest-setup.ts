import { TestRunner } from "vitest";

import { setDeadline } from "./deadline.ts";

const margin = 1_000;

setDeadline(() => {
  const test = TestRunner.getCurrentTest();
  return test?.result?.startTime === undefined ? undefined : test.result.startTime + test.timeout - margin;
});
