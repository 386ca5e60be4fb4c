import { createHash, createHmac } from "node:crypto";

// AWS Signature Version 4: proves to the server that we have the secret key, without sending it.

export interface Keys {
  access: string;
  secret: string;
}

interface SignedRequest {
  method: string;
  host: string;
  /** Encoded. */
  path: string;
  query: Readonly<Record<string, string>>;
  contentHash: string;
}

export const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const mac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Both ends must encode alike, or the signatures differ. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Sorted: both ends must use the same order, or the signatures differ. */
export const queryText = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join("&");

/** The headers that authenticate a request. */
export function sign({ method, host, path, query, contentHash }: SignedRequest, region: string, keys: Keys) {
  const moment = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const headers = { host, "x-amz-content-sha256": contentHash, "x-amz-date": moment };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, path, queryText(query), lines.join(""), names, contentHash].join("\n");
  const scope = [moment.slice(0, 8), region, "s3", "aws4_request"];
  const key = scope.reduce<string | Buffer>(mac, `AWS4${keys.secret}`);
  const text = ["AWS4-HMAC-SHA256", moment, scope.join("/"), sha256(canonical)].join("\n");
  const credential = `Credential=${keys.access}/${scope.join("/")}`;
  const signature = `Signature=${mac(key, text).toString("hex")}`;
  return { ...headers, authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, ${signature}` };
}
