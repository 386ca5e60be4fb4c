import { expect, it } from "vitest";

import { AppError } from "../errors/app-error.ts";
import { createOpenCounts } from "./open-counts.ts";

it("keeps half of the places for those who are signed in", () => {
  const take = createOpenCounts({ perCaller: 2, inAll: 8, words: "Too many.", retrySeconds: 1 });
  const strangers = ["a", "b"].flatMap((network) => [take(network, true), take(network, true)]);
  expect(() => take("c", true)).toThrow(AppError);
  const people = ["d", "e"].flatMap((account) => [take(account), take(account)]);
  expect(() => take("f")).toThrow("Too many.");
  for (const end of people) end();
  expect(() => take("c", true)).toThrow("Too many.");
  strangers[0]?.();
  expect(() => take("a")).not.toThrow();
});
