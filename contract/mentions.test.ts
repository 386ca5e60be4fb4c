import { describe, expect, it } from "vitest";

import { mentionsIn } from "./mentions.ts";

const names = (text: string) => mentionsIn(text).map(({ username }) => username);

describe("mentions", () => {
  it("end before the marks of a sentence", () => {
    expect(names("Ask @ada... or @bob_-. @c.d-e, `@property` and mail@example.org")).toEqual(["ada", "bob", "c.d-e"]);
  });

  it("are found in linear time, however many dots a name has", () => {
    for (const dots of [9_990, 2_000_000]) {
      const name = `a${".".repeat(dots)}b`;
      expect(names(`@${name}`)).toEqual([name]);
      expect(names(`@${name.slice(0, -1)}`)).toEqual(["a"]);
    }
  });
});
