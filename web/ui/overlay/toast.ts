import type { ExternalToast } from "sonner";
import { useSyncExternalStore } from "react";

import { logWarning } from "../../log.ts";
import { createStore } from "../../store.ts";

// The toast library loads with the first toast: most visits show none.

type Kind = "success" | "error" | "warning" | "message";

const wanted = createStore(false);
const surface = Promise.withResolvers<void>();

function show(kind: Kind, text: string, options?: ExternalToast): void {
  wanted.set(true);
  void deliver(kind, text, options);
}

async function deliver(kind: Kind, text: string, options?: ExternalToast): Promise<void> {
  const [sonner] = await Promise.all([keepLoading(() => import("sonner")), surface.promise]);
  sonner.toast[kind](text, options);
}

const loadAgainAfter = 2_000;

/** Retries until it succeeds: a toast may report a lost network, so a lost network must not keep it from loading. */
export async function keepLoading<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch (cause) {
      logWarning("Toasts could not be loaded. It is tried again.", cause);
      await new Promise((resolve) => setTimeout(resolve, loadAgainAfter));
    }
  }
}

/** Loads what toasts need, for screens on which they matter when the network is away. */
export function preloadToasts(): void {
  wanted.set(true);
  void keepLoading(() => import("sonner"));
}

export const toast = {
  success: (text: string, options?: ExternalToast) => show("success", text, options),
  error: (text: string, options?: ExternalToast) => show("error", text, options),
  warning: (text: string, options?: ExternalToast) => show("warning", text, options),
  message: (text: string, options?: ExternalToast) => show("message", text, options),
};

/** Shows the toasts that came before the surface was mounted. */
export function toastSurfaceReady(): void {
  surface.resolve();
}

export function useToastsWanted(): boolean {
  return useSyncExternalStore(wanted.watch, wanted.get);
}
