import { describe, expect, test } from "vitest";

import { isElsewhere, safeAddress } from "./safe-address.ts";

const png = "data:image/png;base64,iVBORw0KGgo=";

const neverAllowed = [
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "jAvAsCrIpT:alert(1)",
  "javascript://example.com/%0aalert(1)",
  "javascript:/*--></title></style>*/alert(1)",
  "  javascript:alert(1)",
  "\tjavascript:alert(1)",
  "\n\n javascript:alert(1)",
  "\u0000javascript:alert(1)",
  "\u0001\u0002javascript:alert(1)",
  "\u001fjavascript:alert(1)",
  "\u00a0javascript:alert(1)",
  "\u2028javascript:alert(1)",
  "\ufeffjavascript:alert(1)",
  "java\tscript:alert(1)",
  "java\nscript:alert(1)",
  "java\r\nscript:alert(1)",
  "j\na\nv\na\ns\nc\nr\ni\np\nt\n:alert(1)",
  "javascript\t:alert(1)",
  "javascript:\nalert(1)",
  "java\u0000script:alert(1)",
  "java\u200bscript:alert(1)",
  "java\u00adscript:alert(1)",
  "javascript\u200b:alert(1)",
  "\u202ejavascript:alert(1)",
  "ｊavascript:alert(1)",
  "javaſcript:alert(1)",
  "jаvascript:alert(1)",
  "javascript&colon;alert(1):",
  "vbscript:msgbox(1)",
  "VBScript:msgbox(1)",
  "vb\nscript:msgbox(1)",
  " vbscript:msgbox(1)",
  "livescript:alert(1)",
  "mocha:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "DATA:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
  "data:,plain",
  "data:application/javascript,alert(1)",
  "data:text/xml,<x/>",
  "data:application/xhtml+xml,<x/>",
  "data:image/svg+xml,<svg onload=alert(1)>",
  "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+",
  "data:IMAGE/SVG+XML;utf8,<svg/>",
  "data:image/svg%2bxml,<svg/>",
  "data: image/svg+xml,<svg/>",
  "data:text/html;image/png,<script>alert(1)</script>",
  "data:text/html;,image/png,<script>alert(1)</script>",
  "da\nta:text/html,x",
  "file:///etc/passwd",
  "file://server/share",
  "blob:https://example.com/0b5c",
  "filesystem:https://example.com/temporary/x",
  "about:blank",
  "view-source:https://example.com",
  "chrome://settings",
  "ms-msdt:/id",
  "intent://scan/#Intent;scheme=zxing;end",
  "ws://example.com",
  "ftp://example.com/file",
  "jar:https://example.com!/x.html",
  "http://[not an address",
  "https://",
];

describe.each(["link", "image"] as const)("as a %s", (use) => {
  test.each(neverAllowed)("refuses %j", (address) => {
    expect(safeAddress(address, use)).toBeUndefined();
  });

  test.each([
    "https://example.com/a?b=c#d",
    "http://example.com",
    "HTTPS://EXAMPLE.COM",
    "//example.com/protocol-relative",
    "/designer/browse",
    "picture.png",
    "./a/b",
    "../up",
    "?page=2",
    "#part",
    "",
    "a/b:c",
    "?next=javascript:alert(1)",
    "#javascript:alert(1)",
    "/javascript:alert(1)",
    "javascript%3Aalert(1)",
    // Entities are decoded before an address gets here and never again: these lead to a part of the page.
    "java&#115;cript:alert(1)",
    "&#x6A;avascript:alert(1)",
    "https://example.com/javascript:alert(1)",
    "https://müller.example/straße",
    "https://example.com/😀",
  ])("keeps %j as it is", (address) => {
    expect(safeAddress(address, use)).toBe(address);
  });
});

test.each(["mailto:ada@example.org", "tel:+4930123456"])("allows %j as a link but not as a picture", (address) => {
  expect(safeAddress(address, "link")).toBe(address);
  expect(safeAddress(address, "image")).toBeUndefined();
});

test.each([
  png,
  "data:image/jpeg;base64,/9j/4AAQ",
  "data:image/jpg;base64,/9j/4AAQ",
  "data:image/gif;base64,R0lGODlhAQABAAAAACw=",
  "data:image/webp;base64,UklGRg==",
  "data:image/avif;base64,AAAA",
  "DATA:IMAGE/PNG;BASE64,iVBORw0KGgo=",
  "data:image/png;charset=utf-8;base64,iVBORw0KGgo=",
])("shows picture data %j but does not link to it", (address) => {
  expect(safeAddress(address, "image")).toBe(address);
  expect(safeAddress(address, "link")).toBeUndefined();
});

test("removes spaces around an address", () => {
  expect(safeAddress("  https://example.com\n", "link")).toBe("https://example.com");
});

test.each([
  ["https://example.com", true],
  ["//example.com", true],
  ["/\\example.com", true],
  ["\\\\example.com", true],
  ["/\t/example.com", true],
  ["mailto:ada@example.org", true],
  ["/designer/", false],
  ["#part", false],
  ["file", false],
])("reads the host of %j as %s", (address, expected) => {
  expect(isElsewhere(address)).toBe(expected);
});
