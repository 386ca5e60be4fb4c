import { encoded, type Keys } from "./sign.ts";

/** A bucket, and where in it the files of a project are. */
export interface BucketPlace {
  /** Empty for Amazon S3. */
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  keys: Keys;
}

export interface BucketAddress {
  isHttps: boolean;
  hostname: string;
  port: number;
  /** The value of the Host header. */
  host: string;
  /** What comes before every key, encoded. */
  path: string;
}

/** How the server of a bucket is addressed. */
export function addressOf({ endpoint, region, bucket }: Omit<BucketPlace, "keys">): BucketAddress {
  if (endpoint !== "") {
    const { protocol, hostname, port, host, pathname } = new URL(endpoint);
    const isHttps = protocol === "https:";
    const path = `${pathname.replace(/\/+$/, "")}/${bucket}`;
    return { isHttps, hostname, host, port: Number(port) || (isHttps ? 443 : 80), path };
  }
  const server = `s3.${regionOf(region)}.${region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"}`;
  // A certificate for *.s3… does not cover a bucket with dots.
  const isInPath = bucket.includes(".");
  const host = isInPath ? server : `${bucket}.${server}`;
  return { isHttps: true, hostname: host, host, port: 443, path: isInPath ? `/${bucket}` : "" };
}

export const regionOf = (region: string): string => region || "us-east-1";

/** The key of an object, encoded for the address. */
export function keyPath({ prefix }: Pick<BucketPlace, "prefix">, object: string): string {
  const start = prefix.replace(/\/$/, "");
  return `${start === "" ? "" : `${start}/`}${object}`.split("/").map(encoded).join("/");
}
