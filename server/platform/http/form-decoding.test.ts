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

it("refuses more fields than any call has, without reading them", async () => {
  const began = performance.now();
  for (const body of ["a&".repeat(1_000_000), `a=${"1&a=".repeat(300)}`])
    await expect(decodeForm(Buffer.from(body))).rejects.toThrow("A form can have at most 200 fields.");
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(await decodeForm(Buffer.from("a=1&".repeat(199)))).toMatchObject({ a: Array(199).fill("1") });
});

it("treats names like __proto__ as ordinary names", async () => {
  const form = await decodeForm(Buffer.from("__proto__=1&__proto__=2&constructor=3&toString=4"));
  expect(Object.entries(form)).toEqual([
    ["__proto__", ["1", "2"]],
    ["constructor", "3"],
    ["toString", "4"],
  ]);
  expect(Object.getPrototypeOf(form)).toBe(Object.prototype);
});

it("keeps a stray percent sign", async () => {
  expect(await decodeForm(Buffer.from(`${"x".repeat(300_000)}=1&a=%&b=%4`))).toMatchObject({ a: "%", b: "%4" });
});
