import { errors } from "@miranda/contract/errors.ts";
import type { Schedule } from "@miranda/contract/schemas/deployments/schedules.ts";
import { schedule as limits } from "@miranda/contract/limits.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { newId } from "../../platform/crypto.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf, releaseAsProposed } from "../../testing/deployments/deployments.ts";
import { preview, previewed, schedulesOf } from "../../testing/deployments/schedules.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";
import { scheduleQueries } from "./schedules-queries.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let count = 0;
beforeAll(async () => {
  // Nothing runs: calls wait.
  server = await startTestServer({ processors: { ...readConfig({}).processors, most: 0 } });
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name: `nightly-${++count}` });
});

const own = () => schedulesOf(cast.owner, graph);

describe("a schedule", () => {
  it("is made, listed and described with a sentence and the next five times", async () => {
    const made = await own().created({ timezone: "Europe/Berlin", inputs: { rate: 2 } });
    expect(made).toMatchObject({
      ...{ name: "Nightly", cron: "30 2 * * *", every_minutes: null, timezone: "Europe/Berlin" },
      ...{ sentence: "At 02:30 every day (Europe/Berlin)", inputs: { rate: 2 }, channel: "production" },
      ...{ overlap: "skip", missed: "latest", paused: false, paused_reason: "", failures: 0, failures_max: 5 },
      ...{ told: "creator", by: { username: "owner" }, last: null },
    });
    expect(made.next).toHaveLength(5);
    expect(made.next.map((time) => Date.parse(time) > Date.now())).not.toContain(false);
    expect(await own().list()).toEqual([made]);
  });

  it("can run every few minutes, counted from when it was saved", async () => {
    const before = Date.now();
    const made = await own().created({ cron: null, every_minutes: 90 });
    expect(made.sentence).toBe("Every 90 minutes");
    const [first = "", second = ""] = made.next;
    expect(Date.parse(first) - before).toBeGreaterThanOrEqual(90 * 60_000 - 1_000);
    expect(Date.parse(second) - Date.parse(first)).toBe(90 * 60_000);
  });

  it("is changed in parts, and starts from its new times", async () => {
    const { id, next } = await own().created();
    const changed = await own().changed(id, { every_minutes: 10, told: "nobody", overlap: "queue" });
    expect(changed).toMatchObject({ cron: null, every_minutes: 10, told: "nobody", overlap: "queue", name: "Nightly" });
    expect(changed.next).not.toEqual(next);
    expect(await own().changed(id, { cron: "0 * * * *" })).toMatchObject({ cron: "0 * * * *", every_minutes: null });
    expect(await own().changed(id, { timezone: "Asia/Tokyo" })).toMatchObject({
      cron: "0 * * * *",
      timezone: "Asia/Tokyo",
    });
    const same = await own().changed(id, { name: "Hourly" });
    expect(same.next[0]).toBe((await own().find(id)).next[0]);
  });

  it("is paused and resumed: without next times meanwhile, and without what was missed", async () => {
    const { id } = await own().created();
    expect(await own().changed(id, { paused: true })).toMatchObject({ paused: true, next: [] });
    await sql`update schedules set failures = 3, paused_reason = 'Too many.' where id = ${id}`.execute(server.db);
    const resumed = await own().changed(id, { paused: false });
    expect(resumed).toMatchObject({ paused: false, paused_reason: "", failures: 0 });
    expect(resumed.next).toHaveLength(5);
    expect(await own().ticks(id)).toEqual([]);
  });

  it("calls in the name of who saved it last, but not of who only paused it", async () => {
    const { id } = await own().created();
    const editor = schedulesOf(cast.editor, graph);
    expect((await editor.changed(id, { paused: true })).by?.username).toBe("owner");
    expect((await editor.changed(id, { paused: false })).by?.username).toBe("editor");
    expect((await own().changed(id, { inputs: { rate: 3 } })).by?.username).toBe("owner");
  });

  it("is deleted with its ticks, while its calls stay", async () => {
    const { id } = await own().created();
    const call = await own().ran(id);
    expect((await own().remove(id)).status).toBe(204);
    expect((await own().remove(id)).status).toBe(404);
    expect((await own().patch(id, { name: "Gone" })).text).toBe("Schedule not found.");
    expect(await own().list()).toEqual([]);
    const { rows } = await sql`select 1 from calls where id = ${call.id}`.execute(server.db);
    expect(rows).toHaveLength(1);
  });

  it("is one of at most 100 of its deployment, also when many come at once", async () => {
    const { id } = await own().created();
    await sql`insert into schedules (id, deployment_id, name, cron, account_id)
      select gen_random_uuid(), deployment_id, name, cron, account_id
      from schedules, generate_series(1, ${limits.perDeployment - 3}) where id = ${id}`.execute(server.db);
    const body = { name: "One more", cron: "0 0 * * *" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => own().create(body)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 201, 409, 409, 409, 409, 409, 409,
    ]);
    expect(answers.find(({ status }) => status === 409)?.text).toMatch(/as many schedules as it can have/);
    expect(await own().list()).toHaveLength(limits.perDeployment);
  });

  it("hides what is sent from readers", async () => {
    await own().created({ inputs: { rate: 2 } });
    expect(await schedulesOf(cast.viewer, graph).list()).toMatchObject([{ name: "Nightly", inputs: {} }]);
    expect(await schedulesOf(cast.editor, graph).list()).toMatchObject([{ inputs: { rate: 2 } }]);
  });
});

