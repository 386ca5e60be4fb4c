import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Cast, signUpCast } from "../../testing/access.ts";
import { readGraph } from "../../testing/editor.ts";
import {
  codeOf,
  merge,
  mergeAll,
  nodeNamed,
  originAndClone,
  previewOf,
  setValue,
  valueOf,
  writeCode,
} from "../../testing/versions/merging.ts";
import { connect } from "../../testing/test-socket.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

describe("the name of a private workflow", () => {
  it("reaches nobody who may not read it when its changes are merged elsewhere", async () => {
    const { origin, clone, train } = await originAndClone(cast);
    const renamed = await cast.editor.patch(`/api/v3/graphs/${clone}`, { name: "Takeover plan" });
    expect(renamed.status).toBe(200);
    await writeCode(cast.editor, clone, "Train", codeOf("Train", { epochs: "50" }));
    const viewer = await connect(server, cast.viewer);
    expect(await viewer.enter(origin)).toBeNull();
    const { revision } = await mergeAll(cast.editor, origin, clone);
    const change = await viewer.next<GraphChange>("update[GRAPH]", (one) => one.revision === revision);
    viewer.close();
    expect(change).toMatchObject({ by: "editor", because: "merge" });
    const answers = [
      JSON.stringify(change),
      (await cast.viewer.get(`/api/v3/objects/${train.metadata_id}/commits`)).text,
      (await cast.viewer.get(`/api/v3/graphs/${origin}/versions`)).text,
      (await cast.viewer.get(`/api/v3/graphs/${origin}/origin`)).text,
    ];
    expect(answers[1]).toContain("Merge changes from another workflow");
    for (const text of answers) expect(text).not.toContain("Takeover");
  });
});

describe("somebody without the right to", () => {
  it("neither previews nor merges, and learns no name", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    const { theirs_revision, mine_revision } = await previewOf(cast.editor, origin, clone);
    const body = { from: clone, theirs_revision, mine_revision, resolutions: {} };
    const send = (client: Cast["owner"] | Cast["anonymous"], path = "") =>
      client.postJson(`/api/v3/graphs/${origin}/merges${path}`, path ? { from: clone } : body);
    const statuses = [
      [await send(cast.anonymous), 401],
      [await send(cast.stranger), 404],
      [await send(cast.stranger, "/preview"), 404],
      // The viewer may read mine, the owner may write it, but neither may read theirs.
      [await send(cast.viewer), 403],
      [await send(cast.viewer, "/preview"), 404],
      [await send(cast.owner), 404],
    ] as const;
    for (const [{ status, text }, expected] of statuses) {
      expect([status, text]).toEqual([expected, text]);
      expect(text).not.toContain("Train");
    }
    expect(valueOf(await nodeNamed(cast.owner, origin, "Train"), "epochs")).toBe(10);
  });

  it("cannot merge after their membership ended, even when they looked before", async () => {
    const { project, origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    const { theirs_revision, mine_revision } = await previewOf(cast.editor, origin, clone);
    const removed = await cast.owner.delete(`/api/v3/projects/${project.id}/members/${cast.editor.account.id}`);
    expect(removed.status).toBe(200);
    const body = { from: clone, theirs_revision, mine_revision, resolutions: {} };
    const path = `/api/v3/graphs/${origin}`;
    const { get, restore } = versionsOf(cast.editor, origin);
    const answers = [
      await cast.editor.postJson(`${path}/merges`, body),
      await get("now/files"),
      await get("now/compare/now"),
      await restore("now"),
      await cast.editor.get(`/api/v3/graphs/${clone}/versions/now/compare/now?with=${origin}`),
      await cast.editor.postJson(`/api/v3/graphs/${clone}/merges/preview`, { from: origin }),
    ];
    for (const { status } of answers) expect(status).toBe(404);
    expect((await cast.editor.get(`/api/v3/graphs/${clone}/origin`)).text).not.toContain("Flow");
    expect(valueOf(await nodeNamed(cast.owner, origin, "Train"), "epochs")).toBe(10);
  });
});

describe("merges, restores and deletions at once", () => {
  it("end in one of their results, never in a mixture or a failure of the server", async () => {
    const { origin, clone } = await originAndClone(cast);
    const { id } = await versionsOf(cast.owner, origin).made("Before");
    await setValue(cast.owner, origin, "Train", { note: "changed" });
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    const { theirs_revision, mine_revision } = await previewOf(cast.editor, origin, clone);
    const body = { from: clone, theirs_revision, mine_revision, resolutions: {} };
    const answers = await Promise.all([
      cast.editor.postJson(`/api/v3/graphs/${origin}/merges`, body),
      versionsOf(cast.owner, origin).restore(1),
      cast.editor.postJson(`/api/v3/graphs/${origin}/merges`, body),
      versionsOf(cast.owner, origin).get(`1/compare/now`),
      versionsOf(cast.owner, origin).remove(1),
      versionsOf(cast.owner, origin).get(`${id}/compare/now`),
    ]);
    for (const { status, text } of answers) expect([[200, 404, 409].includes(status), text]).toEqual([true, text]);
    const train = await nodeNamed(cast.owner, origin, "Train");
    const state = [valueOf(train, "epochs"), valueOf(train, "note")];
    expect([
      [10, "hello"],
      [50, "changed"],
      [10, "changed"],
    ]).toContainEqual(state);
    // Whatever happened, the two can be merged again.
    const again = await merge(cast.editor, origin, clone, () => "theirs");
    expect([200, 409]).toContain(again.status);
    expect(valueOf(await nodeNamed(cast.owner, origin, "Train"), "epochs")).toBe(50);
  });

  it("leave nothing behind of a workflow that is deleted meanwhile, and the other one whole", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    const { theirs_revision, mine_revision } = await previewOf(cast.editor, origin, clone);
    const body = { from: clone, theirs_revision, mine_revision, resolutions: {} };
    const answers = await Promise.all([
      cast.editor.postJson(`/api/v3/graphs/${origin}/merges`, body),
      cast.owner.delete(`/api/v3/graphs/${origin}`),
      versionsOf(cast.owner, origin).create("Late"),
      versionsOf(cast.owner, origin).get("now/files"),
      cast.editor.postJson(`/api/v3/graphs/${clone}/merges/preview`, { from: origin }),
    ]);
    for (const { status, text } of answers) expect([[200, 404, 409].includes(status), text]).toEqual([true, text]);
    expect((await cast.owner.get(`/api/v3/graphs/${origin}/graph`)).status).toBe(404);
    expect(Object.keys((await readGraph(cast.editor, clone)).nodes)).toHaveLength(2);
    const left = await server.db.selectFrom("graph_versions").select("id").where("graph_id", "=", origin).execute();
    expect(left).toEqual([]);
  });
});
