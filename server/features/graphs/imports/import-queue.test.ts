import { imports as limits } from "../../../limits.ts";
import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";

import { createImportQueue, type ImportQueue } from "./import-queue.ts";

const small = 1_000;
const large = limits.largeFrom + 1;

let queue: ImportQueue;
let began: string[];
let ends: Map<string, () => void>;
beforeEach(() => {
  queue = createImportQueue({ atOnce: 2, largeAtOnce: 1 });
  began = [];
  ends = new Map();
});

/** An import that runs until the test ends it. */
function send(account: string, name: string, bytes: number) {
  const place = queue.open(account, bytes);
  const done = place.run(bytes, () => {
    began.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  });
  return { place, done };
}

async function end(name: string): Promise<void> {
  await turn();
  ends.get(name)?.();
  await turn();
}

describe("the queue of imports", () => {
  it("runs one import per account at a time, and a small file beside another account's large one", async () => {
    send("ada", "large 1", large);
    send("ada", "large 2", large);
    send("ada", "small of the same account", small);
    send("bob", "small", small);
    await turn();
    expect(began).toEqual(["large 1", "small"]);
  });

  it("lets a new account's large file go before the second file of another", async () => {
    send("ada", "ada 1", large);
    send("ada", "ada 2", large);
    send("ada", "ada 3", large);
    send("bob", "bob 1", large);
    send("eve", "eve 1", large);
    for (const name of ["ada 1", "bob 1", "eve 1", "ada 2"]) await end(name);
    expect(began).toEqual(["ada 1", "bob 1", "eve 1", "ada 2", "ada 3"]);
  });

  it("refuses an account's next file at its limit, and accepts it when one is done", async () => {
    for (let i = 0; i < limits.openPerAccount; i++) send("ada", `ada ${i}`, small);
    expect(() => queue.open("ada", small)).toThrow("You are importing several files already.");
    send("bob", "bob", small);
    await turn();
    await end("ada 0");
    expect(() => queue.open("ada", small)).not.toThrow();
  });

  it("refuses large files that would fill the memory, and still accepts small ones", () => {
    const most = limits.bytesPerAccount;
    const accounts = Math.floor((limits.bytesInAll - limits.bytesKeptForSmall) / most);
    for (let i = 0; i < accounts; i++) queue.open(`account ${i}`, most);
    expect(() => queue.open("account 0", large)).toThrow("You are importing several files already.");
    expect(() => queue.open("late", large)).toThrow("Many large files are being imported.");
    expect(() => queue.open("late", small)).not.toThrow();
  });

  it("drops a waiting import when its sender disconnects, and counts a running one until it is done", async () => {
    const first = send("ada", "first", large);
    const second = send("ada", "second", large);
    first.place.leave();
    second.place.leave();
    await expect(second.done).rejects.toThrow("The sender of this file has gone.");
    send("ada", "third", large);
    await turn();
    expect(began).toEqual(["first"]);
    await end("first");
    await first.done;
    await turn();
    expect(began).toEqual(["first", "third"]);
  });

  it("goes on after a failed import", async () => {
    const failed = queue.open("ada", small).run(small, () => Promise.reject(new Error("broken")));
    await expect(failed).rejects.toThrow("broken");
    send("ada", "next", small);
    await turn();
    expect(began).toEqual(["next"]);
  });
});
