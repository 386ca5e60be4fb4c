import { expect, it } from "vitest";

import { idleMemory as limits } from "../limits.ts";
import { createIdleMemory } from "./idle-memory.ts";

function observed() {
  const machine = { megabytes: 200, busy: 0, collections: 0 };
  const memory = createIdleMemory({
    resident: () => machine.megabytes,
    busyShare: () => machine.busy,
    collect() {
      machine.collections += 1;
      machine.megabytes = 210;
    },
  });
  const check = (times: number): void => {
    for (let at = 0; at < times; at += 1) memory.check();
  };
  return { machine, check };
}

it("collects once after a load, when the server has been quiet for a while", () => {
  const { machine, check } = observed();
  machine.megabytes = 420;
  machine.busy = 0.6;
  check(20);
  expect(machine.collections).toBe(0);
  machine.busy = 0.01;
  check(limits.quietChecks - 1);
  expect(machine.collections).toBe(0);
  check(1);
  expect(machine.collections).toBe(1);
  check(100);
  expect(machine.collections).toBe(1);
});

it("does nothing while the server is used now and then, or when it has not grown", () => {
  const { machine, check } = observed();
  check(100);
  machine.megabytes = 420;
  for (let at = 0; at < 20; at += 1) {
    machine.busy = at % 3 === 0 ? 0.3 : 0;
    check(1);
  }
  expect(machine.collections).toBe(0);
});
