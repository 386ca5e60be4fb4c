import { describe, expect, it } from "vitest";

import { createMessageRate } from "./message-rate.ts";
import { createMemoryPresence } from "./presence.ts";

describe("presence", () => {
  it("S4-018 counts an account once, however many tabs it has", async () => {
    const presence = createMemoryPresence(45_000);
    expect(await presence.enter("g", "ada", "tab1")).toBe(true);
    expect(await presence.enter("g", "ada", "tab2")).toBe(false);
    expect(await presence.accounts("g")).toEqual(["ada"]);
    expect(await presence.leave("g", "ada", "tab1")).toBe(false);
    expect(await presence.leave("g", "ada", "tab1")).toBe(false);
    expect(await presence.leave("g", "ada", "tab2")).toBe(true);
    expect(await presence.accounts("g")).toEqual([]);
  });

  it("S7-090 ends 45 s after the last renewal", async () => {
    let now = 0;
    const presence = createMemoryPresence(45_000, () => now);
    await presence.enter("g", "ada", "tab");
    await presence.enter("g", "bob", "tab");
    now = 30_000;
    await presence.enter("g", "ada", "tab");
    now = 46_000;
    expect(await presence.expire()).toEqual([{ graphId: "g", accountId: "bob" }]);
    expect(await presence.expire()).toEqual([]);
    now = 76_000;
    expect(await presence.expire()).toEqual([{ graphId: "g", accountId: "ada" }]);
    expect(await presence.enter("g", "ada", "tab")).toBe(true);
  });
});

describe("the message rate of a connection", () => {
  it("allows 200 messages a second for ever and a burst of 400, and disconnects a client that keeps exceeding them", () => {
    let now = 0;
    const allowance = createMessageRate(() => now);
    const count = (most: number, bytes = 10) => {
      const words = Array.from({ length: most }, () => allowance.take(bytes));
      return words.filter((word) => word === "accepted").length;
    };
    for (let second = 0; second < 30; second++) {
      expect(count(200)).toBe(200);
      now += 1_000;
    }
    now += 5_000;
    expect(count(1_000)).toBe(400);
    now += 1_000;
    expect(count(1_000)).toBe(200);
    expect(allowance.take(10)).toBe("refused");
    count(1_000);
    expect(allowance.take(10)).toBe("abuse");
  });

  it("counts a large message as several", () => {
    let now = 0;
    const allowance = createMessageRate(() => now);
    const large = Array.from({ length: 20 }, () => allowance.take(250_000));
    expect(large.filter((word) => word === "accepted")).toHaveLength(6);
    now += 60_000;
    expect(allowance.take(250_000)).toBe("accepted");
  });
});
