import { expect } from "@playwright/test";
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { audit } from "../drivers/audit.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { address, newBrowser, newPerson, signIn, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";
import { endSessions } from "../drivers/sessions.ts";
import { orderRun, program, readyProgram } from "../drivers/told-runs.ts";

// The receiver is on this machine, so this server's operator must allow that.
let product: Product | undefined;
let receiver: Server;
let status = 200;
const received: { signature: string; signed: string }[] = [];
const usual = process.env["E2E_URL"];

test.describe.configure({ timeout: 150_000, mode: "serial" });
test.beforeAll(async () => {
  product = await startProduct({ MIRANDA_ENGINE: "local", MIRANDA_WEBHOOK_PRIVATE: "1" });
  process.env["E2E_URL"] = product.url;
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      const { "x-miranda-signature": signature, "x-miranda-timestamp": time } = request.headers;
      received.push({ signature: String(signature), signed: `${String(time)}.${body}` });
      response.writeHead(status).end(status === 200 ? "thanks" : "out of order");
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
test.afterAll(async () => {
  receiver.close();
  await product?.stop();
  if (usual) process.env["E2E_URL"] = usual;
});
test.afterEach(({ context }) => endSessions(context));

test("adds a webhook, tests it, and shows what it answers about runs", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { port } = receiver.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hook`;
  const { project, graph } = await readyProgram(context, program("print('done')"));
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "Webhooks" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("This project has no webhooks.");
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  await dialog.getByLabel("URL").fill("ftp://example.org");
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  await expect(dialog.getByRole("alert")).toContainText("URL must begin with http:// or https://");
  await dialog.getByLabel("URL").fill(url);
  await audit(page, "the form of a webhook", "[role=dialog]");
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  const secret = (await page.getByTestId("webhook-secret").textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByTestId("webhook-secret")).toHaveCount(0);

  await dialog.getByRole("button", { name: `Test ${url}` }).click();
  await expect(page.getByText("The test arrived. The answer was 200.")).toBeVisible();
  const calls = dialog.getByRole("list", { name: "Last calls" });
  await expect(calls.getByRole("listitem")).toHaveText([/Test.*200/]);

  await orderRun(context, graph);
  await expect(calls.getByRole("listitem")).toHaveText([/Run ended.*200/, /Test/]);
  await calls.getByText("Run ended").click();
  await expect(calls).toContainText("thanks");
  await audit(page, "the calls of a webhook", "[role=dialog]");
  for (const { signature, signed } of received)
    expect(signature).toBe(`sha256=${createHmac("sha256", secret).update(signed).digest("hex")}`);

  status = 500;
  await orderRun(context, graph);
  await expect(calls.getByRole("listitem").first()).toContainText("500");
  await calls.getByText("Run ended").first().click();
  await expect(calls.getByRole("listitem").first()).toContainText(/Tried once.*Next at/);
  await expect(dialog).toContainText("The calls fail.");
  status = 200;

  await dialog.getByRole("button", { name: `More for ${url}` }).click();
  await page.getByRole("menuitem", { name: "Turn off" }).click();
  await expect(dialog).toContainText("It is not called.");
  await dialog.getByRole("button", { name: `More for ${url}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete the webhook" }).getByRole("button", { name: "Delete" }).click();
  await expect(dialog).toContainText("This project has no webhooks.");

  const reader = await newBrowser(browser);
  await signIn(reader.context, newPerson("Rea"));
  await makeProject(reader.context, "Own");
  await reader.page.goto(address(`/designer/projects/${project}`));
  await expect(reader.page.getByRole("button", { name: "Members" })).toBeVisible();
  await expect(reader.page.getByRole("button", { name: "Webhooks" })).toHaveCount(0);
  await reader.context.close();
});
