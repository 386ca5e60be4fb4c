import { expect } from "@playwright/test";

import { hasSwift } from "../../scripts/swift.ts";
import { TestSwift } from "../../server/testing/services/swift.ts";
import { header, makeEdge, makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";
import { endSessions, giveToken, label } from "../drivers/sessions.ts";

const keep = `from miranda import Node, storage


class Keep(Node):
    def run(self):
        (storage() / "tides.csv").write_text("1,2")
`;

// This test needs a server whose operator lets node code reach the bucket on this machine.
let swift: TestSwift | undefined;
let product: Product | undefined;
const usual = process.env["E2E_URL"];

test.skip(!hasSwift(), "Swift is not installed.");
test.beforeAll(async () => {
  swift = await TestSwift.open();
  product = await startProduct({ MIRANDA_ENGINE: "local", MIRANDA_PROCESSOR_ALLOW: new URL(swift.url).host });
  process.env["E2E_URL"] = product.url;
});
test.afterAll(async () => {
  await product?.stop();
  await swift?.close();
  if (usual) process.env["E2E_URL"] = usual;
});
test.afterEach(({ context }) => endSessions(context));

test("names a bucket, saves its keys as secrets, and stores what a node keeps in it", async ({
  page,
  context,
  person: _person,
}) => {
  if (!swift) throw new Error("no Swift");
  const name = await swift.makeBucket();
  const { graph, path } = await makeGraph(context);
  const disk = await makeNode(context, graph, { name: "Disk", type: "STORAGE_POLICY" });
  const code = await makeNode(context, graph, { name: "Keep", code: keep, at: { x: 0, y: 260 } });
  await makeEdge(context, disk, "storage", code, "storage");
  await giveToken(context);
  await openEditor(page, path);
  await header(page, "Disk").click();
  const panel = page.getByTestId("inspector");
  await panel.getByLabel("Kind").selectOption("S3 bucket");
  await panel.getByRole("textbox", { name: "Bucket", exact: true }).fill(name);
  await panel.getByRole("textbox", { name: "Bucket", exact: true }).press("Enter");
  for (const [field, text] of [
    ["Region", swift.region],
    ["Endpoint", swift.url],
    ["Secret with the access key", "ACCESS"],
    ["Secret with the secret key", "SECRET"],
  ] as const) {
    await panel.getByRole("textbox", { name: field, exact: true }).fill(text);
    await panel.getByRole("textbox", { name: field, exact: true }).blur();
  }
  for (const [key, value] of [
    ["ACCESS", swift.accessKey],
    ["SECRET", swift.secretKey],
  ] as const) {
    await panel.getByRole("button", { name: `Set ${key}` }).click();
    await panel.getByLabel(`Value of ${key}`).fill(value);
    await panel.getByRole("button", { name: "Save" }).click();
    await expect(panel.getByRole("button", { name: `Replace ${key}` })).toBeVisible();
  }
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByTestId("log-lines")).toContainText(`s3://${name}: stored 1 file, 3 bytes`);
  await expect(label(page)).toHaveText("Ready");
  expect(await swift.get(name, "tides.csv")).toBe("1,2");
  expect(await page.content()).not.toContain(swift.secretKey);
});
