import { parseBroadcastEvent } from "@miranda/contract/events.ts";
import { RealtimeMessage } from "@miranda/contract/schemas/realtime.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { Caller } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { openSecondRealtime } from "../../testing/second-realtime.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket, until } from "../../testing/test-socket.ts";
import type { Realtime } from "./realtime-service.ts";

let server: TestServer;
let cast: Cast;
let http: Http;
let realtime: Realtime;
let graph: string;
let editor: TestSocket;
let viewer: TestSocket;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  const second = await openSecondRealtime(server);
  ({ http, realtime } = second);
  editor = await connect(second.server, cast.editor);
  viewer = await connect(second.server, cast.viewer);
  await editor.enter(graph);
  await viewer.enter(graph);
});
afterAll(async () => {
  await http.close();
  await server.close();
});

it("S7-110 publishes a status to everybody in the workflow", async () => {
  realtime.publish(graph, "status", { metadata_id: 1, status: "running" });
  expect(await editor.next("status")).toEqual({ metadata_id: 1, status: "running" });
  expect(await viewer.next("status")).toEqual({ metadata_id: 1, status: "running" });
});

it("S7-111 S7-114 S7-115 publishes less to readers, and nothing to people outside", async () => {
  const { id, username } = cast.editor.account;
  const whole = { project_id: graph, passwd_prompt: `of ${username} ${id}` };
  realtime.publish(graph, "ask_for_password", whole, { project_id: graph, passwd_prompt: "" });
  expect(await editor.next("ask_for_password")).toEqual(whole);
  expect(await viewer.next("ask_for_password")).toEqual({ project_id: graph, passwd_prompt: "" });
  realtime.publish("0190a000-0000-7000-8000-000000000000", "running_node", { metadata_id: 5 } as never);
  realtime.publish(graph, "status", { metadata_id: 2, status: null });
  await editor.next<{ metadata_id: number }>("status", ({ metadata_id }) => metadata_id === 2);
  expect(editor.all("running_node")).toEqual([]);
});

it("S7-093 sends a message to an account through its queue, to it alone", async () => {
  const caller: Pick<Caller, "accountId"> = { accountId: cast.viewer.account.id };
  realtime.publishToAccount(caller.accountId, "credits", { left: 5 });
  const text = await viewer.next<string>("realtime_message_queue");
  expect(RealtimeMessage.parse(JSON.parse(text))).toEqual({ payload: { action: "credits", data: { left: 5 } } });
  realtime.publish(graph, "status", { metadata_id: 3, status: null });
  await editor.next<{ metadata_id: number }>("status", ({ metadata_id }) => metadata_id === 3);
  expect(editor.all("realtime_message_queue")).toEqual([]);
});

it("S7-097 a username that looks like an event cannot pose as another", async () => {
  await editor.broadcast("selection", { metadata_ids: [] });
  await viewer.next("broadcast<editor>(selection)");
  const received = viewer.received.map(({ event }) => parseBroadcastEvent(event)).filter((one) => one !== undefined);
  expect(received).toEqual([{ sender: "editor", channel: "selection" }]);
});

it("clients reconnect by themselves when a server stops", async () => {
  const reasons: string[] = [];
  editor.socket.on("disconnect", (reason) => void reasons.push(reason));
  await http.close();
  await until(() => reasons.length > 0, "still connected");
  // "io server disconnect" would make the client stay away.
  expect(reasons).toEqual(["transport close"]);
});
