import { gitArgs } from "@miranda/contract/command-args.ts";
import type { DraftEvent } from "@miranda/contract/schemas/code.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { gitProblem } from "../../../scripts/git.ts";
import { GitBench } from "../../testing/services/git-bench.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import { connect, until } from "../../testing/test-socket.ts";
import { script, Workbench } from "../../testing/workbench.ts";

const problem = gitProblem();

const first = script("print('one')");
const second = script("print('two')");

describe.skipIf(problem)("git", () => {
  let all: GitBench;
  beforeAll(async () => {
    all = await GitBench.open();
    all.host.users.set("git", "hunter2");
    await all.secret("git.localhost", "hunter2");
  });
  afterAll(() => all.close());

  it("S7-068 S7-121 pulls the file at the branch's head into the node and its history", async () => {
    const { bench, host } = all;
    const since = bench.listener.received.length;
    const { repository, node } = await all.nodeIn({ "nodes/train.py": first, "other.py": "x = 1\n" }, "nodes/train.py");
    expect(await all.git("git-pull", node)).toMatchObject({ error: null, job_id: bench.jobId });
    expect(await all.code(node)).toBe(first);
    const head = (await host.git(repository, "rev-parse", "main")).trim();
    const [newest, before] = await all.history(node);
    expect(newest).toMatchObject({
      message: `Pulled from localhost/${repository}@${head.slice(0, 7)}`,
      author: { username: bench.owner.account.username },
    });
    expect(before?.message).toBe("The code before the pull");
    const isNew = ({ nodes }: { nodes?: Node[] }) => nodes?.[0]?.source_code === first;
    await bench.listener.wait<{ nodes?: Node[] }>("update[GRAPH]", isNew, since);
    expect((await all.git("git-pull", node)).summary).toContain("is as in");
    expect(await all.history(node)).toHaveLength(2);
    await host.commit(repository, { "nodes/train.py": second }, "Second");
    await all.git("git-pull", node);
    await bench.run();
    expect((await bench.lines()).map(([, text]) => text)).toContain("two");
    expect(await all.left()).toEqual([]);
  });

  it("S7-069 S7-122 pulls softly only over code that it pulled itself, and says what differs", async () => {
    const { repository, node } = await all.nodeIn({ "node.py": first });
    expect((await all.git("git-soft-pull", node)).error).toBeNull();
    expect(await all.code(node)).toBe(first);
    await all.host.commit(repository, { "node.py": second }, "Second");
    await all.commit(node, script("print('mine')"), "Mine");
    const refused = await all.git("git-soft-pull", node);
    expect(refused.error).toMatch(/^Node \d+ has commits of its own since the last pull: #\d+ Mine\.\n/);
    expect(refused.error).toContain("-        print('mine')\n+        print('two')");
    expect(await all.code(node)).toContain("mine");
    expect((await all.git("git-pull", node)).error).toBeNull();
    expect(await all.code(node)).toBe(second);
    expect((await all.history(node)).map(({ message }) => message)).toContain("Mine");
    await all.host.commit(repository, { "node.py": first }, "First again");
    expect((await all.git("git-soft-pull", node)).error).toBeNull();
    expect(await all.code(node)).toBe(first);
  });

  it("S7-070 S7-123 pushes the node's code as a commit by the person who pushes", async () => {
    const { bench, host } = all;
    const { repository, node } = await all.nodeIn({ "node.py": first, "other.py": "x = 1\n" });
    await all.git("git-pull", node);
    await all.commit(node, second, "Say two");
    expect((await all.git("git-push", node)).error).toBeNull();
    expect(await host.show(repository, "node.py")).toBe(second);
    const { first_name, last_name, email } = bench.owner.account;
    expect((await host.git(repository, "log", "-1", "--format=%an <%ae> %s")).trim()).toBe(
      `${first_name} ${last_name} <${email}> Say two`,
    );
    expect((await all.git("git-push", node)).summary).toContain("is as in");
    // Another file of the branch has changed: no conflict.
    await host.commit(repository, { "other.py": "x = 2\n" }, "Other");
    await all.commit(node, first, "Say one");
    expect((await all.git("git-push", node)).error).toBeNull();
    expect(await host.show(repository, "other.py")).toBe("x = 2\n");
    expect(await host.show(repository, "node.py")).toBe(first);
    expect((await host.git(repository, "log", "--format=%s", "main")).trim().split("\n")).toHaveLength(4);
  });

  it("refuses to push over another person's push until it is pulled", async () => {
    const { host } = all;
    const { repository, node } = await all.nodeIn({ "node.py": first });
    expect((await all.git("git-push", node)).error).toMatch(/already exists and was never pulled .* Pull first\.$/);
    await all.git("git-pull", node);
    await host.commit(repository, { "node.py": second }, "Theirs");
    await all.commit(node, script("print('mine')"), "Mine");
    expect((await all.git("git-push", node)).error).toBe(
      `node.py has changed since the last pull on the branch main of localhost/${repository}. Pull first.`,
    );
    expect(await host.show(repository, "node.py")).toBe(second);
    await all.git("git-pull", node);
    await all.commit(node, script("print('both')"), "Both");
    expect((await all.git("git-push", node)).error).toBeNull();
    expect(await host.show(repository, "node.py")).toContain("both");
  });

  it("starts an empty repository, creates folders, and keeps a file's line endings and byte order mark", async () => {
    const { host } = all;
    const repository = await all.repository();
    const node = await all.bench.node(first, "Train Model");
    await all.setGit(node, host.url(repository));
    expect((await all.git("git-pull", node)).error).toBe(`localhost/${repository} is empty.`);
    expect((await all.git("git-push", node)).error).toBeNull();
    expect(await host.show(repository, "train_model.py")).toBe(first);
    expect((await host.git(repository, "log", "-1", "--format=%s")).trim()).toBe("Update Train Model");
    await all.setGit(node, `${host.url(repository)}#a/b c/ä.py`);
    expect((await all.git("git-push", node)).error).toBeNull();
    expect(await host.show(repository, "a/b c/ä.py")).toBe(first);

    const windows = (code: string) => `\uFEFF${code.replaceAll("\n", "\r\n")}`;
    await host.commit(repository, { "w.py": windows(second) }, "Windows");
    await all.setGit(node, `${host.url(repository)}#w.py`);
    await all.git("git-pull", node);
    expect(await all.code(node)).toBe(second);
    await all.commit(node, first, "One");
    await all.git("git-push", node);
    expect(await host.show(repository, "w.py")).toBe(windows(first));
  });

  it("uses a branch, and handles all nodes of a workflow at once", async () => {
    const { host } = all;
    const bench = await Workbench.open(all.server, all.bench.owner);
    const repository = await all.repository({ "a.py": first, "b.py": first });
    await host.commit(repository, { "a.py": second }, "On a branch", "feature/x");
    const a = await bench.node(script("pass"), "A");
    const b = await bench.node(script("pass"), "B");
    await bench.start();
    const secret = { key: "git.localhost", value: "git:hunter2", project_id: bench.projectId };
    await bench.owner.post("/api/v3/secrets", secret);
    const { status, text } = await bench.send("git-pull");
    expect([status, text]).toEqual([400, "No node of this workflow has a git repository."]);
    await all.setGit(a, host.url(repository), "feature/x");
    await all.setGit(b, host.url(repository), "feature/x");
    expect((await all.git("git-pull", undefined, bench)).summary.split("\n")).toHaveLength(2);
    expect([await all.code(a), await all.code(b)]).toEqual([second, first]);
    await all.commit(a, first, "A one");
    await all.commit(b, second, "B two");
    expect((await all.git("git-push", undefined, bench)).error).toBeNull();
    const pushed = ["a.py", "b.py"].map((path) => host.show(repository, path, "feature/x"));
    expect(await Promise.all(pushed)).toEqual([first, second]);
    expect((await host.git(repository, "log", "--format=%s", "main..feature/x")).trim().split("\n")).toHaveLength(2);
    await bench.owner.patch(`/api/v3/objects/${b}`, { locked: "true" });
    await host.commit(repository, { "a.py": second, "b.py": first }, "Both", "feature/x");
    expect((await all.git("git-pull", undefined, bench)).error).toBe("B: This node is locked.");
    expect([await all.code(a), await all.code(b)]).toEqual([second, second]);
    await all.setGit(a, host.url(repository), "gone");
    for (const command of ["git-pull", "git-push"])
      expect((await all.git(command, a, bench)).error).toBe(`localhost/${repository} has no branch gone.`);
    await bench.send("stop");
    await bench.state(0, "EXITED");
    bench.close();
  });

  it("refuses files that are not code of a node", async () => {
    const repository = await all.repository({
      "folder/a.py": first,
      "huge.py": "#".repeat(5_000_000),
      "long.py": "#".repeat(1_000_001),
      "binary.py": Buffer.from([0x00, 0x01, 0x02]),
      "latin.py": Buffer.from([0xe4, 0xf6]),
      "lfs.py": "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n",
      "link.py": { link: "/etc/passwd" },
      way: { link: "folder" },
    });
    const bench = await Workbench.open(all.server, all.bench.owner);
    await bench.owner.post("/api/v3/secrets", { key: "git.localhost", value: "hunter2", project_id: bench.projectId });
    const paths = "missing.py folder huge.py long.py binary.py latin.py lfs.py link.py way/a.py".split(" ");
    const nodes: number[] = [];
    for (const path of paths) {
      const node = await bench.node(script("pass"), path);
      await all.setGit(node, `${all.host.url(repository)}#${path}`);
      nodes.push(node);
    }
    await bench.start();
    const { error } = await all.git("git-pull", undefined, bench);
    const shown = `localhost/${repository}`;
    expect(error?.split("\n")).toEqual([
      `missing.py: ${shown} has no file missing.py on the branch main.`,
      `folder: folder is a folder in ${shown}.`,
      "huge.py: huge.py is too large for the code of a node: it has 5,000,000 bytes.",
      "long.py: Code can have at most 1,000,000 characters.",
      "binary.py: binary.py is not text.",
      "latin.py: latin.py is not text in UTF-8.",
      "lfs.py: lfs.py is kept in Git LFS; code has to be in the repository itself.",
      `link.py: link.py is no plain file in ${shown}: it is a link or another repository.`,
      `way/a.py: ${shown} has no file way/a.py on the branch main.`,
    ]);
    for (const node of nodes) expect(await all.code(node)).toBe(script("pass"));
    const link = nodes[paths.indexOf("link.py")] ?? 0;
    expect((await all.git("git-push", link, bench)).error).toContain("is no plain file");
    await bench.send("stop");
    await bench.state(0, "EXITED");
    bench.close();
  });

  it("keeps unsaved code: a soft pull refuses, else it is committed first", async () => {
    const { node } = await all.nodeIn({ "node.py": first });
    const socket = await connect(all.server, all.bench.owner);
    await socket.enter(all.bench.graphId);
    const writer = new SharedCode(node);
    await writer.open(socket);
    await until(() => writer.text !== "", "the code did not come");
    const type = async (text: string) => {
      writer.type(0, text);
      await all.bench.listener.wait<DraftEvent>("code_draft", (event) => event.metadata_id === node && event.unsaved);
    };
    await type("# typed\n");
    expect((await all.git("git-soft-pull", node)).error).toContain("has changes of its own since the last pull.");
    expect((await all.git("git-pull", node)).error).toBeNull();
    await until(() => writer.text === first, "the pulled code did not come");
    const [newest, before] = await all.history(node);
    expect(newest?.message).toContain("Pulled from");
    expect(before?.message).toBe("Unsaved changes before the pull");
    await type("# more\n");
    await until(() => writer.text.startsWith("# more"), "the text was lost");
    expect((await all.git("git-push", node)).error).toBeNull();
    expect((await all.history(node))[0]?.message).toContain("Pushed to localhost/");
    socket.close();
  });

  it("names the missing repository", async () => {
    const { node } = await all.nodeIn({ "node.py": first });
    await all.setGit(node, all.host.url("nowhere"));
    expect((await all.git("git-pull", node)).error).toMatch(/^Git could not do that: .*not found/);
    await all.setGit(node, "https://nowhere.invalid/x");
    expect((await all.git("git-pull", node)).error).toMatch(/Could not resolve host/);
  });

  it.each([
    ["file:///etc/passwd"],
    ["http://localhost/x.git"],
    ["git://localhost/x.git"],
    ["ext::sh -c id"],
    ["--upload-pack=id"],
    ["ssh://-oProxyCommand=id/x"],
  ])("refuses the address %s, and does not run it even when it is stored", async (address) => {
    const { bench, server } = all;
    const node = await bench.node(first);
    const saved = await bench.owner.patch(`/api/v3/objects/${node}`, { git: address });
    expect([saved.status, saved.text]).toEqual([400, "A git repository has an https or ssh address."]);
    await server.db.updateTable("nodes").set({ git: address }).where("metadata_id", "=", node).execute();
    const answer = await bench.send("git-pull", gitArgs(node));
    expect([answer.status, answer.text]).toEqual([400, "A git repository has an https or ssh address."]);
  });

  it.each([["-x"], ["--upload-pack=id"], ["a..b"], ["a b"]])("refuses the branch %s", async (branch) => {
    const node = await all.bench.node(first);
    const saved = await all.bench.owner.patch(`/api/v3/objects/${node}`, { git_branch: branch });
    expect([saved.status, saved.text]).toEqual([400, "That is not the name of a branch."]);
  });

  it("refuses nodes without a repository, locked ones, unknown ones, and odd arguments", async () => {
    const { bench } = all;
    const node = await bench.node(first);
    const refused = async (command: string, args: string) => {
      const { status, text } = await bench.send(command, args);
      return [status, text];
    };
    for (const command of ["git-pull", "git-soft-pull", "git-push"])
      expect(await refused(command, gitArgs(node))).toEqual([400, "This node has no git repository."]);
    expect(await refused("git-pull", "999999999")).toEqual([404, "Node not found."]);
    expect(await refused("git-pull", "; id")).toEqual([400, "The arguments of that command could not be read."]);
    await all.setGit(node, "https://example.org/x");
    await bench.owner.patch(`/api/v3/objects/${node}`, { locked: "true" });
    expect(await refused("git-pull", gitArgs(node))).toEqual([409, "Node is locked."]);
    expect((await bench.job()).workflow_state).toBe("READY");
  });
});
