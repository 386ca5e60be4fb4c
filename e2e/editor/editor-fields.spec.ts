import { expect } from "@playwright/test";

import { card, header, makeGraph, makeNode, openEditor, storedNode } from "../drivers/canvas.ts";
import { joinProject } from "../drivers/collaborators.ts";
import { test } from "../drivers/people.ts";

const everyControl = `from miranda import Code, Field, File, Json, Node, Secret, Select, Slider, Text, Toggle

class Everything(Node):
    title = Field("Tides", control=Text(placeholder="A name"))
    count = Field(3)
    share = Field(0.5, control=Slider(0, 1))
    mode = Field("fast", control=Select("fast", "safe"))
    loud = Field(True, control=Toggle())
    query = Field("select 1", control=Code("sql"))
    shape = Field([1, 2], control=Json())
    key = Field("", control=Secret())
    data = Field(control=File(accept=".csv,.txt"))
`;

test("puts a file into a node, shows it to others, undoes it, and refuses one that is too large", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { graph, path, project } = await makeGraph(context);
  const node = await makeNode(context, graph, { name: "Read", code: everyControl });
  const reader = await joinProject(browser, context, project, "Ben", "viewer");
  await openEditor(page, path);
  await openEditor(reader.page, path);

  const value = async () =>
    (await storedNode(context, graph, node.metadata_id))?.api.attributes.find(({ name }) => name === "data")?.value;
  const chooser = card(page, "Read").locator('input[type="file"]');
  await chooser.setInputFiles({ name: "tides.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
  await expect(card(page, "Read").getByRole("button", { name: "data: tides.csv, choose another" })).toBeVisible();
  await expect.poll(value).toMatchObject({ name: "tides.csv", size: 8 });

  const seen = card(reader.page, "Read");
  await expect(seen.getByRole("button", { name: "data: tides.csv, choose another" })).toBeDisabled();
  await expect(seen.getByRole("button", { name: "Remove tides.csv" })).toHaveCount(0);
  const download = reader.page.waitForEvent("download");
  await seen.getByRole("link", { name: "Download tides.csv" }).click();
  expect((await download).suggestedFilename()).toBe("tides.csv");

  const large = Buffer.alloc(10 * 1024 * 1024 + 1);
  await chooser.setInputFiles({ name: "large.csv", mimeType: "text/csv", buffer: large });
  await expect(page.getByText("A file can have at most 10 MB.")).toBeVisible();
  await expect(card(page, "Read").getByRole("button", { name: "data: tides.csv, choose another" })).toBeVisible();

  await card(page, "Read").getByRole("button", { name: "Remove tides.csv" }).click();
  await expect(seen.getByText("No file")).toBeVisible();
  await expect.poll(value).toBe(null);
  await header(page, "Read").click();
  await page.keyboard.press("Control+z");
  await expect(seen.getByRole("link", { name: "Download tides.csv" })).toBeVisible();
});

test("shows every kind of control on the node and stores the values", async ({ page, context, person: _person }) => {
  const { graph, path } = await makeGraph(context);
  const node = await makeNode(context, graph, { name: "Read", code: everyControl });
  await openEditor(page, path);
  const read = card(page, "Read");
  await read.getByRole("textbox", { name: "title" }).fill("Ebbe 🌊 مد");
  await read.getByRole("textbox", { name: "count" }).fill("7");
  await read.getByRole("slider", { name: "share" }).fill("0.75");
  await read.getByRole("combobox", { name: "mode" }).selectOption("safe");
  await read.getByRole("switch", { name: "loud" }).click();
  await read.getByRole("textbox", { name: "query" }).fill("select 2");
  await read.getByRole("textbox", { name: "shape" }).fill('{"a": 1}');
  await read.getByRole("textbox", { name: "key" }).fill("hush");
  await read.getByRole("textbox", { name: "key" }).blur();
  const values = async () =>
    Object.fromEntries(
      (await storedNode(context, graph, node.metadata_id))?.api.attributes.map(({ name, value }) => [name, value]) ??
        [],
    );
  await expect.poll(values).toMatchObject({
    title: "Ebbe 🌊 مد",
    count: 7,
    share: 0.75,
    mode: "safe",
    loud: false,
    query: "select 2",
    shape: { a: 1 },
    key: "hush",
  });
  // What is no value stays in its field, is marked, and is stored as it was typed.
  await read.getByRole("textbox", { name: "count" }).fill("seven");
  await read.getByRole("textbox", { name: "count" }).blur();
  await expect(read.getByRole("textbox", { name: "count" })).toHaveAttribute("aria-invalid", "true");
  await expect.poll(values).toMatchObject({ count: { $unfit: "seven" } });
  await read.getByRole("textbox", { name: "count" }).fill("8");
  await read.getByRole("textbox", { name: "count" }).press("Enter");
  await expect.poll(values).toMatchObject({ count: 8 });
});
