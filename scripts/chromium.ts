import { findProgram, installFromDebian } from "./debian.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const findChromium = (): string | undefined => process.env["CHROMIUM"] || findProgram(...names);

/** The browser for the journeys: the one that is here, or Debian's when we may install it. */
export function getChromium(): string {
  if (!findChromium()) installFromDebian("Chromium for the browser tests", ["chromium"]);
  const found = findChromium();
  if (found) return found;
  throw new Error(
    "The browser tests need Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM to its path.",
  );
}
