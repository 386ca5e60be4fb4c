import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

import { findLibraryPython } from "../../scripts/library-environment.ts";
import { runtimeFolder } from "./python.ts";

const python = await findLibraryPython();
const modules = ["tests.isolation.test_libraries", "tests.lanes.test_repeatable", "tests.lanes.test_property"];

// numpy, pyplot and others keep state in the process: what nodes do with it needs the libraries themselves.
it.skipIf(!python)(
  "the tests of lanes pass where numpy, pandas and pyplot are installed",
  { timeout: 1_200_000 },
  async () => {
    const run = promisify(execFile)(python ?? "", ["-m", "unittest", ...modules], { cwd: runtimeFolder });
    expect((await run).stderr).toMatch(/\nOK/);
  },
);
