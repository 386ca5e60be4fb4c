import { findProgram, installFromDebian } from "./debian.ts";

// Chromium without windows of its own, as nobody looks at them: the journeys take two thirds of the time with it.
const withoutWindows = "chromium-headless-shell";
const names = [withoutWindows, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const findChromium = (): string | undefined => process.env["CHROMIUM"] || findProgram(...names);

/** Installs the fastest browser for the journeys, even if there is another one. */
export function installFastChromium(): void {
  if (process.env["CHROMIUM"] || findProgram(withoutWindows)) return;
  installFromDebian("Chromium for the browser tests", [withoutWindows]);
}

/** The browser for the journeys: the one that is here, or Debian's when we may install it. */
export function getChromium(): string {
  if (!findChromium()) installFastChromium();
  if (!findChromium()) installFromDebian("Chromium for the browser tests", ["chromium"]);
  const found = findChromium();
  if (found) return found;
  throw new Error(
    `The browser tests need Chromium. Install it (Debian: apt-get install ${withoutWindows}) or set CHROMIUM to its path.`,
  );
}
