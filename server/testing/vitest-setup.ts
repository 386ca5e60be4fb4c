import { flushCompileCache } from "node:module";

import { afterAll, TestRunner } from "vitest";

import { setDeadline } from "./deadline.ts";

const margin = 1_000;

setDeadline(() => {
  const test = TestRunner.getCurrentTest();
  return test?.result?.startTime === undefined ? undefined : test.result.startTime + test.timeout - margin;
});

// Workers are killed, so Node would never write what it compiled.
afterAll(() => flushCompileCache());
