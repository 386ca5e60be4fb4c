import { expect } from "@playwright/test";

import { hasSwift } from "../../scripts/swift.ts";
import { TestSwift } from "../../server/testing/services/swift.ts";
import { header, makeEdge, makeGraph, makeNode, openEditor } from "../drivers/canvas.ts";
import { makeProject } from "../drivers/fixtures.ts";
import { address, test } from "../drivers/people.ts";
import { type Product, startProduct } from "../drivers/product.ts";
import { endSessions, giveToken, label } from "../drivers/sessions.ts";
import { findModel, newName, openTracking, train } from "../drivers/training.ts";

const keep = `from miranda import Node, storage


class Keep(Node):
    def run(self):
        (storage() / "tides.csv").write_text("1,2")
`;

// These tests need a server whose operator lets node code and projects reach the bucket on this machine.
let swift: TestSwift | undefined;
let product: Product | undefined;
const usual = process.env["E2E_URL"];

test.skip(!hasSwift(), "Swift is not installed.");
test.beforeAll(async () => {
  swift = await TestSwift.open();
  const allowed = { MIRANDA_PROCESSOR_ALLOW: new URL(swift.url).host, MIRANDA_BUCKET_PRIVATE: "1" };
  product = await startProduct({ MIRANDA_ENGINE: "local", ...allowed });
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

test("stores the files of models in the project's bucket", async ({ page, context, person: _person }) => {
  if (!swift) throw new Error("no Swift");
  const bucket = await swift.makeBucket();
  const project = await makeProject(context, "Flowers");
  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "Model storage" }).click();
  const dialog = page.getByRole("dialog", { name: "Model storage" });
  await expect(dialog).toContainText("Stored now: nothing on the server's disk.");
  for (const [field, text] of [
    ["Bucket", bucket],
    ["Prefix", "trained"],
    ["Region", swift.region],
    ["Endpoint", swift.url],
    ["Access key", swift.accessKey],
    ["Secret key", "wrong"],
  ] as const)
    await dialog.getByRole("textbox", { name: field, exact: true }).fill(text);
  await dialog.getByRole("button", { name: "Test and save" }).click();
  await expect(dialog.getByRole("alert")).toContainText("The secret key does not belong to the access key.");
  await dialog.getByRole("textbox", { name: "Secret key" }).fill(swift.secretKey);
  await dialog.getByRole("button", { name: "Test and save" }).click();
  await expect(page.getByText("New files go to the bucket.")).toBeVisible();

  const name = newName("iris");
  await train(await openTracking(context, project), { name, params: {}, metrics: { loss: [1] } });
  expect((await swift.keys(bucket)).every((key) => key.startsWith(`trained/${project}/`))).toBe(true);
  await page.goto(address(`/designer/models/${await findModel(context, name)}/files`));
  await page.getByText("MLmodel", { exact: true }).click();
  await expect(page.getByText("python_function").first()).toBeVisible();

  await page.goto(address(`/designer/projects/${project}`));
  await page.getByRole("button", { name: "Model storage" }).click();
  await expect(dialog).toContainText("in this bucket");
  await expect(dialog.getByRole("textbox", { name: "Secret key" })).toHaveValue("");
  await dialog.getByRole("button", { name: "Stop using it" }).click();
  const leaving = page.getByRole("dialog", { name: "Stop using the bucket" });
  await leaving.getByRole("button", { name: "Stop using it" }).click();
  await expect(page.getByText("New files go to the server's disk.")).toBeVisible();
});
