import { gitArgs } from "@miranda/contract/command-args.ts";
import type { GitEvent } from "@miranda/contract/schemas/processors.ts";
import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findProgram } from "../../../scripts/debian.ts";
import { gitProblem, sshProblem } from "../../../scripts/git.ts";
import { readConfig } from "../../platform/settings/config.ts";
import { GitBench } from "../../testing/services/git-bench.ts";
import { giveToken, script, revokeTokens } from "../../testing/workbench.ts";

const problem = gitProblem();
const overSsh = problem ?? sshProblem();

const token = "hunter2-of-the-host";
const first = script("print('one')");
const second = script("print('two')");

/** Everything that was published or could be read. */
async function everything({ bench, server }: GitBench): Promise<string> {
  const commands = await server.db.selectFrom("job_commands").select("command").execute();
  return JSON.stringify([await bench.logs("?log_lines=100000"), bench.listener.received, commands]);
}

describe.skipIf(problem)("credentials and rights", () => {
  let all: GitBench;
  beforeAll(async () => {
    all = await GitBench.open();
    all.host.users.set("git", token);
  });
  afterAll(() => all.close());

  const asked = (since: number, beginning = "Password or token") =>
    all.bench.listener.wait<AskForPasswordEvent>(
      "ask_for_password",
      ({ passwd_prompt }) => passwd_prompt.startsWith(beginning),
      since,
    );

  it("asks for a password without a secret, asks again when it was wrong, and shows it nowhere", async () => {
    const { bench } = all;
    const { repository, node } = await all.nodeIn({ "node.py": first });
    const since = bench.listener.received.length;
    await bench.send("git-pull", gitArgs(node));
    const { passwd_prompt } = await asked(since);
    expect(passwd_prompt).toBe(`Password or token for localhost/${repository} (or name:password)`);
    await all.answer("git:wrong-password");
    await asked(since, "That was refused.");
    await all.answer(`git:${token}`);
    expect(await bench.listener.wait<GitEvent>("git-pull", () => true, since)).toMatchObject({ error: null });
    await bench.state(since, "READY");
    expect(await all.code(node)).toBe(first);
    await all.secret("git.localhost", "wrong-secret");
    expect((await all.git("git-pull", node)).error).toBe("localhost refused the secret git.localhost.");
    await all.secret("git.localhost", token);
    expect((await all.git("git-pull", node)).error).toBeNull();
    const texts = await everything(all);
    for (const word of [token, "wrong-password", "wrong-secret"]) expect(texts).not.toContain(word);
    await bench.owner.delete(`/api/v3/secrets/git.localhost?project_id=${bench.projectId}`);
  });

  it("asks for a password to push where everybody may pull", async () => {
    const { bench, host } = all;
    host.isPublic = true;
    const { repository, node } = await all.nodeIn({ "node.py": first });
    expect((await all.git("git-pull", node)).error).toBeNull();
    await all.commit(node, second, "Two");
    const since = bench.listener.received.length;
    await bench.send("git-push", gitArgs(node));
    await asked(since);
    await all.answer(token);
    expect(await bench.listener.wait<GitEvent>("git-push", () => true, since)).toMatchObject({ error: null });
    await bench.state(since, "READY");
    expect(await host.show(repository, "node.py")).toBe(second);
    host.isPublic = false;
  });

  it("requires write access and an execution token, and uses the caller's own secrets and name", async () => {
    const { bench, server, host } = all;
    await bench.owner.delete(`/api/v3/secrets/git.localhost?project_id=${bench.projectId}`);
    const { repository, node } = await all.nodeIn({ "node.py": first });
    const path = `/api/v3/graphs/${bench.graphId}/processor/git-pull`;
    const args = { args: gitArgs(node) };
    const reader = await server.signUp();
    await giveToken(reader);
    expect((await reader.post(path, args)).status).toBe(403);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    expect((await reader.post(path, args)).status).toBe(404);
    expect((await server.anonymous().post(path, args)).status).toBe(401);
    const editor = await server.signUp();
    const member = { user: editor.account.username, role: "editor" };
    await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, member);
    await revokeTokens(editor);
    expect((await editor.post(path, args)).text).toBe("Invalid execution token");
    await giveToken(editor);
    await editor.post("/api/v3/secrets", { key: "git.localhost", value: token });
    const give = async (command: string) => {
      const since = bench.listener.received.length;
      await editor.post(path.replace("git-pull", command), args);
      const event = await bench.listener.wait<GitEvent>(command, () => true, since);
      await bench.state(since, "READY");
      return event;
    };
    expect((await give("git-pull")).error).toBeNull();
    expect((await all.history(node))[0]?.author?.username).toBe(editor.account.username);
    await all.commit(node, second, "Two");
    expect((await give("git-push")).error).toBeNull();
    expect(await host.git(repository, "log", "-1", "--format=%ae")).toContain(editor.account.email);
  });
});

