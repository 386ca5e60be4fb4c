import type { ClientEvents } from "@miranda/contract/events.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { readConfig } from "../../platform/settings/config.ts";
import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addEndedSession } from "../../testing/billing.ts";
import { buildFlow, deployFlow } from "../../testing/deployments/deployments.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, until } from "../../testing/test-socket.ts";
import { type KnownRoute, readRoutes } from "../tokens/known-routes.ts";

// Values that JSON can say and few programs expect, in every body and every event. One of them once ended the server.

const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
/** As JSON text: most of them cannot be written by JSON.stringify. */
const hostile: readonly string[] = [
  "1e999",
  "-1e999",
  '"\\ud800"',
  '"a\\u0000b"',
  '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
  '{"length":1e9,"toString":1,"then":1}',
  "9007199254740993",
  "-9223372036854775809",
  '"99999-12-31T23:59:59Z"',
  '"+275760-09-13T00:00:00.001Z"',
  `"${"9".repeat(400)}"`,
  "[null,[],{}]",
  nested,
];
/** No JSON at all, though some programs write it. */
const noJson = ["Infinity", '{"name":NaN}', '{"name":"\\ud8"}', "[".repeat(100_000)];

const changing = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** On a calm machine an answer takes 200 ms at most. This finds the one that never comes. */
const patience = 30_000;

const Schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() });
const Documented = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        requestBody: z.object({ content: z.record(z.string(), z.object({ schema: Schema.optional() })) }).optional(),
      }),
    ),
  ),
});

let server: TestServer;
let cast: Cast;
let place: { project: string; graph: string; node: number; job: string };
let routes: (KnownRoute & { fields: string[] })[];
const crashes: unknown[] = [];
const onCrash = (cause: unknown) => void crashes.push(cause);

beforeAll(async () => {
  process.on("unhandledRejection", onCrash);
  process.on("uncaughtException", onCrash);
  const { quotas } = readConfig({});
  server = await startTestServer({ quotas: { ...quotas, callsPerMinute: 0 } });
  cast = await signUpCast(server);
  const project = (await buildProject(cast)).id;
  const graph = await buildGraph(cast, project);
  const { source } = await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name: "tides" });
  const job = await addEndedSession(server.db, cast.owner.account.id, graph, "1");
  place = { project, graph, node: source, job };
  const { paths } = Documented.parse((await cast.owner.get("/api/docs/json")).json());
  const fieldsOf = ({ method, url }: KnownRoute): string[] => {
    const path = url.replace(/\/$/, "").replaceAll(/:(\w+)/g, "{$1}");
    const described = paths[path] ?? paths[`${path}/`];
    const bodies = Object.values(described?.[method.toLowerCase()]?.requestBody?.content ?? {});
    return Object.keys(bodies[0]?.schema?.properties ?? {});
  };
  routes = readRoutes(server.routeTree)
    .filter(({ method, url }) => changing.has(method) && /^\/(api|mlflow|mcp)(\/|$)/.test(url))
    // It would sign out who tries the others.
    .filter(({ method, url }) => `${method} ${url}` !== "DELETE /api/v3/auth")
    .map((route) => ({ ...route, fields: fieldsOf(route) }));
}, 120_000);
afterAll(async () => {
  await server.close();
  process.off("unhandledRejection", onCrash);
  process.off("uncaughtException", onCrash);
});

function addressOf({ url }: KnownRoute): string {
  const ids: [RegExp, string][] = [
    [/(\/(?:projects|mlflow|designer)\/):\w+/, place.project],
    [/(\/graphs\/):\w+/, place.graph],
    [/(\/objects\/):\w+/, String(place.node)],
    [/(\/jobs\/):\w+/, place.job],
    [/(\/deployments\/):\w+/, "tides"],
  ];
  return ids
    .reduce((path, [pattern, id]) => path.replace(pattern, `$1${id}`), url)
    .replaceAll(/:number|:version|:before|:after/g, "1")
    .replaceAll(/:\w+/g, "00000000-0000-4000-8000-000000000000")
    .replace(/\*$/, "x");
}

/** What MLflow, agents and MCP are sent is not in the API's document. */
const otherFields = [
  "run_id",
  "experiment_id",
  "name",
  "key",
  "value",
  "timestamp",
  "step",
  "metrics",
  "params",
  "tags",
].concat(["events", "number", "id", "method", "jsonrpc", "filter", "max_results", "order_by", "page_token"]);

/** Something that a field of this name may take, so that the others are looked at as well. */
const plain = (field: string): string =>
  /graph/.test(field)
    ? JSON.stringify(place.graph)
    : /project/.test(field)
      ? JSON.stringify(place.project)
      : /metadata|source|target|number|version|limit|count/.test(field)
        ? String(place.node)
        : '"x"';

