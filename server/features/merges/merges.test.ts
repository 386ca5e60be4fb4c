import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import type { Origin, RestoredVersion } from "@miranda/contract/schemas/versions.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph } from "../../testing/editor.ts";
import {
  codeOf,
  differencesOf,
  findNamed,
  merge,
  mergeAll,
  nodeNamed,
  noDifferences,
  originAndClone,
  previewOf,
  setValue,
  valueOf,
  writeCode,
} from "../../testing/versions/merging.ts";
import { connect } from "../../testing/test-socket.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

describe("the origin of a clone", () => {
  it("names the workflow and its project, and says when both were last the same", async () => {
    const { project, origin, clone } = await originAndClone(cast);
    const answer = await cast.editor.get(`/api/v3/graphs/${clone}/origin`);
    const { graph, time_based } = answer.json<Origin>();
    expect(graph).toEqual({ id: origin, name: "Flow", project: { id: project.id, name: "Tides" } });
    expect(Date.parse(time_based)).toBeGreaterThan(0);
  });

  it("is refused for a workflow that is no clone, and for people who may not read the clone", async () => {
    const { origin, clone } = await originAndClone(cast);
    const answer = await cast.owner.get(`/api/v3/graphs/${origin}/origin`);
    expect([answer.status, answer.text]).toEqual([404, "This workflow is not a clone."]);
    expect((await cast.stranger.get(`/api/v3/graphs/${clone}/origin`)).status).toBe(404);
    expect((await cast.anonymous.get(`/api/v3/graphs/${clone}/origin`)).status).toBe(401);
  });

  it("is hidden when the person may no longer read it, and merging says so", async () => {
    const { project, origin, clone } = await originAndClone(cast);
    await cast.owner.delete(`/api/v3/projects/${project.id}/members/${cast.editor.account.id}`);
    expect((await cast.editor.get(`/api/v3/graphs/${clone}/origin`)).json<Origin>().graph).toBeNull();
    const answer = await cast.editor.post(`/api/v3/graphs/${clone}/merges/preview`, { from: origin });
    expect([answer.status, answer.text]).toEqual([
      404,
      "The other workflow was deleted, or you may no longer read it.",
    ]);
  });

  it("is hidden when it is deleted, and merging says so", async () => {
    const { origin, clone } = await originAndClone(cast);
    await cast.owner.delete(`/api/v3/graphs/${origin}`);
    expect((await cast.editor.get(`/api/v3/graphs/${clone}/origin`)).json<Origin>().graph).toBeNull();
    const answer = await cast.editor.post(`/api/v3/graphs/${clone}/merges/preview`, { from: origin });
    expect(answer.text).toBe("The other workflow was deleted, or you may no longer read it.");
  });
});

