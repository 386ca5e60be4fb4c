import { expect, type Page } from "@playwright/test";

import { card, header, makeNode, openEditor, storedNode } from "../drivers/canvas.ts";
import { twoPeople } from "../drivers/collaborators.ts";
import { address, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";

const code = `from miranda import *


class Group(Node):
    by = Field([], control=Json())
    size = Field(3, control=Number(1, 9))

    def run(self):
        print("grouped by", self.by, "in", self.size)
`;
const words = 'by must be JSON, such as "Stadt" or ["Stadt"].';
const sentence = `Group and summarise: the field ${words}`;

const inspected = (page: Page, name: string) =>
  page.getByTestId("inspector").getByRole("textbox", { name: `${name} in the inspector` });

test("R4 refuses to run with what cannot be read, keeps it for everybody, and leads to the field", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { path, graph, ben } = await twoPeople(browser, context);
  const node = await makeNode(context, graph, { name: "Group and summarise", code });
  const runs = async () => {
    const answer = await context.request.get(address(`/api/v3/runs?graph_id=${graph}`));
    return ((await answer.json()) as { runs: object[] }).runs.length;
  };
  await openEditor(page, path);
  await openEditor(ben.page, path);
  const group = card(page, "Group and summarise");
  const by = group.getByRole("textbox", { name: "by" });

  await by.fill("Stadt");
  await expect(group.getByText(words)).toBeVisible();
  // At once: what is still being typed counts too.
  await page.keyboard.press("F5");
  const refused = page.getByTestId("refused-run");
  await expect(refused).toHaveText(sentence);
  expect(await runs()).toBe(0);
  await expect(by).toHaveValue("Stadt");
  await expect(group.getByTestId("unfit-badge")).toHaveAccessibleName(words);

  await page.reload();
  await expect(by).toHaveValue("Stadt");
  await expect(by).toHaveAttribute("aria-invalid", "true");
  const seen = card(ben.page, "Group and summarise");
  await expect(seen.getByRole("textbox", { name: "by" })).toHaveValue("Stadt");
  await expect(seen.getByTestId("unfit-badge")).toBeVisible();
  await ben.page.keyboard.press("F5");
  await expect(ben.page.getByTestId("refused-run")).toHaveText(sentence);
  expect(await runs()).toBe(0);

  await runButton(page).click();
  await refused.click();
  await expect(inspected(page, "by")).toBeFocused();
  await expect(page.getByTestId("inspector").getByText(words)).toBeVisible();
  await expect(page).not.toHaveURL(/field=/);

  // In the code too, where the field itself is not: it leads to the canvas.
  await ben.page.goto(address(`${path}/code/${node.metadata_id}`));
  await expect(ben.page.getByTestId("attributes").getByText(words)).toBeVisible();
  await runButton(ben.page).click();
  const told = ben.page.getByTestId("refused-run");
  await expect(told).toHaveText(sentence);
  await told.click();
  await expect(inspected(ben.page, "by")).toBeFocused();

  await inspected(page, "by").fill('["Stadt"]');
  await inspected(page, "by").blur();
  await expect(group.getByTestId("unfit-badge")).toHaveCount(0);
  await runButton(page).click();
  await expect(group).toHaveAttribute("data-status", "done");
  await expect(refused).toHaveCount(0);
  expect(await runs()).toBe(1);

  await header(page, "Group and summarise").click();
  await page.keyboard.press("Control+z");
  await expect(by).toHaveValue("Stadt");
  await page.keyboard.press("Control+Shift+z");
  await expect(by).toHaveValue('["Stadt"]');
});

test("does not run while a setting of a policy cannot be read", async ({ page, context, browser, person: _person }) => {
  const { path, graph } = await twoPeople(browser, context);
  await makeNode(context, graph, { name: "Group and summarise", code });
  await makeNode(context, graph, { name: "Large", type: "COMPUTE_POLICY", at: { x: 0, y: 400 } });
  await openEditor(page, path);
  await header(page, "Large").click();
  await page.getByRole("spinbutton", { name: "CPU cores" }).fill("0");
  await runButton(page).click();
  await expect(page.getByText(/Large: CPU must be a number from .* Nothing was run\./)).toBeVisible();
  const answer = await context.request.get(address(`/api/v3/runs?graph_id=${graph}`));
  expect(((await answer.json()) as { runs: object[] }).runs).toEqual([]);
});

test("says what a number has to be, and takes a text in quotes as JSON", async ({
  page,
  context,
  browser,
  person: _person,
}) => {
  const { path, graph } = await twoPeople(browser, context);
  const node = await makeNode(context, graph, { name: "Group and summarise", code });
  const value = async (name: string) =>
    (await storedNode(context, graph, node.metadata_id))?.api.attributes.find((one) => one.name === name)?.value;
  await openEditor(page, path);
  const group = card(page, "Group and summarise");
  const size = group.getByRole("textbox", { name: "size" });
  for (const [text, words] of [
    ["many", "size must be a whole number from 1 to 9, not “many”."],
    ["12", "size must be a whole number from 1 to 9, not “12”."],
    ["", "size must be a whole number from 1 to 9, not empty."],
  ] as const) {
    await size.fill(text);
    await size.press("Enter");
    await expect(group.getByText(words)).toBeVisible();
    await expect.poll(() => value("size")).toEqual({ $unfit: text });
  }
  await header(page, "Group and summarise").click();
  // What is typed within two seconds is one step.
  await expect(async () => {
    await page.keyboard.press("Control+z");
    expect(await size.inputValue()).toBe("3");
  }).toPass();
  await expect(group.getByTestId("unfit-badge")).toHaveCount(0);
  await expect.poll(() => value("size")).toBe(3);

  const by = group.getByRole("textbox", { name: "by" });
  await by.fill('"Stadt"');
  await by.blur();
  await expect.poll(() => value("by")).toBe("Stadt");
  await page.reload();
  await expect(by).toHaveValue('"Stadt"');
  await expect(group.getByTestId("unfit-badge")).toHaveCount(0);
});
