import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { gitProblem } from "../../scripts/git.ts";
import { sandboxProblem } from "../../scripts/sandbox.ts";
import { readConfig } from "../platform/settings/config.ts";
import { GitBench } from "../testing/services/git-bench.ts";
import { script } from "../testing/workbench.ts";

// Git holds a person's password or key: node code sees neither its folder nor its processes (C2).

const token = "hunter2-of-the-host";

describe.skipIf((sandboxProblem() ?? gitProblem()) !== undefined)(
  "git beside hostile node code",
  { timeout: 60_000 },
  () => {
    let git: GitBench;
    beforeAll(async () => {
      git = await GitBench.open((host) => {
        const allowed = new URL(host.url("any")).host;
        return { processors: readConfig({ MIRANDA_ENGINE: "local", MIRANDA_PROCESSOR_ALLOW: allowed }).processors };
      });
    }, 60_000);
    afterAll(() => git.close());

    it("runs in a sandbox and a folder that node code never sees", async () => {
      const { bench } = git;
      const spy = await bench.node(
        script(
          "import os, threading, time",
          "def look():",
          "    while True:",
          "        for pid in os.listdir('/proc'):",
          "            if pid.isdigit():",
          "                try: words = open(f'/proc/{pid}/cmdline').read()",
          "                except OSError: continue",
          "                if 'git_task' in words or words.startswith('git') or '/git\\0' in words: print('sees a process', words)",
          "        for name in os.listdir('.'):",
          "            if 'git' in name: print('sees a folder', name)",
          "        time.sleep(0.002)",
          "threading.Thread(target=look, daemon=True).start()",
          "print('looking')",
        ),
        "Spy",
      );
      await bench.run();
      const { node } = await git.nodeIn({ "node.py": script("print('pulled')") });
      git.host.users.set("git", token);
      await git.secret("git.localhost", token);
      const { error, summary } = await git.git("git-pull", node);
      expect([error, summary]).toEqual([null, expect.stringContaining("Pulled")]);
      expect(await git.code(node)).toContain("pulled");
      await bench.owner.delete(`/api/v3/objects/${spy}`);
      const lines = (await bench.lines()).map(([, text]) => text);
      expect(lines).toContain("looking");
      expect(lines.filter((line) => line.startsWith("sees"))).toEqual([]);
      expect(lines.join("\n")).not.toContain(token);
    });
  },
);
