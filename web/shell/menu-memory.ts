import { menu } from "../limits.ts";

import { readStored, writeStored } from "../storage.ts";

/** A menu link that loads another page leaves the menu open there for a moment, so that it does not just vanish. */
export function rememberNavigation(): void {
  writeStored(menu.navigationKey, String(Date.now()));
}

export function navigatedJustNow(): boolean {
  const stored = readStored(menu.navigationKey);
  if (stored === null) return false;
  const age = Date.now() - Number(stored);
  return age >= 0 && age < menu.recentNavigation;
}