describe("a merge", () => {
  it("brings what a clone added, changed and deleted, and keeps what changed here meanwhile", async () => {
    const { origin, clone, train } = await originAndClone(cast);
    const report = await addNode(cast.editor, clone, "Report");
    const copy = await nodeNamed(cast.editor, clone, "Train");
    await cast.editor.post("/api/v3/objects/edges", ends(copy.metadata_id, "output", report.metadata_id, "input"));
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await cast.editor.delete(`/api/v3/objects/${(await nodeNamed(cast.editor, clone, "Load")).metadata_id}`);
    await setValue(cast.owner, origin, "Train", { note: "mine" });
    await cast.owner.patch(`/api/v3/objects/${train.metadata_id}`, { description: "Learns." });

    const { revision } = await readGraph(cast.editor, origin);
    const done = await mergeAll(cast.editor, origin, clone);
    const after = await readGraph(cast.editor, origin);
    expect([done.revision, after.revision]).toEqual([revision + 1, revision + 1]);
    expect(Object.values(after.nodes).map(({ name }) => name)).toEqual(["Train", "Report"]);
    const merged = findNamed(after, "Train");
    expect(merged?.metadata_id).toBe(train.metadata_id);
    expect([valueOf(merged, "epochs"), valueOf(merged, "note"), merged?.description]).toEqual([50, "mine", "Learns."]);
    expect(after.edges).toMatchObject([{ source_wob_key: train.metadata_id, destination_receiver_key: "input" }]);
    expect(done.before).toMatchObject({ graph_id: origin, reason: "merge", revision, author: { username: "editor" } });
  });

  it("merges code by lines and makes it a commit of the node", async () => {
    const { origin, clone, train } = await originAndClone(cast);
    await writeCode(cast.editor, clone, "Train", codeOf("Train", { run: "self.output.send(1)" }));
    await writeCode(cast.owner, origin, "Train", codeOf("Train", { epochs: "99" }));
    await mergeAll(cast.editor, origin, clone);
    const merged = await nodeNamed(cast.owner, origin, "Train");
    expect(merged.source_code).toBe(codeOf("Train", { epochs: "99", run: "self.output.send(1)" }));
    expect(valueOf(merged, "epochs")).toBe(99);
    const commits = await cast.owner.get(`/api/v3/objects/${train.metadata_id}/commits`);
    expect(commits.text).toContain("Merge changes from another workflow");
  });

  it("asks about code and values that both changed, and does what the person decided", async () => {
    const { origin, clone } = await originAndClone(cast);
    await writeCode(cast.editor, clone, "Train", codeOf("Train", { note: "theirs", run: "self.output.send(1)" }));
    await writeCode(cast.owner, origin, "Train", codeOf("Train", { note: "mine", run: "self.output.send(2)" }));
    await setValue(cast.editor, clone, "Train", { epochs: 20 });
    await setValue(cast.owner, origin, "Train", { epochs: 30 });
    const { conflicts, comparison, has_base } = await previewOf(cast.editor, origin, clone);
    expect(has_base).toBe(true);
    // Undecided conflicts are shown as mine, so nothing would change.
    expect(comparison).toEqual(noDifferences);
    expect(conflicts.map(({ kind, field, name }) => [kind, field, name])).toEqual([
      ["code", "1", "Train"],
      ["code", "2", "Train"],
      ["value", "epochs", "Train"],
    ]);
    expect(conflicts[0]).toMatchObject({
      base: '    note = Field("hello")\n',
      theirs: '    note = Field("theirs")\n',
      mine: '    note = Field("mine")\n',
    });
    expect(conflicts[2]).toMatchObject({ theirs: 20, mine: 30 });
    const decided: Record<string, unknown> = { 1: "theirs", 2: { value: "        pass" }, epochs: { value: 25 } };
    expect((await merge(cast.editor, origin, clone, ({ field }) => decided[field])).status).toBe(200);
    const merged = await nodeNamed(cast.owner, origin, "Train");
    expect(merged.source_code).toBe(codeOf("Train", { note: "theirs", run: "pass" }).slice(0, -1));
    expect(valueOf(merged, "epochs")).toBe(25);
  });

  it("is undone by restoring the version before it, and can then be made again", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await addNode(cast.editor, clone, "Report");
    const { before } = await mergeAll(cast.editor, origin, clone);
    await cast.owner.post(`/api/v3/graphs/${origin}/versions/${before.id}/restore`);
    expect(findNamed(await readGraph(cast.owner, origin), "Report")).toBeUndefined();
    // The clone does not lose what was undone in its origin.
    expect((await previewOf(cast.editor, clone, origin)).comparison).toEqual(noDifferences);
    const again = await previewOf(cast.editor, origin, clone);
    expect(again.comparison.nodes.map(({ change }) => change)).toEqual(["changed", "added"]);
    await mergeAll(cast.editor, origin, clone);
    expect(valueOf(await nodeNamed(cast.owner, origin, "Train"), "epochs")).toBe(50);
  });

  it("offers no edit twice and loses none when two workflows merge to and fro", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 1 });
    await mergeAll(cast.editor, origin, clone);
    const repeated = await previewOf(cast.editor, origin, clone);
    expect([repeated.comparison, repeated.conflicts]).toEqual([noDifferences, []]);
    const refused = await merge(cast.editor, origin, clone);
    expect([refused.status, refused.text]).toEqual([409, "There is nothing new to merge."]);

    // Mine goes back to what it was on purpose. That is an edit of its own, and the clone gets it.
    await setValue(cast.owner, origin, "Train", { epochs: 10, note: "origin" });
    await addNode(cast.owner, origin, "Score");
    await addNode(cast.editor, clone, "Plot");
    await mergeAll(cast.editor, clone, origin);
    const inClone = await nodeNamed(cast.editor, clone, "Train");
    expect([valueOf(inClone, "epochs"), valueOf(inClone, "note")]).toEqual([10, "origin"]);

    // The same value on both sides is no conflict; another one is.
    await setValue(cast.editor, clone, "Train", { epochs: 7, note: "both" });
    await setValue(cast.owner, origin, "Train", { epochs: 8, note: "both" });
    const last = await previewOf(cast.editor, origin, clone);
    expect(last.conflicts.map(({ field, base }) => [field, base])).toEqual([["epochs", 10]]);
    await merge(cast.editor, origin, clone, () => "theirs");
    expect((await previewOf(cast.editor, clone, origin)).comparison).toEqual(noDifferences);
    expect(await differencesOf(cast.editor, origin, clone)).toEqual(noDifferences);
    const names = Object.values((await readGraph(cast.owner, origin)).nodes).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["Load", "Plot", "Score", "Train"]);
  });

  it("is seen by everybody in the workflow, with who brought changes from where", async () => {
    const { origin, project } = await originAndClone(cast);
    const copied = await cast.editor.post(`/api/v3/graphs/${origin}/clone`, { to_project: project.id });
    const clone = copied.json<{ id: string }>().id;
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    const [owner, viewer] = [await connect(server, cast.owner), await connect(server, cast.viewer)];
    for (const socket of [owner, viewer]) expect(await socket.enter(origin)).toBeNull();
    const { revision } = await mergeAll(cast.editor, origin, clone);
    for (const socket of [owner, viewer]) {
      const change = await socket.next<GraphChange>("update[GRAPH]", (one) => one.revision === revision);
      expect(change).toMatchObject({ by: "editor", because: "merge", merged_from: "Flow (copy)" });
      socket.close();
    }
  });
});