it.skipIf(problem)(
  "ends a slow git with all its processes, and ignores a late answer",
  { timeout: 120_000 },
  async () => {
    const all = await GitBench.open(() => {
      const { processors } = readConfig({ MIRANDA_GIT_SECONDS: "10" });
      return { processors: { ...processors, engine: "local", sandbox: false } };
    });
    const { host, server } = all;
    const { node } = await all.nodeIn({ "node.py": first });
    expect((await all.git("git-pull", node)).error).toBe("Timed out trying to git pull the repository.");
    const asked = all.bench.listener.all<AskForPasswordEvent>("ask_for_password").at(-1);
    expect(all.bench.listener.all("password_closed")).toEqual([{ question: asked?.question, answered: false }]);
    await all.answer(`git:${token}`);
    expect(await server.db.selectFrom("password_requests").selectAll().execute()).toEqual([]);
    await all.secret("git.localhost", token);
    host.isSilent = true;
    expect((await all.git("git-push", node)).error).toBe("Timed out trying to git push to the repository.");
    expect(host.asked).not.toEqual([]);
    expect(await processesWith(`localhost:${host.port}`)).toEqual([]);
    expect(await all.left()).toEqual([]);
    await all.close();
  },
);

async function processesWith(words: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(words));
}

describe.skipIf(overSsh)("over ssh", () => {
  it("pulls and pushes with the key of a secret, in a sandbox where there is one", { timeout: 60_000 }, async () => {
    const all = await GitBench.open(() => {
      const { processors } = readConfig({ MIRANDA_PROCESSOR_NETWORK: "open" });
      return { processors: { ...processors, engine: "local", sandbox: findProgram("bwrap") !== undefined } };
    });
    const { host, bench } = all;
    await host.openSsh();
    host.users.set("git", token);
    const { repository, node } = await all.nodeIn({ "node.py": first });
    await all.secret("git.localhost", token);
    expect((await all.git("git-pull", node)).error).toBeNull();
    await all.setGit(node, `${host.sshUrl(repository)}#node.py`);
    expect((await all.git("git-pull", node)).error).toBe(
      "There is no secret ssh.localhost with a private key for localhost.",
    );
    await all.secret("ssh.localhost", host.strangeKey);
    expect((await all.git("git-pull", node)).error).toBe("localhost refused the key in the secret ssh.localhost.");
    await all.secret("ssh.localhost", host.privateKey);
    expect((await all.git("git-pull", node)).error).toBeNull();
    expect(await all.code(node)).toBe(first);
    await all.commit(node, second, "Two");
    expect((await all.git("git-push", node)).error).toBeNull();
    expect(await host.show(repository, "node.py")).toBe(second);
    expect(await all.left()).toEqual([]);
    const texts = await everything(all);
    for (const line of host.privateKey.trim().split("\n").slice(1, -1)) expect(texts).not.toContain(line);
    // Another machine answers at that address.
    await host.changeSshKey();
    expect((await all.git("git-pull", node)).error).toMatch(/Host key verification failed/);
    bench.close();
    await all.close();
  });
});
