import { errors } from "@miranda/contract/errors.ts";
import type { App, AppPage, AppTags } from "@miranda/contract/schemas/deployments/deployments.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { newId } from "../../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf, galleryOf } from "../../../testing/deployments/deployments.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let count = 0;
let name = "";
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  await sql`delete from deployments`.execute(server.db);
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  name = `app-${++count}`;
});

/** Another deployed workflow of the same project. */
async function deployAnother(settings: Parameters<typeof deployFlow>[2]): Promise<string> {
  const another = await buildGraph(cast, project, settings.name);
  await buildFlow(cast.owner, another);
  await deployFlow(cast.owner, another, settings);
  return another;
}

describe("an app", () => {
  it("shows its form without names of nodes and without money", async () => {
    await deployFlow(cast.owner, graph, { name, title: "Tide tables", call_budget: 5, access: "accounts" });
    const answer = await cast.stranger.get(`/api/v3/deployments/${name}`);
    const app = answer.json<App>();
    expect(app).toMatchObject({
      ...{ name, title: "Tide tables", channel: "production", release: 1, favourite: false, designer: null },
      fields: [
        { name: "rate", label: "Rate", kind: "float", control: { type: "number", min: 0, max: 9 }, default: 1 },
        { name: "mode", label: "Mode", default: "fast" },
        { name: "data", label: "Data", default: null },
      ],
      outputs: [{ name: "result", label: "Result" }, { label: "Target" }],
      ...{ steps: ["Source", "Target"], payer: "owner", paused_reason: null },
    });
    for (const hidden of ["wob_key", "attribute", "budget", "cost", "link", "hook", graph, project, "Tides"])
      expect(answer.text).not.toContain(hidden);
    expect((await cast.viewer.get(`/api/v3/deployments/${app.id}`)).json()).toMatchObject({ designer: null });
    expect((await cast.editor.get(`/api/v3/deployments/${app.id}`)).json()).toMatchObject({
      designer: { project_id: project, graph_id: graph },
    });
  });

  it("is for members, listed people, every account or visitors, as its owner says", async () => {
    await deployFlow(cast.owner, graph, { name });
    const { changed, send } = deploymentOf(cast.owner, graph);
    const seen = async () => {
      const people = ["owner", "editor", "viewer", "stranger", "admin"] as const;
      const answers = await Promise.all(people.map((role) => cast[role].get(`/api/v3/deployments/${name}`)));
      const listed = await Promise.all(people.map(async (role) => (await galleryOf(cast[role])).includes(name)));
      expect(listed).toEqual(answers.map(({ status }) => status === 200));
      return people.filter((_, at) => answers[at]?.status === 200);
    };
    const members = ["owner", "editor", "viewer", "admin"];
    expect(await seen()).toEqual(members);
    await changed({ access: "people", people: ["stranger@example.org"] });
    expect(await seen()).toEqual(["owner", "editor", "viewer", "stranger", "admin"]);
    await changed({ people: [] });
    expect(await seen()).toEqual(members);
    await changed({ access: "accounts" });
    expect(await seen()).toContain("stranger");
    await changed({ access: "link", people: ["stranger"] });
    expect(await seen()).toEqual(members);
    const link = (await send("POST", "/link")).json<{ sharing: { link: string } }>().sharing.link;
    const open = (given: string) =>
      cast.anonymous.send("GET", "/api/v3/deployments/-", undefined, { "x-miranda-link": given });
    expect((await open(link)).json()).toMatchObject({ name, designer: null, favourite: false });
    expect((await open(`${link}x`)).status).toBe(404);
    expect((await open("x".repeat(10_000))).status).toBe(401);
    expect((await cast.anonymous.get(`/api/v3/deployments/${name}`)).status).toBe(401);
    const renewed = (await send("POST", "/link")).json<{ sharing: { link: string } }>().sharing.link;
    expect([(await open(link)).status, (await open(renewed)).status]).toEqual([404, 200]);
    await changed({ access: "project" });
    expect((await open(renewed)).status).toBe(404);
    await changed({ access: "link" });
    expect((await open(renewed)).status).toBe(200);
    await send("DELETE", "/link");
    expect((await open(renewed)).status).toBe(404);
  });

  it("of a public project is refused to readers, who would spend the owner's credits", async () => {
    await cast.owner.patch(`/api/v3/projects/${project}`, { visibility: "public" });
    await deployFlow(cast.owner, graph, { name });
    expect((await cast.stranger.get(`/api/v3/deployments/${name}`)).status).toBe(404);
    expect(await galleryOf(cast.stranger)).toEqual([]);
    expect((await deploymentOf(cast.stranger, graph).read()).right).toBe("read");
  });

  it("shows staging only to those who may release", async () => {
    await deployFlow(cast.owner, graph, { name });
    const path = `/api/v3/deployments/${name}?channel=staging`;
    expect((await cast.editor.get(path)).json()).toMatchObject({ release: 0, paused_reason: errors.deployment_empty });
    await deploymentOf(cast.editor, graph).serve("staging", 1);
    expect((await cast.editor.get(path)).json()).toMatchObject({ release: 1, channel: "staging" });
    expect((await cast.viewer.get(path)).status).toBe(404);
    expect((await cast.viewer.get(`/api/v3/deployments/${name}?channel=all`)).status).toBe(400);
  });

  it("says why it serves nothing", async () => {
    await deployFlow(cast.owner, graph, { name });
    await deploymentOf(cast.owner, graph).changed({ paused: true });
    const path = `/api/v3/deployments/${name}`;
    expect((await cast.viewer.get(path)).json()).toMatchObject({ paused_reason: errors.deployment_paused });
    await deploymentOf(cast.owner, graph).changed({ paused: false });
    await deploymentOf(cast.owner, graph).serve("production", null);
    expect((await cast.viewer.get(path)).json()).toMatchObject({ paused_reason: errors.deployment_empty, fields: [] });
    expect(await galleryOf(cast.viewer)).toEqual([]);
  });

  it.each(["..%2f..%2fetc", "%00", "x".repeat(59), "'; drop table deployments; --", "-"])(
    "of the name %s is not found",
    async (bad) => {
      expect((await cast.owner.get(`/api/v3/deployments/${bad}`)).status).toBe(404);
    },
  );
});

