import { findProgram, installFromDebian } from "./debian.ts";

const names = ["nginx", "caddy", "haproxy"] as const;
export type ProxyName = (typeof names)[number];

export const findProxy = (name: ProxyName): string | undefined => findProgram(name);

/** What the tests behind a proxy need: what is here, or Debian's when we may install it. */
export function getProxies(): void {
  const missing = names.filter((name) => !findProxy(name));
  if (missing.length > 0) installFromDebian("proxies for the tests behind one", missing);
  for (const name of missing.filter((name) => !findProxy(name)))
    console.log(`The tests behind ${name} are left out: they need it (Debian: apt-get install ${name}).`);
}