describe("run now", () => {
  it("makes a call in the caller's name, also while the schedule is paused", async () => {
    const { id } = await own().created({ inputs: { rate: 2 } });
    await own().changed(id, { paused: true });
    const call = await schedulesOf(cast.editor, graph).ran(id);
    expect(call).toMatchObject({
      via: "schedule",
      state: "queued",
      inputs: { rate: 2, mode: "fast" },
      schedule_id: id,
    });
    expect(call.by?.username).toBe("editor");
    expect(await own().ticks(id)).toMatchObject([
      { outcome: "called", reason: "Run by editor.", call: { id: call.id } },
    ]);
    expect((await own().find(id)).last).toMatchObject({ call_id: call.id, state: "queued" });
  });

  it("is refused with every problem when the release has changed", async () => {
    const { id } = await own().created({ inputs: { rate: 2 } });
    await sql`update schedules set inputs = '{"rate": "x", "colour": 1}' where id = ${id}`.execute(server.db);
    const refused = await own().run(id);
    expect(refused.status).toBe(400);
    expect(refused.text.split("\n")).toHaveLength(2);
    expect(await own().ticks(id)).toEqual([]);
  });
});

describe("refuses", () => {
  const attempt = async (body: object) => {
    const answer = await own().create({ name: "Nightly", cron: "30 2 * * *", ...body });
    expect(await own().list()).toEqual([]);
    return [answer.status, answer.text];
  };

  it.each([
    [
      { timezone: "Mars/Olympus" },
      'There is no time zone "Mars/Olympus". Write a name such as Europe/Berlin or America/New_York.',
    ],
    [{ cron: "0 0 30 2 *" }, "This cron expression names a day that never comes."],
    [{ cron: null }, "Give either a cron expression or a number of minutes."],
    [{ every_minutes: 5 }, "Give either a cron expression or a number of minutes."],
    [{ name: "" }, "Name is required."],
    [{ overlap: "explode" }, "Overlap must be skip, queue or cancel."],
    [{ missed: 7 }, "Missed must be skip, latest or all."],
    [{ told: "everybody" }, "Who is told must be nobody, creator, owner or editors."],
    [{ failures_max: -1 }, "Failures must be a whole number from 0 to 1000."],
    [{ cron: null, every_minutes: 0 }, "Minutes must be a whole number from 1 to 525600."],
  ])("%j", async (body, words) => {
    expect(await attempt(body)).toEqual([400, words]);
  });

  it("wrong values, all at once", async () => {
    const [status, text] = await attempt({ inputs: { rate: "fast", mode: "slow", colour: 1 } });
    expect(status).toBe(400);
    expect(text).toMatch(/^rate: .*\nmode: .*\ncolour: There is no such field/);
  });

  it("values that are too long", async () => {
    const words = "The values can have at most 64000 characters.";
    expect(await attempt({ inputs: { data: "a".repeat(70_000) } })).toEqual([400, words]);
  });

  it("a channel that serves nothing", async () => {
    expect(await attempt({ channel: "staging" })).toEqual([409, errors.deployment_empty]);
  });

  it("a wrong change, and changes nothing", async () => {
    const made = await own().created();
    for (const patch of [
      { cron: "61 * * * *" },
      { inputs: { rate: 10 } },
      { timezone: "" },
      { cron: null },
      { paused: "maybe" },
    ])
      expect((await own().patch(made.id, patch)).status).toBe(400);
    expect(await own().find(made.id)).toEqual(made);
  });

  it("an id of another deployment", async () => {
    const { id } = await own().created();
    const other = await buildGraph(cast, (await buildProject(cast)).id);
    await buildFlow(cast.owner, other);
    await deployFlow(cast.owner, other, { name: `other-${++count}` });
    const there = schedulesOf(cast.owner, other);
    for (const answer of [await there.patch(id, { name: "Mine" }), await there.remove(id), await there.run(id)])
      expect(answer.status).toBe(404);
    expect((await deploymentOf(cast.owner, other).send("GET", `/schedules/${id}/ticks`)).status).toBe(404);
    expect(await own().find(id)).toMatchObject({ name: "Nightly" });
  });
});

