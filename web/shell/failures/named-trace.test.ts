import { expect, it } from "vitest";

import { readMappings } from "./named-trace.ts";

it("reads where the parts of a built file came from", () => {
  // Two lines: the second begins with a part of another source, and has one that goes back.
  expect(readMappings("AAAA,IAAEC,SAAQ;ACDT,gCAFC")).toEqual([
    [
      { column: 0, source: 0, line: 0 },
      { column: 4, source: 0, line: 0 },
      { column: 13, source: 0, line: 0 },
    ],
    [
      { column: 0, source: 1, line: -1 },
      { column: 32, source: 1, line: -3 },
    ],
  ]);
});
