import { expect, test } from "vitest";

import * as limits from "./limits.ts";

test.each([
  ["S7-005", limits.refresh.default, 15_000],
  ["S7-059", limits.refresh.processor, 23_100],
  ["S7-061", limits.refresh.processorLogs, 30_000],
  ["S7-074", limits.refresh.job, 9_300],
  ["S7-077", limits.refresh.jobsList, 60_000],
  ["S8-014", limits.executionToken.retries, 5],
  ["S8-020", limits.timeouts.createProcessor, 60_000],
  ["S9-004", limits.ghost.key, -1],
  ["S9-005", limits.timeouts.gitSoftPull, 60_000],
  ["S9-021", limits.models.rangeFilterStep, 0.01],
  ["S4-004", limits.menu.recentNavigation, 1_000],
  ["S4-005", limits.menu.autoCloseDelay, 100],
  ["S4-007", limits.browserWarning.dismissedFor, 2_592_000_000],
  ["S4-010", limits.errorScreen.copiedFor, 2_000],
  ["S5-013", limits.debounce.default, 500],
])("%s is %j", (_id, limit, value) => {
  expect(limit).toEqual(value);
});
