import { lazy } from "react";
import type { RouteObject } from "react-router";

import { partRetry } from "./limits.ts";
import { logWarning } from "./log.ts";

/** A part of the client could not be loaded, also at the second try. */
export class PartNotLoaded extends Error {
  override name = "PartNotLoaded";
}

/**
 * Loads a part of the client. The network may fail for a moment, for example when a laptop changes its network, so it is
 * tried twice. After an update of the server, the old parts are gone for good.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    logWarning("A part of the page could not be loaded. It is tried again.", cause);
    await new Promise((resolve) => setTimeout(resolve, partRetry.after));
    try {
      await loadStyles(cause);
      return await load();
    } catch (again) {
      throw new PartNotLoaded("A part of the page could not be loaded.", { cause: again });
    }
  }
}

/** Vite loads the styles of a part once. When this failed, the part would be shown without them. */
async function loadStyles(cause: unknown): Promise<void> {
  const address = cause instanceof Error ? /^Unable to preload CSS for (\S+)$/.exec(cause.message)?.[1] : undefined;
  if (address === undefined) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  const loaded = new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => reject(new Error(`${address} could not be loaded.`)));
  });
  document.head.append(link);
  await loaded;
}

/** React's `lazy`, with a second try. */
export const lazyPart: typeof lazy = (load) => lazy(() => loadPart(load));

/** Gives every screen a second try. */
export function retryScreens(routes: RouteObject[]): RouteObject[] {
  for (const route of routes) {
    const { lazy: load, children } = route;
    if (typeof load === "function") route.lazy = () => loadPart(load);
    if (children) retryScreens(children);
  }
  return routes;
}
