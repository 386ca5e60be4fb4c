import type { Http } from "./http/http-server.ts";

/** Where agents on this machine reach this server. */
export function ownUrl(http: Http): string {
  const address = http.server.address();
  const {
    port,
    family,
    address: host,
  } = typeof address === "object" && address ? address : { port: 0, family: "IPv4", address: "127.0.0.1" };
  const any = host === "::" || host === "0.0.0.0";
  return `http://${any ? "127.0.0.1" : family === "IPv6" ? `[${host}]` : host}:${port}`;
}
