import { describe, expect, it } from "vitest";

import { loginAddress, nextPath } from "./next-address.ts";

const origin = "https://miranda.example";

describe("nextPath", () => {
  it.each([
    ["https://miranda.example/designer/projects/7?tab=a#b", "/designer/projects/7?tab=a#b"],
    ["https://MIRANDA.example/account", "/account"],
    ["https://name:word@miranda.example/account", "/account"],
    ["/designer/models", "/designer/models"],
    // The front page is no place to return to.
    ["https://miranda.example/", "/designer"],
    ["/", "/designer"],
  ])("follows %s on our own origin", (next, path) => {
    expect(nextPath(next, origin)).toBe(path);
  });

  it.each([
    null,
    "",
    "https://evil.com/designer",
    "http://miranda.example/designer",
    "https://miranda.example:8443/designer",
    "https://miranda.example@evil.com/",
    "https://miranda.example.evil.com/",
    "//evil.com",
    "///evil.com",
    "/\\evil.com",
    "\\\\evil.com",
    "https:\\\\evil.com",
    "\t//evil.com",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "blob:https://miranda.example/2f6c",
    "https://",
  ])("goes to the Designer for %j", (next) => {
    expect(nextPath(next, origin)).toBe("/designer");
  });

  it.each(["https://miranda.example//evil.com/x", "https://miranda.example/\\evil.com/x"])(
    "never yields a path that names a host: %s",
    (next) => {
      expect(nextPath(next, origin)).toBe("/evil.com/x");
    },
  );
});

describe("loginAddress", () => {
  it("contains the whole address, encoded", () => {
    const here = "https://miranda.example/designer/new?a=1&b=2#c";
    expect(loginAddress(here)).toBe(`/login?next=${encodeURIComponent(here)}`);
    expect(new URL(loginAddress(here), origin).searchParams.get("next")).toBe(here);
  });
});