const object = (fields: readonly string[], valueOf: (field: string) => string): string =>
  `{${fields.map((field) => `${JSON.stringify(field)}:${valueOf(field)}`).join(",")}}`;

/** Every value as the whole body and in all fields; and in one field, among others that are right. */
function bodiesFor(given: readonly string[], role: Role): string[] {
  const fields = given.length > 0 ? given : otherFields;
  const turns = fields.map((own, at) =>
    object(fields, (field) => (field === own ? (hostile[at % hostile.length] ?? "null") : plain(field))),
  );
  const all = [...noJson, ...hostile.map((value) => object(fields, () => value))];
  // Others are refused before anybody looks at a single field.
  return role === "editor" ? [...all, ...hostile, ...turns] : all;
}

describe("hostile JSON", () => {
  it.each<Role>(["stranger", "viewer", "editor"])(
    "in the events of %s ends at most their own connection",
    { timeout: 600_000 },
    async (role) => {
      const watching = await connect(server, cast.owner);
      await watching.enter(place.graph);
      const events: Record<keyof ClientEvents, 1> = {
        ...{ enter_project: 1, watch_project: 1, renew_project_presence: 1, leave_project: 1, broadcast: 1 },
        ...{ code_open: 1, code_update: 1, code_awareness: 1, code_close: 1 },
        ...{ language_open: 1, language_ask: 1, language_close: 1 },
      };
      for (const event of Object.keys(events))
        for (const value of [...hostile, ...noJson]) {
          const own = await connect(server, cast[role]);
          if (role !== "stranger") await own.enter(place.graph);
          const engine = own.socket.io.engine as unknown as { send(text: string): void };
          // An event with the number of its acknowledgement, as Socket.IO writes it.
          const args = [value, `${place.node},${value}`, `"selection",${value}`, `${place.node},1,${value},${value}`];
          for (const [number, list] of args.entries()) engine.send(`2${number + 900}["${event}",${list}]`);
          const ended = own.ask("leave_project", place.graph).catch(() => "ended");
          let isOver = false;
          void ended.then(() => (isOver = true));
          await until(() => isOver || own.socket.disconnected, `${event} ${value.slice(0, 100)}`, patience);
          own.close();
        }
      expect(watching.socket.connected).toBe(true);
      expect(crashes).toEqual([]);
      watching.close();
    },
  );

  it.each<Role>(["stranger", "viewer", "editor", "anonymous"])(
    "from %s fails no call and ends nothing",
    { timeout: 1_200_000 },
    async (role) => {
      expect(routes.filter(({ fields }) => fields.length > 0).length).toBeGreaterThan(80);
      const wrong: unknown[] = [];
      for (const route of routes) {
        const bodies = bodiesFor(route.fields, role);
        // A few at once, as a browser would: the answers are what counts.
        for (let at = 0; at < bodies.length; at += 6) {
          const sent = bodies.slice(at, at + 6);
          const answers = await Promise.all(
            sent.map((body) =>
              Promise.race([
                cast[role].send(route.method, addressOf(route), body, { "content-type": "application/json" }),
                new Promise<undefined>((resolve) => setTimeout(resolve, patience, undefined).unref()),
              ]),
            ),
          );
          for (const [index, answer] of answers.entries())
            if (!answer || (answer.status >= 500 && answer.status !== 503))
              wrong.push([
                route.method,
                route.url,
                sent[index]?.slice(0, 200),
                answer?.status,
                answer?.text.slice(0, 200),
              ]);
        }
      }
      expect(wrong).toEqual([]);
      expect(crashes).toEqual([]);
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
      expect((await cast.owner.get(`/api/v3/graphs/${place.graph}/graph`)).status).toBe(200);
    },
  );

  it("in the code of a node is no number, and ends nothing", { timeout: 120_000 }, async () => {
    for (const value of ["1e999", "-1e999", "1e999 - 1e999", "'\\ud800'", `${"(".repeat(90)}1${")".repeat(90)}`]) {
      const source_code = `from miranda import *\n\nclass Node(Node):\n    x = Receiver(shown_when={"m": [{"value": ${value}}]})\n`;
      const saved = await cast.editor.put(`/api/v3/objects/${place.node}/api`, { source_code });
      expect([value, saved.status < 500]).toEqual([value, true]);
      for (const person of [cast.viewer, cast.editor]) {
        const checked = await person.post(`/api/v3/objects/${place.node}/check`, { source_code });
        expect([value, checked.status < 500]).toEqual([value, true]);
      }
    }
    expect(crashes).toEqual([]);
    expect((await cast.owner.get(`/api/v3/graphs/${place.graph}/graph`)).status).toBe(200);
  });
});
