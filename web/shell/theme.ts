import { useSyncExternalStore } from "react";

import { theme as limits } from "../limits.ts";

import { readStored, writeStored } from "../storage.ts";
import { createStore } from "../store.ts";

export type Theme = (typeof limits.choices)[number];

const darkPreference = matchMedia("(prefers-color-scheme: dark)");
const current = createStore(readTheme());

function readTheme(): Theme {
  // The page around an embedded app chooses how it looks.
  const isEmbedded = location.pathname.startsWith("/embed/");
  const stored = isEmbedded ? new URLSearchParams(location.search).get("theme") : readStored(limits.key);
  return limits.choices.find((theme) => theme === stored) ?? limits.default;
}

// public/theme-init.js decides the same way before the first paint; keep the two alike.
function apply(theme: Theme): void {
  const dark = theme === "dark" || (theme === "system" && darkPreference.matches);
  document.documentElement.classList.toggle("dark", dark);
}

function change(theme: Theme): void {
  apply(theme);
  current.set(theme);
}

export function setTheme(theme: Theme): void {
  writeStored(limits.key, theme);
  change(theme);
}

/** Follows the system's preference and other tabs. */
export function followTheme(): void {
  apply(current.get());
  darkPreference.addEventListener("change", () => apply(current.get()));
  addEventListener("storage", (event) => {
    if (event.key === limits.key || event.key === null) change(readTheme());
  });
}

export function useTheme(): Theme {
  return useSyncExternalStore(current.watch, current.get);
}
