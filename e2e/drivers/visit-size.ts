import type { Page } from "@playwright/test";

/** The JavaScript that a browser gets which was never at this address, until what is `ready` shows and the page is at rest. */
export async function visitSize(page: Page, address: string, ready: string): Promise<{ bytes: number; files: number }> {
  const devtools = await page.context().newCDPSession(page);
  const scripts = new Set<string>();
  let bytes = 0;
  devtools.on("Network.responseReceived", ({ requestId, type }) => type === "Script" && scripts.add(requestId));
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await devtools.send("Network.enable");
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.goto(address);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState("networkidle");
  await devtools.detach();
  return { bytes, files: scripts.size };
}
