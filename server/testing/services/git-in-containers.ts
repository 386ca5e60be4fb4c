import { expect, onTestFinished } from "vitest";

import type { TestDocker } from "./docker.ts";
import { GitBench } from "./git-bench.ts";
import { GitHost } from "./git-host.ts";
import { script, type Workbench } from "../workbench.ts";

const password = "hunter2";

/**
 * Pulls, pushes and pulls softly over https, then pulls over ssh, in an image derived for it. The node then prints
 * "four".
 */
export async function pullAndPush(
  docker: TestDocker,
  images: { from: string; to: string },
  open: () => Promise<Workbench>,
): Promise<string[]> {
  const { hostAddress } = docker.lan;
  const host = await GitHost.open(hostAddress, hostAddress);
  onTestFinished(() => host.close());
  await host.openSsh();
  host.users.set("git", password);
  // As in docs/git.md: an authority of one's own is in the image.
  const trust = ["COPY certificate.pem /etc/authority.pem", "ENV SSL_CERT_FILE=/etc/authority.pem"];
  await docker.extendImage(images, trust, [host.authority]);
  const bench = await open();
  const all = GitBench.at(host, bench);
  await all.secret(`git.${host.name}`, password);
  await all.secret(`ssh.${host.name}`, host.privateKey);
  const { repository, node } = await all.nodeIn({ "node.py": script("print('one')") });
  await bench.start();
  expect(await all.git("git-pull", node)).toMatchObject({ error: null });
  expect(await all.code(node)).toContain("'one'");
  await all.commit(node, script("print('two')"), "Say two");
  expect(await all.git("git-push", node)).toMatchObject({ error: null });
  expect(await host.show(repository, "node.py")).toContain("'two'");
  await host.commit(repository, { "node.py": script("print('three')") }, "Say three");
  expect(await all.git("git-soft-pull", node)).toMatchObject({ error: null });
  expect(await all.code(node)).toContain("'three'");
  await host.commit(repository, { "node.py": script("print('four')") }, "Say four");
  await all.setGit(node, `${host.sshUrl(repository)}#node.py`);
  expect(await all.git("git-pull", node)).toMatchObject({ error: null });
  expect((await bench.run()).workflow_state).toBe("READY");
  const printed = (await bench.lines()).map(([, text]) => text);
  await bench.until("stop", "", "EXITED");
  bench.close();
  return printed;
}
