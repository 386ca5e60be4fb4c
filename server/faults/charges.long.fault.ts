import { describe, expect, it, onTestFinished } from "vitest";

import { isAvailable, openEngineUnderTest } from "../testing/engine-under-test.ts";
import { killBeforeCommits } from "./charges.ts";

const processors = 10;

describe.each(["local", "docker"] as const)("on the engine %s", { timeout: 600_000 }, (name) => {
  it.skipIf(!isAvailable(name))(
    "charges each sample exactly once when the server is killed between charge and commit, 200 times (fault 17)",
    async () => {
      const underTest = await openEngineUnderTest(name);
      onTestFinished(() => underTest.close());
      const fault = await underTest.server({
        MIRANDA_PROCESSORS: String(processors),
        MIRANDA_HEARTBEAT_SECONDS: "1",
        MIRANDA_LOST_SECONDS: "20",
      });
      onTestFinished(() => fault.close());
      expect(await killBeforeCommits(fault, processors, 200)).toBeGreaterThanOrEqual(200);
    },
  );
});
