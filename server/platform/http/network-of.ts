import { isIPv6 } from "node:net";

/** The network of one customer: an IPv4 address, or the first half of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address;
  const groupsOf = (part: string) => part.split(":").filter(Boolean);
  const [before = "", after = ""] = address.replace(/%.*/, "").split("::");
  const [first, last] = [groupsOf(before), groupsOf(after)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}