describe("the preview", () => {
  it("says the times in a sentence, and the next five", async () => {
    const { sentence, next } = await previewed(cast.stranger, { cron: "0 9 * * 1-5", timezone: "America/New_York" });
    expect(sentence).toBe("At 09:00, Monday through Friday (America/New_York)");
    expect(next).toHaveLength(5);
  });

  it("takes forms, where nothing is an empty text", async () => {
    const answer = await cast.owner.post("/api/v3/schedules/preview", { cron: "", every_minutes: "15" });
    expect(answer.json<{ sentence: string }>().sentence).toBe("Every 15 minutes");
  });

  it("is for people who are signed in", async () => {
    expect((await preview(cast.anonymous, { every_minutes: 5 })).status).toBe(401);
  });
});

describe("a file", () => {
  const upload = (as = cast.owner, to = graph) => {
    const form = new FormData();
    form.append("file", new File(["a,b\n1,2\n"], "../secret/tides.csv", { type: "text/csv" }));
    return as.send("POST", `/api/v3/graphs/${to}/deployment/schedules/files`, form);
  };
  const withFile = async (): Promise<void> => {
    const { version, form } = await releaseAsProposed(cast.owner, graph);
    const { fields } = await deploymentOf(cast.owner, graph).proposal();
    const data = fields.find(({ attribute }) => attribute === "data");
    if (!data) throw new Error("no field for a file");
    const { node_name: _node, ticked: _ticked, ...field } = data;
    if (!form.fields.some(({ name }) => name === field.name)) form.fields.push(field);
    await deploymentOf(cast.owner, graph).released({ version, form, channel: "production" });
  };

  it("is uploaded, named by a schedule, and sent with its calls", async () => {
    await withFile();
    const value = (await upload()).json<{ file: string; name: string; size: number }>();
    expect(value).toMatchObject({ name: "tides.csv", size: 8 });
    const { id } = await own().created({ inputs: { data: value } });
    const call = await own().ran(id);
    const { rows } = await sql`select hash from call_files where call_id = ${call.id}`.execute(server.db);
    expect(rows).toEqual([{ hash: value.file }]);
  });

  it("that was not uploaded for schedules of this deployment is refused", async () => {
    await withFile();
    const value = (await upload()).json<{ file: string; size: number }>();
    const words = /data: .* must be a file that was uploaded for a schedule\./;
    const create = (data: unknown) => own().create({ name: "x", cron: "0 0 * * *", inputs: { data } });
    expect((await create({ ...value, size: 7 })).text).toMatch(words);
    expect((await create({ ...value, file: "0".repeat(64) })).text).toMatch(words);
    const graphThere = await buildGraph(cast, (await buildProject(cast)).id);
    await buildFlow(cast.owner, graphThere);
    await deployFlow(cast.owner, graphThere, { name: `third-${++count}` });
    const foreign = (await upload(cast.owner, graphThere)).json<object>();
    await sql`delete from schedule_files where deployment_id =
      (select id from deployments where graph_id = ${graph})`.execute(server.db);
    expect((await create(foreign)).text).toMatch(words);
    expect(await own().list()).toEqual([]);
  });

  it("stays while a schedule names it, and goes a day after", async () => {
    await withFile();
    const value = (await upload()).json<{ file: string }>();
    const { id } = await own().created({ inputs: { data: value } });
    const kept = async (): Promise<number> => {
      await sql`update schedule_files set created_at = now() - interval '2 days'`.execute(server.db);
      await finishChore(scheduleQueries(server.db).sweep());
      const { rows } = await sql`select 1 from schedule_files where hash = ${value.file}
        and deployment_id = (select id from deployments where graph_id = ${graph})`.execute(server.db);
      return rows.length;
    };
    expect(await kept()).toBe(1);
    await own().remove(id);
    expect(await kept()).toBe(0);
  });

  it("is refused when there is none, and from people who may not change the deployment", async () => {
    const at = `/api/v3/graphs/${graph}/deployment/schedules/files`;
    expect((await cast.owner.postJson(at, { file: "text" })).status).toBe(400);
    expect((await upload(cast.viewer)).status).toBe(403);
    expect((await upload(cast.stranger)).status).toBe(404);
  });
});

