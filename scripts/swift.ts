import { spawnSync } from "node:child_process";

import { installFromDebian } from "./debian.ts";

// Debian's packages are seen by Debian's Python, whichever other comes first on the path.
export const swiftPython = "/usr/bin/python3";

export const hasSwift = (): boolean => spawnSync(swiftPython, ["-I", "-c", "import swift"]).status === 0;

/** What the tests with buckets need: what is here, or Debian's when we may install it. */
export function getSwift(): void {
  if (!hasSwift()) installFromDebian("OpenStack Swift for the tests with S3 buckets", ["python3-swift"]);
  if (!hasSwift())
    console.log("The tests with S3 buckets are left out: they need Swift (Debian: apt-get install python3-swift).");
}
