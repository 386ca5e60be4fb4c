import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { languageServers } from "../testing/language-help.ts";
import { SharedCode } from "../testing/shared-code.ts";
import { connect, type TestSocket, until } from "../testing/test-socket.ts";
import type { Workbench } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";

let fault: FaultBench;
beforeEach(async () => {
  fault = await FaultBench.open();
});
afterEach(() => fault.close());

async function enter(bench: Workbench): Promise<TestSocket> {
  const socket = await connect(bench.server, bench.owner);
  expect(await socket.enter(bench.graphId)).toBe(null);
  return socket;
}

describe("kill -9 of the server while people write code", () => {
  it("loses and doubles no keystroke, and leaves no language server behind", async () => {
    let bench = await fault.workbench();
    const node = await bench.node("one\ntwo\n");
    const [ada, ben] = [new SharedCode(node), new SharedCode(node)];
    for (const code of [ada, ben]) {
      expect(await code.open(await enter(bench))).toBe(null);
      await until(() => code.epoch !== null, "no document came");
    }
    expect(await ada.socket?.ask("language_open", node)).toBe(null);
    for (let from = Date.now(); (await languageServers(fault.dataFolder)).length === 0;)
      if (Date.now() - from > 30_000) throw new Error("no language server started");

    const typed = { ada: "", ben: "" };
    const killed = sleep(120).then(() => fault.server.kill("SIGKILL"));
    for (let count = 0; count < 60; count += 1) {
      ada.type(typed.ada.length, `${count % 10}`);
      typed.ada += count % 10;
      ben.type(ben.text.length, "x");
      typed.ben += "x";
      await sleep(5);
    }
    await killed;
    await fault.restart();
    bench = await fault.follow(bench);
    for (const code of [ada, ben]) expect(await code.open(await enter(bench))).toBe(null);
    const whole = `${typed.ada}one\ntwo\n${typed.ben}`;
    await until(
      () => ada.text === whole && ben.text === whole,
      `not whole: ${JSON.stringify([ada.text, ben.text, whole])}`,
    );
    for (let from = Date.now(); (await languageServers(fault.dataFolder)).length > 0;)
      if (Date.now() - from > 15_000) throw new Error("a language server outlived its server");
    for (const code of [ada, ben]) code.socket?.close();
    bench.close();
  });
});
