import { lookup } from "node:dns/promises";
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

import { findProgram } from "./programs.ts";
import { tunnelProblem } from "./tunnel-device.ts";

export type NetworkMode = "open" | "internet" | "none";

/** An address or a range, a port or 0 for all, and whether node code may connect. The first match decides. */
export type Rule = [address: string, port: number, isAllowed: boolean];

export interface Network {
  mode: NetworkMode;
  /** Why node code can reach more than it should. Undefined when it cannot. */
  warning?: string;
  /** For `internet`: the name servers, and how to connect a sandbox now. */
  nameservers: string[];
  plan(): Promise<{ connect: string[]; rules: Rule[] }>;
}

interface Settings {
  network: NetworkMode | undefined;
  /** Hosts, addresses or ranges that node code may always reach. */
  networkAllow: string[];
}

const denied = [
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8", "100.64.0.0/10"],
  ...["0.0.0.0/8", "192.0.0.0/24", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4"],
  ...["fc00::/7", "fe80::/10", "ff00::/8"],
];
const defaultIndex = ["https://pypi.org", "https://files.pythonhosted.org"];
const settingsFiles = ["/etc/pip.conf", "/etc/uv/uv.toml"];
const packageIndexSetting = /^(PIP_|UV_)|_proxy$/i;
const address = /\b(https?|socks5h?):\/\/(?:[^\s/@"']*@)?(\[[0-9a-f:]+\]|[\w.-]+)(?::(\d+))?/gi;
const ports: Record<string, number> = { http: 80, https: 443, socks5: 1080, socks5h: 1080 };
const freshFor = 60_000;

interface Target {
  host: string;
  port: number;
}

/** What node code may reach, and a warning when that is more than the setting allows. */
export function openNetwork(settings: Settings, environment: NodeJS.ProcessEnv = process.env): Network {
  const wanted = settings.network ?? "internet";
  if (wanted !== "internet") return { mode: wanted, nameservers: [], plan: async () => ({ connect: [], rules: [] }) };
  const program = findProgram("pasta");
  const nameservers = findNameservers();
  const problem = !program
    ? "pasta is not installed (Debian: apt-get install passt)"
    : nameservers.length === 0
      ? "this machine asks names only of itself (/etc/resolv.conf)"
      : tunnelProblem(process.getuid?.() === 0);
  if (!program || problem !== undefined) {
    const warning = `Node code can reach this machine's own network and every service on it: ${problem ?? ""}.`;
    return { mode: "open", warning, nameservers: [], plan: async () => ({ connect: [], rules: [] }) };
  }
  const targets = [...configured(environment), ...settings.networkAllow.flatMap(toTarget)];
  const ranges = settings.networkAllow.filter((one) => one.includes("/"));
  // Looked up before the first session, then again beside one: no start waits for DNS.
  let lookedUpAt = Date.now();
  let known = resolveAll(targets);

  async function plan() {
    const addresses = await known;
    if (Date.now() - lookedUpAt > freshFor) {
      lookedUpAt = Date.now();
      void resolveAll(targets).then((newer) => (known = Promise.resolve(newer)));
    }
    const isLocal = ({ host }: Target): boolean => host.startsWith("127.") || host === "::1";
    // Allowed ports of this machine's loopback are forwarded to the sandbox's loopback.
    const local = addresses.filter(isLocal).map(({ port }) => port);
    const forwarded = [...new Set(local.filter((port) => port > 0))].join(",");
    const rules: Rule[] = [
      ...nameservers.map((server): Rule => [server, 53, true]),
      ...addresses.filter((one) => !isLocal(one)).map(({ host, port }): Rule => [host, port, true]),
      ...ranges.map((range): Rule => [range, 0, true]),
      ...[...denied, ...ownAddresses()].map((range): Rule => [range, 0, false]),
    ];
    const connect = [
      program ?? "",
      "-f",
      "-q",
      "--config-net",
      "--no-map-gw",
      "-t",
      "none",
      "-u",
      "none",
      "-U",
      "none",
    ];
    // With IPv6, programs would try ::1 first, where a server on 127.0.0.1 does not answer.
    return { connect: [...connect, ...(forwarded === "" ? ["-T", "none"] : ["-T", forwarded, "-4"])], rules };
  }
  return { mode: "internet", nameservers, plan };
}

/** The package indexes and proxies that the operator configured for pip and uv. */
function configured(environment: NodeJS.ProcessEnv): Target[] {
  const values = Object.entries(environment).filter(([name]) => packageIndexSetting.test(name));
  const files = settingsFiles.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8"));
  const text = [...defaultIndex, ...values.map(([, value]) => value ?? ""), ...files].join("\n");
  return [...text.matchAll(address)].map(([, scheme = "", host = "", port]) => ({
    host: host.replaceAll(/[[\]]/g, ""),
    port: Number(port ?? ports[scheme.toLowerCase()] ?? 0),
  }));
}

function toTarget(text: string): Target[] {
  if (text.includes("/")) return [];
  const [, host = text, port = "0"] = /^(.+):(\d+)$/.exec(text) ?? [];
  return isIP(text) ? [{ host: text, port: 0 }] : [{ host: host.replaceAll(/[[\]]/g, ""), port: Number(port) }];
}

async function resolveAll(targets: Target[]): Promise<Target[]> {
  const lists = await Promise.all(
    targets.map(async ({ host, port }) => {
      const addresses = await lookup(host, { all: true }).catch(() => []);
      return addresses.map((one) => ({ host: one.address, port }));
    }),
  );
  const known = new Map(lists.flat().map((one) => [`${one.host} ${one.port}`, one]));
  return [...known.values()];
}

function findNameservers(): string[] {
  for (const path of ["/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"]) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const servers = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server = ""]) => server.split("%")[0] ?? "");
    const usable = servers.filter((server) => isIP(server) && !server.startsWith("127.") && server !== "::1");
    if (usable.length > 0) return usable;
  }
  return [];
}

/** Every address of this machine leads to the same services as its loopback. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.filter(({ internal }) => !internal).map((one) => one.address.split("%")[0] ?? "");
}
