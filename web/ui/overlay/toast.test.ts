import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { keepLoading } from "./toast.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("loads the code of toasts again until the network is back", async () => {
  let tries = 0;
  const loading = keepLoading(async () => {
    tries += 1;
    if (tries < 3) throw new TypeError("Failed to fetch dynamically imported module");
    return "toasts";
  });
  await vi.runAllTimersAsync();
  expect([await loading, tries]).toEqual(["toasts", 3]);
});
