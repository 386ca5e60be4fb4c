import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const setAccount = (person: TestAccount, change: object) =>
  server.db.updateTable("accounts").set(change).where("id", "=", person.account.id).execute();

describe("who may start", () => {
  it("requires credits, and a trial that has not ended or a subscription", async () => {
    const bench = await Workbench.open(server);
    const start = async () => {
      const { status, text } = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: 1 });
      return [status, text];
    };
    await setAccount(bench.owner, { credits: 0 });
    expect(await start()).toEqual([402, "You are out of credits."]);
    await setAccount(bench.owner, { credits: -3 });
    expect(await start()).toEqual([402, "You are out of credits."]);
    // It names an administrator.
    const ended = [402, expect.stringMatching(/^Your trial has ended\. Ask .+ to go on\.$/)];
    await setAccount(bench.owner, { credits: 5, trial_end: new Date(Date.now() - 1_000) });
    expect(await start()).toEqual(ended);
    await setAccount(bench.owner, { trial: false });
    expect(await start()).toEqual(ended);
    await setAccount(bench.owner, { subscribed: true });
    expect((await start())[0]).toBe(200);
    bench.close();
  });
});

it("refuses a configuration in which every agent would be lost (fault 6)", () => {
  expect(() => readConfig({ MIRANDA_LOST_SECONDS: "10", MIRANDA_HEARTBEAT_SECONDS: "10" })).toThrow(
    /MIRANDA_LOST_SECONDS \(10\) must be more than MIRANDA_HEARTBEAT_SECONDS/,
  );
  expect(() => readConfig({ MIRANDA_PROCESSORS: "0" })).toThrow(/MIRANDA_PROCESSORS/);
  expect(() => readConfig({ MIRANDA_ENGINE: "moon" })).toThrow(/MIRANDA_ENGINE/);
});
