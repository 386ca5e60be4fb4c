import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

import { safely } from "./errors/safely.ts";

// Addresses that people choose must not lead to this machine or its network, in whatever form they are written.

const ipv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
// Public servers are in 2000::/3 only. Elsewhere are the machine, its network, and addresses that carry an IPv4 address
// (mapped, translated). In it, these do so too (Teredo, 6to4), or are examples.
const ipv6 = ["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

// Two lists: in one, the range of mapped addresses would forbid every IPv4 address.
const forbidden = { ipv4: listOf("ipv4", ipv4), ipv6: listOf("ipv6", ipv6) };

function listOf(family: "ipv4" | "ipv6", ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", bits = ""] = range.split("/");
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

export class PrivateAddress extends Error {
  constructor() {
    super("The address is private.");
  }
}

export function isPublic(address: string): boolean {
  const version = isIP(address);
  const family = version === 6 ? "ipv6" : "ipv4";
  return version !== 0 && !forbidden[family].check(address, family);
}

/** Whether a host is written as a private address. A name is looked up when the connection is made. */
export function isWrittenPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return host === "localhost" || host.endsWith(".localhost") || (isIP(host) !== 0 && !isPublic(host));
}

/**
 * Looks a name up at the moment of the connection, and refuses private addresses. Checked earlier, the name could lead
 * elsewhere by then.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  const answer = safely(
    (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => {
      if (error) return callback(error, "");
      const [first] = found;
      if (!first || !found.every(({ address }) => isPublic(address))) return callback(new PrivateAddress(), "");
      if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    },
    () => callback(new PrivateAddress(), ""),
  );
  lookup(hostname, { ...options, all: true }, answer);
};
