import { expect } from "@playwright/test";

import { card, header, makeEdge, makeGraph, makeNode, openEditor, storedNode } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { test } from "../drivers/people.ts";
import { endSessions, giveToken } from "../drivers/sessions.ts";

const keep = `from miranda import Node, storage


class Keep(Node):
    def run(self):
        (storage() / "tides.csv").write_text("1,2")
`;

test.afterEach(({ context }) => endSessions(context));

test("turns a storage policy into an S3 bucket; invalid values are explained, stay as typed and change nothing", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, project } = await makeGraph(context);
  const disk = await makeNode(context, graph, { name: "Disk", type: "STORAGE_POLICY" });
  const code = await makeNode(context, graph, { name: "Keep", code: keep, at: { x: 0, y: 260 } });
  await makeEdge(context, disk, "storage", code, "storage");
  await giveToken(context);
  await openEditor(page, path);
  const body = async () => (await storedNode(context, graph, disk.metadata_id))?.body;

  await expect(card(page, "Disk")).toContainText("Volume data");
  await header(page, "Disk").click();
  const panel = page.getByTestId("inspector");
  await panel.getByLabel("Kind").selectOption("S3 bucket");
  const bucket = panel.getByRole("textbox", { name: "Bucket", exact: true });
  await bucket.fill("Not A Bucket");
  await bucket.press("Enter");
  await expect(panel.getByRole("alert")).toHaveText(
    "A bucket name has 3 to 63 lower-case letters, digits, dots and dashes.",
  );
  await expect(bucket).toHaveValue("Not A Bucket");
  expect(await body()).toEqual({ type: "volume", name: "data" });
  await bucket.fill("tides");
  await bucket.press("Enter");
  await expect(card(page, "Disk")).toContainText("S3 bucket tides");
  for (const [field, wrong, words] of [
    ["Prefix", "/absolute", "A prefix is a path such as data/2026"],
    ["Endpoint", "ftp://files.example.org", "An endpoint is an http or https address"],
    ["Secret with the access key", "AKIAIOSFODNN7EXAMPLE", "That looks like the access key itself"],
  ] as const) {
    const input = panel.getByRole("textbox", { name: field, exact: true });
    await input.fill(wrong);
    await input.blur();
    await expect(panel.getByRole("alert")).toContainText(words);
    await expect(input).toHaveValue(wrong);
    await input.fill("");
    await expect(panel.getByRole("alert")).toHaveCount(0);
  }
  await panel.getByRole("textbox", { name: "Prefix", exact: true }).fill("2026");
  await panel.getByRole("textbox", { name: "Endpoint", exact: true }).fill("http://127.0.0.1:1");
  await panel.getByRole("textbox", { name: "Secret with the access key", exact: true }).fill("ACCESS");
  await panel.getByRole("textbox", { name: "Secret with the secret key", exact: true }).fill("SECRET");
  await panel.getByRole("textbox", { name: "Secret with the secret key", exact: true }).blur();
  await expect(card(page, "Disk")).toContainText("S3 bucket tides/2026");
  await expect.poll(body).toEqual({
    type: "s3",
    bucket: "tides",
    prefix: "2026",
    region: "",
    endpoint: "http://127.0.0.1:1",
    access_key_secret: "ACCESS",
    secret_key_secret: "SECRET",
  });

  // A run fails at once and names the missing secret, at the node that uses the storage.
  await expect(panel.getByText("Not set in the project.")).toHaveCount(2);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByTestId("log-lines")).toContainText("s3://tides/2026: There is no secret 'ACCESS'.");
  await expect(page.getByRole("region", { name: "Exception" })).toContainText("Keep");

  // A reader sees the settings, but nothing about secrets.
  const reader = await joinProject(browser, context, project, "Ben", "viewer");
  await openEditor(reader.page, path);
  await header(reader.page, "Disk").click();
  const seen = reader.page.getByTestId("inspector");
  await expect(seen.getByRole("textbox", { name: "Bucket", exact: true })).toHaveValue("tides");
  await expect(seen.getByRole("textbox", { name: "Bucket", exact: true })).toBeDisabled();
  await expect(seen.getByRole("button", { name: /ACCESS/ })).toHaveCount(0);
});
