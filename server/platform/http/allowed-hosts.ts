import { isIP } from "node:net";

export interface HostSettings {
  host: string;
  publicUrl: string | undefined;
  /** Further names: MIRANDA_HOSTS. */
  hosts: readonly string[];
}

const anyInterface = new Set(["0.0.0.0", "::"]);

/**
 * Whether a Host header names this server. Without this check a page of another site could point its own name at our
 * address (DNS rebinding), and its Origin would equal our Host.
 */
export function createAllowedHosts({ host, publicUrl, hosts }: HostSettings): (header: string | undefined) => boolean {
  const own = anyInterface.has(host) ? [] : [host];
  const known = new Set([...own, ...hosts, ...(publicUrl ? [new URL(publicUrl).host] : [])].map(hostNameOf));
  return (header) => {
    const name = hostNameOf(header ?? "");
    if (name === undefined) return false;
    if (known.has(name) || isLoopback(name)) return true;
    // Nobody can point an IP address at another machine, so addresses are safe. With PUBLIC_URL they are not needed.
    return publicUrl === undefined && isIP(name) !== 0;
  };
}

/**
 * The host name of `name:port`, `1.2.3.4` or `[::1]:port`, normalised. Undefined for a header that no browser would
 * send.
 */
export function hostNameOf(host: string): string | undefined {
  if (isIP(host) === 6) return host.toLowerCase();
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@?#\\[\]]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  if (address !== undefined) return isIP(address) === 6 ? address.toLowerCase() : undefined;
  return name?.toLowerCase().replace(/\.$/, "");
}

function isLoopback(name: string): boolean {
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}
