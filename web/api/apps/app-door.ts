import { deployment } from "@miranda/contract/limits.ts";
import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";

/** How an app was reached: by its name, or by a link that works without an account. */
export type AppDoor = { name: string; channel: Channel } | { link: string };

export function doorPath(door: AppDoor, part = ""): string {
  const name = "link" in door ? deployment.byLink : door.name;
  return `/api/v3/deployments/${encodeURIComponent(name)}${part}`;
}

/** For calls that depend on which release is used. */
export function channelQuery(door: AppDoor): string {
  return "channel" in door && door.channel === "staging" ? "?channel=staging" : "";
}

export function doorHeaders(door: AppDoor): Record<string, string> {
  return "link" in door ? { "X-Miranda-Link": door.link } : {};
}

/** Tells apart what is kept for two doors. */
export function doorKey(door: AppDoor): string {
  return "link" in door ? `link ${door.link}` : `${door.channel} ${door.name}`;
}
