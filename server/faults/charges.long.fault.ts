import { describe, expect, it, onTestFinished } from "vitest";

import { isAvailable, openEngineUnderTest } from "../testing/engine-under-test.ts";
import { killBeforeCommits } from "./charges.ts";

const processors = 10;

describe.each(["local", "docker"] as const)("on the engine %s", { timeout: 600_000 }, (name) => {
  it.skipIf(!isAvailable(name))(
    "kill -9 of the server between charge and commit, 200 times: the ledger is the samples, each once (fault 17)",
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