describe("merges in unusual circumstances", () => {
  it("one of two merges at once is refused, and the other is whole", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    const { theirs_revision, mine_revision } = await previewOf(cast.editor, origin, clone);
    const body = { from: clone, theirs_revision, mine_revision, resolutions: {} };
    const send = () => cast.editor.postJson(`/api/v3/graphs/${origin}/merges`, body);
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "409", "409"]);
    expect(valueOf(await nodeNamed(cast.owner, origin, "Train"), "epochs")).toBe(50);
  });

  it("two merges at once in both directions do not wait for each other, and both workflows get every edit", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await setValue(cast.editor, origin, "Train", { note: "origin" });
    const answers = await Promise.all([merge(cast.editor, origin, clone), merge(cast.editor, clone, origin)]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(answers.map(({ status }) => status)).toContain(200);
    for (const [into, from] of [[origin, clone] as const, [clone, origin] as const]) {
      await merge(cast.editor, into, from);
      const train = await nodeNamed(cast.editor, into, "Train");
      expect([valueOf(train, "epochs"), valueOf(train, "note")]).toEqual([50, "origin"]);
    }
    expect(await differencesOf(cast.editor, origin, clone)).toEqual(noDifferences);
  });

  it("without its base every difference is a conflict, additions are kept, and nothing is lost", async () => {
    const { origin, clone } = await originAndClone(cast);
    await setValue(cast.editor, clone, "Train", { epochs: 50 });
    await addNode(cast.editor, clone, "Report");
    await addNode(cast.owner, origin, "Score");
    // The base is gone, as after a restored backup that lacks it.
    await server.db
      .updateTable("graph_origins")
      .set({ base_parts: [Buffer.from("gone")] })
      .execute();
    const preview = await previewOf(cast.editor, origin, clone);
    expect(preview.has_base).toBe(false);
    expect(preview.conflicts.map(({ field }) => field)).toEqual(["epochs"]);
    expect(preview.comparison.nodes.map(({ change, after }) => [change, after?.name])).toEqual([["added", "Report"]]);
    await merge(cast.editor, origin, clone, () => "theirs");
    const { nodes } = await readGraph(cast.owner, origin);
    expect(Object.values(nodes).map(({ name }) => name)).toEqual(["Load", "Train", "Score", "Report"]);
    // From now on they have a base again.
    expect((await previewOf(cast.editor, clone, origin)).has_base).toBe(true);
  });

  it("two unrelated workflows merge: theirs is added", async () => {
    const { project, origin } = await originAndClone(cast);
    const other = await buildGraph(cast, project.id, "Other");
    await addNode(cast.owner, other, "Alone");
    const preview = await previewOf(cast.owner, other, origin);
    expect([preview.has_base, preview.conflicts]).toEqual([false, []]);
    await mergeAll(cast.owner, other, origin);
    const { nodes, edges } = await readGraph(cast.owner, other);
    expect(Object.values(nodes).map(({ name }) => name)).toEqual(["Alone", "Load", "Train"]);
    expect(edges).toHaveLength(1);
  });

  it("code that does not parse is kept, and the node says what is wrong with it", async () => {
    const { origin, clone } = await originAndClone(cast);
    await writeCode(cast.editor, clone, "Train", codeOf("Train", { run: "self.output.send(1)" }));
    await writeCode(cast.owner, origin, "Train", codeOf("Train", { run: "self.output.send(2)" }));
    const answer = await merge(cast.editor, origin, clone, () => ({ value: "        <<<<<<<\n" }));
    expect(answer.status).toBe(200);
    const merged = await nodeNamed(cast.owner, origin, "Train");
    expect(merged.source_code).toContain("<<<<<<<");
    expect(merged.api.error).not.toBeNull();
    expect(valueOf(merged, "epochs")).toBe(10);
  });

  it("secret values stay where they are, and nobody gets the other side's", async () => {
    const { origin, clone } = await originAndClone(cast);
    const code = codeOf("Train")
      .replace("Field, Node", "Field, Node, Secret")
      .replace('Field("hello")', "Field(control=Secret())");
    await writeCode(cast.editor, clone, "Train", code);
    await setValue(cast.editor, clone, "Train", { note: "clone's secret" });
    await mergeAll(cast.editor, origin, clone);
    expect((await readGraph(cast.owner, origin)).nodes).not.toEqual({});
    expect(JSON.stringify(await readGraph(cast.owner, origin))).not.toContain("clone's secret");
    await setValue(cast.owner, origin, "Train", { note: "origin's secret" });
    await setValue(cast.editor, clone, "Train", { epochs: 3 });
    const preview = await previewOf(cast.editor, origin, clone);
    expect(JSON.stringify(preview)).not.toContain('secret"s');
    expect(JSON.stringify(preview)).not.toMatch(/(clone|origin)'s secret/);
    const done = (await merge(cast.editor, origin, clone)).json<RestoredVersion>();
    expect(done.revision).toBeGreaterThan(0);
    expect(valueOf(await nodeNamed(cast.owner, origin, "Train"), "note")).toBe("origin's secret");
  });
});
