import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

// Where a webhook may not go: this machine, its network, and what only looks like the internet.

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
// The ones that carry an IPv4 address (mapped, translated, 6to4, Teredo) are not used by public servers.
const ipv6 = [
  "::/96",
  "::ffff:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

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
  lookup(hostname, { ...options, all: true }, (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => {
    if (error) return callback(error, "");
    const [first] = found;
    if (!first || !found.every(({ address }) => isPublic(address))) return callback(new PrivateAddress(), "");
    if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  });
};
