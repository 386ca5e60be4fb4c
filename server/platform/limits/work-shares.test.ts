import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";

import { createWorkShares, type WorkShares } from "./work-shares.ts";

let share: WorkShares;
let began: string[];
let ends: Map<string, () => void>;
beforeEach(() => {
  share = createWorkShares({ atOnce: 3, perAccount: 2, waitingPerAccount: 2 });
  began = [];
  ends = new Map();
});

/** Work that goes on until the test ends it. */
function send(accountId: string, name: string): Promise<void> {
  return share({ accountId }, () => {
    began.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  });
}

async function end(name: string): Promise<void> {
  await turn();
  ends.get(name)?.();
  await turn();
}

describe("work that is shared between accounts", () => {
  it("starts as much as an account may do at once, and another account's beside it", async () => {
    for (const name of ["ada 1", "ada 2", "ada 3"]) void send("ada", name);
    void send("bob", "bob 1");
    await turn();
    expect(began).toEqual(["ada 1", "ada 2", "bob 1"]);
  });

  it("gives a free place to the account that has the fewest running", async () => {
    void send("ada", "ada 1");
    void send("ada", "ada 2");
    void send("bob", "bob 1");
    void send("ada", "ada 3");
    void send("eve", "eve 1");
    await end("ada 1");
    expect(began).toEqual(["ada 1", "ada 2", "bob 1", "eve 1"]);
  });

  it("refuses an account when too much of it waits, and accepts it later", async () => {
    for (const name of ["ada 1", "ada 2", "ada 3", "ada 4"]) void send("ada", name);
    await expect(send("ada", "ada 5")).rejects.toThrow("Wait until one of them is done.");
    await end("ada 1");
    void send("ada", "ada 6");
    await end("ada 2");
    await end("ada 3");
    await end("ada 4");
    expect(began).toEqual(["ada 1", "ada 2", "ada 3", "ada 4", "ada 6"]);
  });

  it("goes on after work that failed", async () => {
    for (let at = 0; at < 5; at++)
      await expect(share({ accountId: "ada" }, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    void send("ada", "next");
    await turn();
    expect(began).toEqual(["next"]);
  });
});
