import { expect } from "@playwright/test";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { callState, callTides, deployTides, fillTides, makeLink } from "../drivers/apps.ts";
import { audit } from "../drivers/audit.ts";
import { address, newBrowser, test } from "../drivers/people.ts";

test.describe.configure({ timeout: 180_000 });

test("a visitor uses an app by its link without an account, and finds the result again", async ({
  context,
  browser,
  person: _person,
}) => {
  const app = await deployTides(context, { access: "link" });
  const link = await makeLink(context, app.graph);
  const visitor = await newBrowser(browser);
  const { page } = visitor;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(address(`/explorer/links/${link}`));
  await expect(page.getByRole("heading", { name: "Tide forecast", level: 1 })).toBeVisible();
  await expect(page.getByRole("link", { name: "Sign in" })).toBeVisible();
  await expect(page.getByRole("link", { name: "History" })).toHaveCount(0);
  await audit(page, "an app by its link");
  await fillTides(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(callState(page)).toHaveText("Done", { timeout: 60_000 });
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download forecast.txt" }).click();
  expect((await download).suggestedFilename()).toBe("forecast.txt");
  const called = page.url();
  await page.reload();
  await expect(callState(page)).toHaveText("Done");

  // Another visitor has the same link, but not this call.
  const other = await newBrowser(browser);
  await other.page.goto(called);
  await expect(other.page.getByText("There is no such result")).toBeVisible();
  await other.page.goto(address(`/explorer/links/wrong`));
  await expect(other.page.getByText("You cannot use this app")).toBeVisible();
  await other.page.goto(address(app.path));
  await expect(other.page).toHaveURL(/\/login/);

  // A new link ends the old one.
  await makeLink(context, app.graph);
  await page.goto(address(`/explorer/links/${link}`));
  await expect(page.getByText("You cannot use this app")).toBeVisible();
  await visitor.context.close();
  await other.context.close();
});

test("shares a result by an address that works without an account, until it is taken back", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const app = await deployTides(context, { access: "project" });
  const { id } = await callTides(context, app.name);
  await page.goto(address(`${app.path}/runs/${id}`));
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Make a link" }).click();
  const shared = await page.getByLabel("Link", { exact: true }).inputValue();
  await audit(page, "sharing", "[role=dialog]");
  const visitor = await newBrowser(browser);
  await visitor.page.goto(shared);
  await expect(visitor.page.getByRole("heading", { name: "Tide forecast", level: 1 })).toBeVisible();
  await expect(visitor.page.getByTestId("call-outputs").getByText("4.25", { exact: true }).first()).toBeVisible();
  const download = visitor.page.waitForEvent("download");
  await visitor.page.getByRole("link", { name: /^Download/ }).click();
  expect((await download).suggestedFilename()).toBe("forecast.txt");
  await audit(visitor.page, "a shared result");
  await page.getByRole("button", { name: "Stop sharing" }).click();
  await expect(page.getByRole("button", { name: "Make a link" })).toBeVisible();
  await visitor.page.reload();
  await expect(visitor.page.getByText("This result is not shared any more")).toBeVisible();
  await visitor.context.close();
});

/** A page of somebody else, on a port of its own, that frames an address. */
async function startSite(): Promise<{ server: Server; origin: string; frame: (src: string) => void }> {
  let framed = "";
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Site</title><script>
      addEventListener("message", ({ data }) => {
        if (data?.type === "miranda:height") document.querySelector("iframe").style.height = data.height + "px";
      });</script><h1>Somebody's site</h1><iframe title="App" width="600" height="50" src="${framed}"></iframe>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, origin, frame: (src) => (framed = src) };
}

test("is embedded where its owner allows it, grows with its content, and is refused elsewhere", async ({
  context,
  browser,
  person: _person,
}) => {
  const [allowed, refused] = [await startSite(), await startSite()];
  try {
    const app = await deployTides(context, { access: "link", embed_origins: [allowed.origin] });
    const link = await makeLink(context, app.graph);
    const src = address(`/embed/links/${link}?theme=dark`);
    allowed.frame(src);
    refused.frame(src);
    const visitor = await newBrowser(browser);
    await visitor.page.goto(allowed.origin);
    const frame = visitor.page.frameLocator("iframe");
    await expect(frame.getByRole("heading", { name: "Tide forecast", level: 1 })).toBeVisible();
    await expect(frame.getByTestId("top-bar")).toHaveCount(0);
    await expect(frame.locator("html.dark")).toHaveCount(1);
    await expect
      .poll(async () => (await visitor.page.locator("iframe").boundingBox())?.height ?? 0)
      .toBeGreaterThan(300);
    await fillTides(frame.locator("body"));
    await frame.getByRole("button", { name: "Run", exact: true }).click();
    await expect(callState(frame.locator("body"))).toHaveText("Done", { timeout: 60_000 });

    const refusal = visitor.page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await visitor.page.goto(refused.origin);
    await refusal;
    await expect(frame.getByRole("heading", { name: "Tide forecast", level: 1 })).toHaveCount(0);
    await visitor.context.close();
  } finally {
    allowed.server.close();
    refused.server.close();
  }
});
