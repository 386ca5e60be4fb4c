import { expect, it } from "vitest";

import { decodeForm } from "./form-decoding.ts";

const text = "a+b &=%25 ünï ✓ %zz\r\n";

it.each([
  ["a small form", 1],
  ["a form of megabytes", 60_000],
])("reads %s as browsers write it", async (_what, times) => {
  const value = text.repeat(times);
  const body = Buffer.from(
    new URLSearchParams([
      ["first", value],
      ["twice", "1"],
      ["twice", "2"],
      ["empty", ""],
    ]).toString(),
  );
  expect(await decodeForm(body)).toEqual({ first: value, twice: ["1", "2"], empty: "" });
});

it("takes a stray percent sign for what it is", async () => {
  expect(await decodeForm(Buffer.from(`${"x".repeat(300_000)}=1&a=%&b=%4`))).toMatchObject({ a: "%", b: "%4" });
});
