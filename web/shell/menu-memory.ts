import { menu } from "../limits.ts";

import { readStored, writeStored } from "../storage.ts";

/** Keeps the menu open for a moment after a menu link has loaded another page, so that it does not vanish at once. */
export function rememberNavigation(): void {
  writeStored(menu.navigationKey, String(Date.now()));
}

export function navigatedJustNow(): boolean {
  const stored = readStored(menu.navigationKey);
  if (stored === null) return false;
  const age = Date.now() - Number(stored);
  return age >= 0 && age < menu.recentNavigation;
}