it("lists ticks in pages, newest first", async () => {
  const { id } = await own().created();
  await sql`insert into schedule_ticks (schedule_id, at, outcome)
    select ${id}, now() - make_interval(hours => n), 'missed' from generate_series(1, 25) as n`.execute(server.db);
  const first = await own().ticksPage(id, "?limit=20");
  expect(first.ticks).toHaveLength(20);
  const rest = await own().ticksPage(id, `?limit=20&after=${encodeURIComponent(first.next ?? "")}`);
  expect(rest.ticks).toHaveLength(5);
  expect(rest.next).toBeNull();
  const times = [...first.ticks, ...rest.ticks].map(({ time }) => time);
  expect(times).toEqual(times.toSorted().toReversed());
  expect((await deploymentOf(cast.owner, graph).send("GET", `/schedules/${id}/ticks?after=yesterday`)).status).toBe(
    400,
  );
});

it("keeps the last 1,000 ticks of a schedule, and none that is due", async () => {
  const { id } = await own().created();
  await own().changed(id, { paused: true });
  await sql`insert into schedule_ticks (schedule_id, at, outcome)
    select ${id}, now() - make_interval(mins => n), case when n > 1100 then 'due' else 'missed' end
    from generate_series(1, 1110) as n`.execute(server.db);
  await finishChore(scheduleQueries(server.db).sweep());
  const { rows } = await sql<{ outcome: string; count: number }>`select outcome, count(*)::integer from schedule_ticks
    where schedule_id = ${id} group by outcome order by outcome`.execute(server.db);
  expect(rows).toEqual([
    { outcome: "due", count: 10 },
    { outcome: "missed", count: 1_001 },
  ]);
});

it("a new release that a schedule does not fit leaves the schedule as it is", async () => {
  const made: Schedule = await own().created({ inputs: { rate: 2 } });
  await versionsOf(cast.owner, graph).made("Second");
  const { form } = await releaseAsProposed(cast.owner, graph, 2);
  const fields = form.fields.filter(({ name }) => name !== "rate");
  await deploymentOf(cast.owner, graph).released({ version: 2, form: { ...form, fields }, channel: "production" });
  expect(await own().find(made.id)).toEqual(made);
  expect((await own().run(made.id)).text).toMatch(/^rate: There is no such field/);
  expect((await own().patch(newId(), { name: "x" })).status).toBe(404);
});
