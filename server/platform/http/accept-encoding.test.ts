import { expect, it } from "vitest";

import { chooseEncoding } from "./accept-encoding.ts";

it.each([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["gzip, deflate", "gzip"],
  ["gzip, deflate, br", "br"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["GZIP", "gzip"],
  ["*", "zstd"],
  ["*;q=0", undefined],
  ["zstd;q=0, *", "br"],
  ["gzip;q=1.0, zstd;q=0.5", "gzip"],
  ["gzip;q=0.5, identity", undefined],
  ["gzip;q=0", undefined],
  ["gzip;q=nonsense", undefined],
  [" br ; q=0.3 , gzip;q=0.2", "br"],
  ["deflate, compress, x-unknown", undefined],
  [",;,;;q=", undefined],
])("Accept-Encoding %j gets %j", (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding);
});