describe("the gallery", () => {
  it("names the tags of the apps that somebody may use, the most frequent first", async () => {
    await deployFlow(cast.owner, graph, { name: "sea-tides", tags: ["sea", "moon"] });
    await deployAnother({ name: "wind-rose", tags: ["air", "sea"], access: "accounts" });
    const paused = await deployAnother({ name: "tags", tags: ["hidden"] });
    await deploymentOf(cast.owner, paused).serve("production", null);
    const tagsOf = async (person: keyof Cast) => {
      const { tags } = (await cast[person].get("/api/v3/app-tags")).json<AppTags>();
      return tags.map(({ tag, apps }) => `${tag} ${apps}`);
    };
    expect(await tagsOf("viewer")).toEqual(["sea 2", "air 1", "moon 1"]);
    expect(await tagsOf("stranger")).toEqual(["air 1", "sea 1"]);
    expect((await cast.anonymous.get("/api/v3/app-tags")).status).toBe(401);
    await deploymentOf(cast.owner, graph).changed({ tags: [] });
    expect(await tagsOf("viewer")).toEqual(["air 1", "sea 1"]);
  });

  it("names no more than fifty tags", async () => {
    await deployFlow(cast.owner, graph, { name });
    const many = sql`(select array_agg('tag ' || at) from generate_series(1, 80) as at)`;
    await sql`update deployments set tags = ${many} where name = ${name}`.execute(server.db);
    expect((await cast.owner.get("/api/v3/app-tags")).json<AppTags>().tags).toHaveLength(50);
  });

  it("finds apps by words, tag, favourites and recent use", async () => {
    await deployFlow(cast.owner, graph, { name: "sea-tides", title: "Tide tables", tags: ["sea"] });
    await deployAnother({ name: "wind-rose", title: "A rose", description: "Draws the Wind.", tags: ["air", "sea"] });
    expect(await galleryOf(cast.viewer)).toEqual(["wind-rose", "sea-tides"]);
    expect(await galleryOf(cast.viewer, "?query=WIND%20rose")).toEqual(["wind-rose"]);
    expect(await galleryOf(cast.viewer, "?query=rose%20tide")).toEqual([]);
    expect(await galleryOf(cast.viewer, "?query=%25")).toEqual([]);
    expect(await galleryOf(cast.viewer, "?tag=air")).toEqual(["wind-rose"]);
    expect(await galleryOf(cast.viewer, "?tag=sea")).toHaveLength(2);
    expect((await cast.viewer.put("/api/v3/deployments/sea-tides/favourite", { favourite: true })).status).toBe(204);
    expect(await galleryOf(cast.viewer, "?show=favourites")).toEqual(["sea-tides"]);
    expect(await galleryOf(cast.editor, "?show=favourites")).toEqual([]);
    await cast.viewer.put("/api/v3/deployments/sea-tides/favourite", { favourite: false });
    expect(await galleryOf(cast.viewer, "?show=favourites")).toEqual([]);
    await sql`insert into deployment_marks (account_id, deployment_id, used_at)
      select ${cast.viewer.account.id}, id, now() - case name when 'sea-tides' then interval '1 hour' else interval '1 day' end
      from deployments on conflict (account_id, deployment_id) do update set used_at = excluded.used_at`.execute(
      server.db,
    );
    expect(await galleryOf(cast.viewer, "?show=recent")).toEqual(["sea-tides", "wind-rose"]);
    expect(await galleryOf(cast.editor, "?show=recent")).toEqual([]);
    expect((await cast.stranger.put("/api/v3/deployments/sea-tides/favourite", { favourite: true })).status).toBe(404);
    expect((await cast.anonymous.get("/api/v3/deployments")).status).toBe(401);
  });

  it("pages through ten thousand, and shows each person only what they may use", async () => {
    await deployFlow(cast.owner, graph, { name: "mine", title: "Zebra" });
    await sql`
      with made as (insert into graphs (id, project_id, name, description, created_by)
        select gen_random_uuid(), ${project}, 'g' || n, '', ${cast.owner.account.id} from generate_series(1, 10000) as n
        returning id, name),
      deployed as (insert into deployments (id, graph_id, owner_id, name, title, access)
        select gen_random_uuid(), id, ${cast.owner.account.id}, 'many-' || substr(name, 2), 'Title ' || substr(name, 2),
          case when substr(name, 2)::integer % 100 = 0 then 'accounts' else 'project' end from made returning id),
      released as (insert into releases (id, deployment_id, number, version_id, form)
        select gen_random_uuid(), deployed.id, 1, (select id from graph_versions where graph_id = ${graph} limit 1),
          '{"fields":[],"outputs":[],"steps":[]}' from deployed returning id, deployment_id)
      select count(*) from released`.execute(server.db);
    await sql`update deployments set production_id = releases.id from releases
      where releases.deployment_id = deployments.id`.execute(server.db);
    const seen: string[] = [];
    for (let after = ""; ;) {
      const page = (await cast.stranger.get(`/api/v3/deployments?limit=40${after}`)).json<AppPage>();
      seen.push(...page.apps.map(({ title }) => title));
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    expect([seen.length, new Set(seen).size]).toEqual([100, 100]);
    expect(seen).toEqual(seen.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)));
    expect((await galleryOf(cast.viewer, "?limit=500")).length).toBe(500);
    expect(await galleryOf(cast.viewer, "?query=zebra")).toEqual(["mine"]);
  });

  it("refuses keys of other lists and made-up ones", async () => {
    await deployFlow(cast.owner, graph, { name });
    await deployAnother({ name: `${name}-b` });
    const { next } = (await cast.owner.get("/api/v3/deployments?limit=1")).json<AppPage>();
    const keys = [next, "x", Buffer.from(`["all","\\u0000","${newId()}"]`).toString("base64url")];
    const shows = ["recent", "all", "all"];
    for (const [at, key] of keys.entries()) {
      const answer = await cast.owner.get(`/api/v3/deployments?show=${shows[at]}&after=${key}`);
      expect([key, answer.status]).toEqual([key, 400]);
    }
  });
});
