import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { type Cast, signUpCast } from "../../testing/access.ts";
import { deploymentOf, releaseAsProposed } from "../../testing/deployments/deployments.ts";
import { makeDue, schedulesOf, tickBench, yearly } from "../../testing/deployments/schedules.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

let server: TestServer;
let cast: Cast;
let bench: Awaited<ReturnType<typeof tickBench>>;
let count = 0;
beforeAll(async () => {
  // Nothing runs: calls wait until a test ends them.
  server = await startTestServer({ processors: { ...readConfig({}).processors, most: 0 } });
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  bench = await tickBench(server, cast, `ticks-${++count}`);
});

describe("failures", () => {
  it("in a row pause it, and people are told of the first and of the pause", async () => {
    const { id } = await bench.own.created({ ...yearly, failures_max: 3 });
    for (const failures of [1, 2]) {
      await bench.tickEnds(id, failures === 1 ? "failed" : "crashed");
      expect(await bench.own.find(id)).toMatchObject({ failures, paused: false });
      expect(await bench.news(cast.owner)).toEqual(["Nightly failed"]);
    }
    await bench.tickEnds(id, "lost");
    expect(await bench.own.find(id)).toMatchObject({
      ...{ failures: 3, paused: true, next: [] },
      paused_reason: "Paused after 3 failures in a row. The last one: No tide.",
    });
    expect(await bench.news(cast.owner)).toEqual(["Nightly was paused after 3 failures in a row", "Nightly failed"]);
  });

  it("are forgotten after a success, and a cancelled call is none", async () => {
    const { id } = await bench.own.created({ ...yearly, failures_max: 3 });
    await bench.tickEnds(id, "failed");
    await bench.tickEnds(id, "stopped");
    expect((await bench.own.find(id)).failures).toBe(1);
    await bench.tickEnds(id, "done");
    expect((await bench.own.find(id)).failures).toBe(0);
  });

  it("never pause it when the limit is 0, and are told once", async () => {
    const { id } = await bench.own.created({ ...yearly, failures_max: 0 });
    for (let at = 0; at < 3; at++) await bench.tickEnds(id, "failed");
    expect(await bench.own.find(id)).toMatchObject({ failures: 3, paused: false });
    expect(await bench.news(cast.owner)).toEqual(["Nightly failed"]);
  });

  it.each([
    ["nobody", []],
    ["owner", ["owner"]],
    ["creator", ["editor"]],
    ["editors", ["owner", "editor"]],
  ])("are told to %s", async (told, people) => {
    const { id } = await schedulesOf(cast.editor, bench.graph).created({ ...yearly, told });
    await bench.tickEnds(id, "failed");
    const all = { owner: cast.owner, editor: cast.editor, viewer: cast.viewer, stranger: cast.stranger };
    const reached: string[] = [];
    for (const [name, person] of Object.entries(all)) if ((await bench.news(person)).length > 0) reached.push(name);
    expect(reached).toEqual(people);
  });

  it("are not told to those who turned that off", async () => {
    const settings = "/api/v3/accounts/notification-settings";
    const { id } = await bench.own.created(yearly);
    await cast.owner.put(settings, { schedule_failed: false });
    await bench.tickEnds(id, "failed");
    await cast.owner.put(settings, { schedule_failed: true });
    expect(await bench.news(cast.owner)).toEqual([]);
    expect((await bench.own.find(id)).failures).toBe(1);
  });

  it("include times at which the release refused the values", async () => {
    const { id } = await bench.own.created({ ...yearly, failures_max: 1, inputs: { rate: 2 } });
    await versionsOf(cast.owner, bench.graph).made("Second");
    const { form } = await releaseAsProposed(cast.owner, bench.graph, 2);
    const fields = form.fields.filter(({ name }) => name !== "rate");
    await deploymentOf(cast.owner, bench.graph).released({
      version: 2,
      form: { ...form, fields },
      channel: "production",
    });
    await makeDue(server.db, id);
    await bench.settled(id, ["refused"]);
    expect((await bench.own.ticks(id))[0]?.reason).toMatch(/^rate: There is no such field/);
    expect(await bench.own.find(id)).toMatchObject({ paused: true, failures: 1 });
    expect((await bench.own.find(id)).paused_reason).toMatch(/^Paused after a failure\. The last one: rate: /);
    expect(await bench.callsOf(id)).toEqual([]);
    expect(await bench.news(cast.owner)).toEqual(["Nightly was paused after a failure"]);
  });
});

describe("a creator who may no longer call", () => {
  const lost = /^The account in whose name it makes calls may no longer change this deployment/;

  it.each(["viewer", "none"])("pauses the schedule: the role became %s", async (role) => {
    const { id } = await schedulesOf(cast.editor, bench.graph).created(yearly);
    const members = `/api/v3/projects/${bench.project}/members`;
    const member = `${members}/${cast.editor.account.id}`;
    const answer = role === "none" ? await cast.owner.delete(member) : await cast.owner.patch(member, { role });
    expect(answer.status).toBe(200);
    await makeDue(server.db, id);
    await bench.settled(id, ["refused"]);
    const paused = await bench.own.find(id);
    expect(paused.paused).toBe(true);
    expect(paused.paused_reason).toMatch(lost);
    expect(await bench.callsOf(id)).toEqual([]);
    // Somebody has to know. A person who can no longer read the project is told nothing.
    expect(await bench.news(role === "none" ? cast.owner : cast.editor)).toEqual(["Nightly was paused"]);
    if (role === "none") expect(await bench.news(cast.editor)).toEqual([]);
    await bench.own.changed(id, { paused: false });
    await makeDue(server.db, id);
    await bench.settled(id, ["refused", "called"]);
  });

  it("pauses the schedule: the account is gone", async () => {
    const { id } = await bench.own.created(yearly);
    await sql`update schedules set account_id = null where id = ${id}`.execute(server.db);
    await makeDue(server.db, id);
    await bench.settled(id, ["refused"]);
    expect((await bench.own.find(id)).paused_reason).toMatch(lost);
  });
});
