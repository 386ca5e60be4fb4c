import { errors } from "@miranda/contract/errors.ts";
import type { MergePreview } from "@miranda/contract/schemas/versions.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { renameMeanwhile } from "../../testing/versions/change-meanwhile.ts";
import { readGraph } from "../../testing/editor.ts";
import {
  findNamed,
  merge,
  nodeNamed,
  originAndClone,
  previewOf,
  setValue,
  valueOf,
} from "../../testing/versions/merging.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

describe("a merge is refused, and changes nothing,", () => {
  async function withConflict() {
    const pair = await originAndClone(cast);
    await setValue(cast.editor, pair.clone, "Train", { epochs: 20 });
    await setValue(cast.owner, pair.origin, "Train", { epochs: 30 });
    const preview = await previewOf(cast.editor, pair.origin, pair.clone);
    const id = preview.conflicts[0]?.id ?? "";
    const send = (resolutions: object, given: Partial<MergePreview> = {}) => {
      const { theirs_revision, mine_revision } = { ...preview, ...given };
      const body = { from: pair.clone, theirs_revision, mine_revision, resolutions };
      return cast.editor.postJson(`/api/v3/graphs/${pair.origin}/merges`, body);
    };
    return { ...pair, preview, id, send };
  }

  async function expectUnchanged(graph: string, revision: number): Promise<void> {
    const now = await readGraph(cast.owner, graph);
    expect([now.revision, valueOf(findNamed(now, "Train"), "epochs")]).toEqual([revision, 30]);
  }

  it("while a conflict is undecided", async () => {
    const { origin, preview, send } = await withConflict();
    const answer = await send({});
    expect([answer.status, answer.text]).toEqual([409, "Decide every conflict first. Nothing was changed."]);
    await expectUnchanged(origin, preview.mine_revision);
  });

  it("with a decision for a conflict that is gone", async () => {
    const { origin, id, preview, send } = await withConflict();
    const answer = await send({ [id]: "mine", [id.replace("epochs", "note")]: "theirs" });
    expect(answer.text).toBe("One of these conflicts is no longer there. Look again. Nothing was changed.");
    await expectUnchanged(origin, preview.mine_revision);
  });

  it("with a value of a wrong type", async () => {
    const { origin, id, preview, send } = await withConflict();
    const answer = await send({ [id]: { value: "many" } });
    expect([answer.status, answer.text]).toEqual([400, "epochs must be a whole number."]);
    await expectUnchanged(origin, preview.mine_revision);
  });

  it("with a decision that is neither a side nor a value", async () => {
    const { origin, id, preview, send } = await withConflict();
    for (const wrong of ["ours", 5, null, { side: "mine" }, ["mine"]])
      expect([wrong, (await send({ [id]: wrong })).status]).toEqual([wrong, 400]);
    await expectUnchanged(origin, preview.mine_revision);
  });

  it("when either workflow changed since the person looked", async () => {
    const { origin, clone, id, preview, send } = await withConflict();
    const words = "One of the workflows changed since you looked. Look again. Nothing was changed.";
    await setValue(cast.editor, clone, "Train", { note: "later" });
    expect((await send({ [id]: "theirs" })).text).toBe(words);
    const newer = await previewOf(cast.editor, origin, clone);
    await setValue(cast.owner, origin, "Train", { note: "later" });
    const answer = await send({ [id]: "theirs" }, newer);
    expect([answer.status, answer.text]).toEqual([409, words]);
    await expectUnchanged(origin, preview.mine_revision + 1);
  });

  it("for people who may only read, strangers, and people who are not signed in", async () => {
    const { origin, clone, id, preview } = await withConflict();
    const { theirs_revision, mine_revision } = preview;
    const body = { from: clone, theirs_revision, mine_revision, resolutions: { [id]: "theirs" } };
    const path = `/api/v3/graphs/${origin}/merges`;
    const viewer = await cast.viewer.postJson(path, body);
    expect([viewer.status, viewer.text]).toEqual([403, "You may look at this workflow but not change it."]);
    expect((await cast.stranger.postJson(path, body)).status).toBe(404);
    expect((await cast.anonymous.postJson(path, body)).status).toBe(401);
    // The owner of the origin may not read the editor's private clone.
    const owner = await cast.owner.postJson(path, body);
    expect([owner.status, owner.text]).toEqual([404, "The other workflow was deleted, or you may no longer read it."]);
    await expectUnchanged(origin, mine_revision);
  });

  it("when somebody changes the workflow after it was read", async () => {
    const { origin, id, send } = await withConflict();
    const renamed = { from: "Train", to: "Renamed meanwhile" };
    const answer = await renameMeanwhile(server.db, origin, renamed, () => send({ [id]: "theirs" }));
    expect([answer.status, answer.text]).toEqual([409, errors.merge_outdated]);
    expect(valueOf(findNamed(await readGraph(cast.owner, origin), renamed.to), "epochs")).toBe(30);
  });

  it("and its preview is for people who may read both workflows", async () => {
    const { origin, clone } = await withConflict();
    const look = async (role: Role) =>
      (await cast[role].post(`/api/v3/graphs/${origin}/merges/preview`, { from: clone })).status;
    const roles: Role[] = ["anonymous", "stranger", "viewer", "owner", "editor", "admin"];
    expect(await Promise.all(roles.map(look))).toEqual([401, 404, 404, 404, 200, 200]);
    const bad = await cast.editor.post(`/api/v3/graphs/${origin}/merges/preview`, { from: "nowhere" });
    expect([bad.status, bad.text]).toEqual([400, "That is not a valid id."]);
  });

  it("with itself", async () => {
    const { origin } = await originAndClone(cast);
    const body = { from: origin, theirs_revision: 1, mine_revision: 1, resolutions: {} };
    const answer = await cast.owner.postJson(`/api/v3/graphs/${origin}/merges`, body);
    expect([answer.status, answer.text]).toEqual([
      400,
      "Choose another workflow. This one cannot be merged into itself.",
    ]);
  });

  it("from a private workflow that the person may only read into a public project", async () => {
    const { origin } = await originAndClone(cast);
    const open = (await cast.viewer.post("/api/v3/projects/", { name: "Open" })).json<{ id: string }>().id;
    const body = { name: "Public", project_id: open };
    const mine = (await cast.viewer.post("/api/v3/graphs/", body)).json<{ id: string }>().id;
    const answer = await cast.viewer.post(`/api/v3/graphs/${mine}/merges/preview`, { from: origin });
    expect([answer.status, answer.text]).toEqual([
      403,
      "The other workflow is private. Its changes can be brought only into a private project.",
    ]);
  });

  it("into a locked node, which it names", async () => {
    const { origin, clone, train } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await cast.owner.patch(`/api/v3/objects/${train.metadata_id}`, { locked: true });
    const answer = await merge(cast.editor, origin, clone);
    expect(answer.text).toBe("“Train” is locked. Nothing was changed.");
    expect(valueOf(await nodeNamed(cast.owner, origin, "Train"), "epochs")).toBe(10);
  });
});
